import { type NodeCase, special } from '../support/side-by-side.ts';

/** Change, switch, range, template, rbe and function nodes: every option, what both do with awkward messages. */

const env = [
  { name: 'NUM', type: 'num', value: '5' },
  { name: 'WORD', type: 'str', value: 'lo' },
  { name: 'OBJ', type: 'json', value: '{"a":1}' },
];
const messages = [
  'hello',
  '',
  '5',
  5,
  0,
  true,
  null,
  special.undefined,
  [1, 'lo', { a: 1 }],
  { payload: { a: { b: 'lo' }, lo: 5 } },
  special.buffer('hello'),
  special.date(0),
  { topic: 'none' },
  { payload: 'a.b lo $1 lo', topic: { n: 5 }, list: [[1], 2] },
];

/** Sets contexts before a node's message comes. */
const contexts = {
  more: [
    {
      id: '@seed',
      type: 'function',
      func: '',
      outputs: 1,
      noerr: 0,
      finalize: '',
      libs: [],
      initialize: `flow.set('num', 5); flow.set('word', 'lo'); flow.set('obj', { a: { b: [1, 2] } });
        global.set('num', 7); global.set('list', ['lo', { k: 'lo' }]);`,
    },
  ],
  env,
};

const values: readonly [type: string, value: unknown][] = [
  ['str', 'text'],
  ['str', ''],
  ['str', '5'],
  ['num', '12.5'],
  ['num', 'x'],
  ['num', '0x10'],
  ['bool', 'true'],
  ['bool', 'false'],
  ['json', '{"a":[1,{"b":null}]}'],
  ['json', '[]'],
  ['json', '{'],
  ['bin', '[104,105]'],
  ['bin', '"hi"'],
  ['bin', '{}'],
  ['date', ''],
  ['date', 'iso'],
  ['date', 'object'],
  ['jsonata', 'payload & "!"'],
  ['jsonata', '$flowContext("num") + $globalContext("num")'],
  ['jsonata', '$env("WORD")'],
  ['jsonata', '{"x":[1,2].($ * 2)}'],
  ['jsonata', 'nothing'],
  ['jsonata', '"unfinished'],
  ['jsonata', '$number("x")'],
  ['env', 'NUM'],
  ['env', 'OBJ'],
  ['env', 'NOPE'],
  ['env', 'a ${WORD} b'],
  ['env', 'NR_NODE_ID'],
  ['msg', 'payload'],
  ['msg', 'payload.a.b'],
  ['msg', 'topic.n.x'],
  ['msg', ''],
  ['msg', 'list[0]'],
  ['flow', 'num'],
  ['flow', 'obj.a'],
  ['flow', 'obj.a.b[1]'],
  ['flow', 'nope.deep'],
  ['flow', '#:(nope)::num'],
  ['global', 'num'],
  ['global', 'list[1].k'],
];

/** Change nodes. */
export function changeCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const add = (name: string, rules: object[], give: readonly unknown[] = messages) => {
    cases[`change ${name}`] = { node: { type: 'change', rules, reg: false }, give, ...contexts };
  };
  const properties = ['payload', 'payload.x', 'a.b[0].c', 'topic', 'list[1]', 'payload[msg.topic.n]', 'a..b'];
  for (const [tot, to] of values) {
    for (const dc of [false, true]) {
      add(`set ${tot} ${to} ${dc}`, [{ t: 'set', p: 'result', pt: 'msg', to, tot, dc }]);
    }
  }
  for (const p of properties) {
    add(`set ${p}`, [{ t: 'set', p, pt: 'msg', to: '1', tot: 'num' }]);
    add(`delete ${p}`, [{ t: 'delete', p, pt: 'msg' }]);
    add(`move ${p}`, [{ t: 'move', p, pt: 'msg', to: 'moved.to', tot: 'msg' }]);
    add(`move to ${p}`, [{ t: 'move', p: 'payload', pt: 'msg', to: p, tot: 'msg' }]);
    add(`change ${p}`, [{ t: 'change', p, pt: 'msg', from: 'lo', fromt: 'str', to: 'X', tot: 'str' }]);
  }
  for (const pt of ['flow', 'global']) {
    const read = [
      { t: 'set', p: 'read', pt: 'msg', to: `own@`, tot: pt },
      { t: 'set', p: 'deep', pt: 'msg', to: `own@.x`, tot: pt },
    ];
    add(`set ${pt}`, [{ t: 'set', p: `own@`, pt, to: 'payload', tot: 'msg' }, ...read]);
    add(`set deep ${pt}`, [{ t: 'set', p: `own@.x`, pt, to: 'payload', tot: 'msg', dc: true }, ...read]);
    add(`delete ${pt}`, [
      { t: 'set', p: `own@`, pt, to: '{"x":1,"y":2}', tot: 'json' },
      { t: 'delete', p: `own@.x`, pt },
      ...read,
    ]);
    add(`move ${pt}`, [
      { t: 'move', p: 'payload', pt: 'msg', to: `own@`, tot: pt },
      ...read,
      { t: 'move', p: `own@`, pt, to: 'back', tot: 'msg' },
      ...read,
    ]);
    add(`change ${pt}`, [
      { t: 'set', p: `own@`, pt, to: 'payload', tot: 'msg' },
      { t: 'change', p: `own@`, pt, from: 'lo', fromt: 'str', to: 'X', tot: 'str' },
      ...read,
    ]);
  }
  const from: readonly [string, string][] = [
    ['str', 'lo'],
    ['str', 'l'],
    ['str', '.'],
    ['str', '5'],
    ['str', ''],
    ['re', 'l+(o)?'],
    ['re', '^.'],
    ['re', '['],
    ['num', '5'],
    ['num', '0'],
    ['bool', 'true'],
    ['env', 'WORD'],
    ['env', 'NUM'],
    ['msg', 'payload'],
    ['msg', 'topic.n'],
    ['flow', 'word'],
    ['flow', 'obj'],
    ['global', 'num'],
  ];
  const into: readonly [string, string][] = [
    ['str', 'X$1$&'],
    ['str', ''],
    ['num', '9'],
    ['bool', 'false'],
    ['json', '{"j":1}'],
    ['bin', '[65]'],
    ['env', 'WORD'],
    ['msg', 'topic'],
    ['flow', 'obj'],
    ['global', 'num'],
  ];
  for (const [fromt, f] of from) {
    for (const [tot, to] of into) {
      add(`replace ${fromt} ${f} ${tot} ${to}`, [
        { t: 'change', p: 'payload', pt: 'msg', from: f, fromt, to, tot },
      ]);
    }
  }
  add('chain', [
    { t: 'set', p: 'a', pt: 'msg', to: 'payload', tot: 'msg' },
    { t: 'set', p: 'payload', pt: 'msg', to: '1', tot: 'num' },
    { t: 'move', p: 'a', pt: 'msg', to: 'b.c', tot: 'msg' },
    { t: 'delete', p: 'topic', pt: 'msg' },
    { t: 'change', p: 'b.c', pt: 'msg', from: 'e', fromt: 'str', to: 'E', tot: 'str' },
  ]);
  add('move onto itself', [{ t: 'move', p: 'payload', pt: 'msg', to: 'payload', tot: 'msg' }]);
  add('move into itself', [{ t: 'move', p: 'payload', pt: 'msg', to: 'payload.in', tot: 'msg' }]);
  add('whole message', [{ t: 'set', p: '', pt: 'msg', to: '{"payload":1}', tot: 'json' }]);
  add('no rules', []);
  for (const action of ['replace', 'change', 'delete', 'move']) {
    cases[`change old ${action}`] = {
      node: { type: 'change', action, property: 'payload', from: 'l', to: 'topic', reg: action === 'change' },
      give: messages,
    };
  }
  return cases;
}

/** Switch nodes. */
export function switchCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const add = (name: string, rules: object[], more: object = {}, give: readonly unknown[] = messages) => {
    cases[`switch ${name}`] = {
      node: {
        type: 'switch',
        property: 'payload',
        propertyType: 'msg',
        checkall: 'true',
        repair: false,
        rules,
        outputs: Math.max(1, rules.length),
        ...more,
      },
      give,
      ...contexts,
    };
  };
  const operands: readonly [string, string][] = [
    ['str', 'hello'],
    ['str', '5'],
    ['str', ''],
    ['num', '5'],
    ['num', '0'],
    ['env', 'NUM'],
    ['msg', 'topic.n'],
    ['flow', 'num'],
    ['global', 'num'],
    ['jsonata', '"hel" & "lo"'],
    ['jsonata', '$x('],
    ['prev', ''],
  ];
  for (const t of ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'hask', 'cont']) {
    for (const [vt, v] of operands) add(`${t} ${vt} ${v}`, [{ t, v, vt }, { t: 'else' }]);
  }
  for (const [vt, v] of [
    ['num', '0'],
    ['str', 'a'],
    ['prev', ''],
    ['msg', 'topic.n'],
  ] as const) {
    for (const [v2t, v2] of [
      ['num', '5'],
      ['str', 'z'],
      ['prev', ''],
      ['jsonata', '6'],
    ] as const) {
      add(`btwn ${vt} ${v} ${v2t} ${v2}`, [{ t: 'btwn', v, vt, v2, v2t }, { t: 'else' }]);
      add(`btwn turned ${vt} ${v} ${v2t} ${v2}`, [
        { t: 'btwn', v: v2, vt: v2t, v2: v, v2t: vt },
        { t: 'else' },
      ]);
    }
  }
  for (const v of ['^h', 'L', '[', '\\d', '']) {
    for (const isCase of [true, false]) {
      add(`regex ${v} ${isCase}`, [{ t: 'regex', v, vt: 'str', case: isCase }, { t: 'else' }]);
    }
  }
  for (const t of ['true', 'false', 'null', 'nnull', 'empty', 'nempty', 'else'])
    add(t, [{ t }, { t: 'else' }]);
  for (const v of ['string', 'number', 'boolean', 'array', 'buffer', 'object', 'json', 'undefined', 'null']) {
    add(`istype ${v}`, [{ t: 'istype', v, vt: v }, { t: 'else' }], {}, [
      ...messages,
      '{"a":1}',
      '[1',
      special.nan,
    ]);
  }
  for (const v of [
    'payload = "hello"',
    '$type(payload) = "array"',
    'payload.a',
    '$boo(',
    '$count(payload) > 1',
  ]) {
    add(`jsonata_exp ${v}`, [{ t: 'jsonata_exp', v, vt: 'jsonata' }, { t: 'else' }]);
  }
  const three = [{ t: 'nnull' }, { t: 'eq', v: '5', vt: 'str' }, { t: 'else' }];
  add('all', three);
  add('first', three, { checkall: 'false' });
  for (const [propertyType, property] of [
    ['msg', 'payload.a.b'],
    ['msg', 'topic.n.x.y'],
    ['flow', 'obj.a.b[0]'],
    ['global', 'num'],
    ['jsonata', '$length(payload)'],
    ['jsonata', '(('],
    ['env', 'NUM'],
    ['env', 'nope'],
  ]) {
    add(`of ${propertyType} ${property}`, [{ t: 'eq', v: '5', vt: 'num' }, { t: 'nnull' }, { t: 'else' }], {
      property,
      propertyType,
    });
  }
  // Sequences: messages with parts.
  const sequence = (id: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ payload: index, parts: { id, index, count } }));
  const sequences = [...sequence('a', 5), ...sequence('b', 3).reverse(), 'alone', ...sequence('c', 1)];
  for (const repair of [true, false]) {
    for (const checkall of ['true', 'false']) {
      // The peer then counts by the last message of a sequence, and loses messages.
      if (repair && checkall === 'false') continue;
      const more = { repair, checkall };
      add(`head ${repair} ${checkall}`, [{ t: 'head', v: '2', vt: 'num' }, { t: 'else' }], more, sequences);
      add(`tail ${repair} ${checkall}`, [{ t: 'tail', v: '2', vt: 'num' }, { t: 'else' }], more, sequences);
      add(
        `index ${repair} ${checkall}`,
        [{ t: 'index', v: '1', vt: 'num', v2: '2', v2t: 'num' }, { t: 'else' }],
        more,
        sequences,
      );
      add(
        `parts ${repair} ${checkall}`,
        [
          { t: 'gte', v: '2', vt: 'num' },
          { t: 'lt', v: '4', vt: 'num' },
          { t: 'eq', v: '0', vt: 'num' },
        ],
        more,
        sequences,
      );
    }
  }
  add('no rules', []);
  return cases;
}

/** Range, template and filter nodes. */
export function otherCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const numbers = [0, 5, 10, -5, 15, '5', 'x', '', null, true, special.undefined, [3], 2.55];
  for (const action of ['scale', 'clamp', 'roll', 'drop']) {
    for (const round of [true, false]) {
      for (const [minin, maxin, minout, maxout] of [
        ['0', '10', '0', '100'],
        ['10', '0', '-1', '1'],
        ['0', '10', '5', '1'],
        ['0', '0', '0', '1'],
      ]) {
        cases[`range ${action} ${round} ${minin} ${maxin} ${minout}`] = {
          node: { type: 'range', action, round, minin, maxin, minout, maxout, property: 'payload' },
          give: numbers,
        };
      }
    }
  }
  cases['range of another property'] = {
    node: {
      type: 'range',
      action: 'scale',
      minin: '0',
      maxin: '1',
      minout: '0',
      maxout: '9',
      property: 'a.b',
    },
    give: [{ a: { b: 1 } }, { a: 1 }, 5],
  };

  const templates = [
    'plain',
    '{{payload}}',
    '{{{payload}}}',
    '{{payload.a.b}} {{topic.n}} {{nope}}',
    '{{#list}}[{{.}}]{{/list}}{{^list}}none{{/list}}',
    '{{flow.num}} {{flow.obj.a.b.1}} {{global.list.1.k}} {{flow[nope].num}}',
    '{{env.NUM}} {{env.WORD}} {{env.NOPE}} {{env.OBJ}}',
    '{{! comment }}{{#payload}}{{a}}{{lo}}{{/payload}}',
    '{{#a}}',
    '{{=<% %>=}}<% payload %>',
    '{"a":"{{payload}}"}',
    'a: {{payload}}\nb: [1, 2]',
    '{{payload}} <b> & "q"',
  ];
  for (const [index, template] of templates.entries()) {
    for (const output of ['str', 'json', 'yaml', 'parsed']) {
      cases[`template ${index} ${output}`] = {
        node: { type: 'template', field: 'payload', fieldType: 'msg', syntax: 'mustache', template, output },
        give: [...messages, '<b>"x" & \'y\'</b>'],
        ...contexts,
      };
    }
    cases[`template ${index} plain`] = {
      node: {
        type: 'template',
        field: 'out.deep',
        fieldType: 'msg',
        syntax: 'plain',
        template,
        output: 'str',
      },
      give: ['x'],
    };
  }
  cases['template of the message'] = {
    node: {
      type: 'template',
      field: 'payload',
      fieldType: 'msg',
      syntax: 'mustache',
      template: '',
      output: 'str',
    },
    give: ['x', { payload: 1, template: 'from {{payload}}' }, { template: 5 }],
  };
  for (const fieldType of ['flow', 'global']) {
    cases[`template into ${fieldType}`] = {
      node: {
        type: 'template',
        field: 'tpl',
        fieldType,
        syntax: 'mustache',
        template: 'T{{payload}}',
        output: 'str',
      },
      give: ['x', 'y'],
    };
  }

  const changing = [
    1,
    1,
    2,
    '2',
    null,
    null,
    { payload: 3, topic: 'b' },
    { payload: 3, topic: 'b' },
    3,
    [1],
    [1],
    true,
  ];
  const falling = [
    1,
    1.5,
    3,
    3.2,
    10,
    '11',
    'x',
    30,
    29,
    1,
    { reset: true },
    1,
    { topic: 'b', payload: 5 },
    1.1,
  ];
  for (const func of ['rbe', 'rbei', 'deadband', 'narrowband', 'deadbandEq', 'narrowbandEq']) {
    for (const gap of ['', '2', '10%']) {
      for (const inout of ['out', 'in']) {
        for (const start of ['', '3']) {
          cases[`rbe ${func} ${gap} ${inout} ${start}`] = {
            node: {
              type: 'rbe',
              func,
              gap,
              start,
              inout,
              septopics: start === '',
              property: 'payload',
              topi: 'topic',
            },
            give: [...changing, ...falling],
          };
        }
      }
    }
  }
  cases['rbe of another property'] = {
    node: {
      type: 'rbe',
      func: 'rbe',
      gap: '',
      start: '',
      inout: 'out',
      septopics: true,
      property: 'a.b',
      topi: 'key',
    },
    give: [
      { a: { b: 1 }, key: 1 },
      { a: { b: 1 }, key: 2 },
      { a: { b: 1 }, key: 1 },
      5,
      { reset: 1, key: 1 },
      { a: { b: 1 }, key: 1 },
    ],
  };
  return cases;
}
