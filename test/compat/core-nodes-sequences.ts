import { type NodeCase, special } from '../support/side-by-side.ts';

/** Messages of one sequence. */
const sequence = (id: string, payloads: readonly unknown[], more: object = {}) =>
  payloads.map((payload, index) => ({
    payload,
    topic: `t${index}`,
    parts: { id, index, count: payloads.length, type: 'array', ...more },
  }));

/** Split nodes: every kind of payload, fixed lengths, separators, streams. */
export function splitCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const give = [
    'a\nb\nc',
    '',
    'abcdefg',
    [1, 2, 3, 4, 5],
    [],
    { payload: { a: 1, b: [2], c: { d: 3 } } },
    { payload: {} },
    special.buffer('ab\ncd'),
    special.buffer(''),
    5,
    null,
    true,
    special.undefined,
    { payload: 'x,y', parts: { id: 'outer', index: 0, count: 2 } },
    { payload: [7], topic: 'T', other: { keep: 1 } },
    { other: ['p', 'q'] },
  ];
  const separators = [
    ['str', '\\n'],
    ['str', ','],
    ['str', ''],
    ['str', '\\t'],
    ['bin', '[10]'],
    ['bin', '[99,100]'],
    ['len', '2'],
    ['len', '100'],
    ['len', '0'],
    ['len', 'x'],
  ];
  for (const [spltType, splt] of separators) {
    for (const arraySplt of [1, 2, '3', 0]) {
      for (const stream of [false, true]) {
        cases[`split ${spltType} ${splt} ${arraySplt} ${stream}`] = {
          node: {
            type: 'split',
            splt,
            spltType,
            arraySplt,
            arraySpltType: 'len',
            stream,
            addname: arraySplt === 2 ? 'key' : '',
            property: 'payload',
          },
          give,
        };
      }
    }
  }
  cases['split of another property'] = {
    node: {
      type: 'split',
      splt: ',',
      spltType: 'str',
      arraySplt: 1,
      stream: false,
      addname: 'a.b',
      property: 'other',
    },
    give: [...give, { other: 'q,r' }, { other: { k: 1 } }],
  };
  return cases;
}

/** Join nodes: automatic, custom and reduce. */
export function joinCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const join = (more: object) => ({
    type: 'join',
    mode: 'custom',
    build: 'array',
    property: 'payload',
    propertyType: 'msg',
    key: 'topic',
    joiner: ',',
    joinerType: 'str',
    useparts: false,
    accumulate: false,
    timeout: '',
    count: '',
    reduceRight: false,
    reduceExp: '',
    reduceInit: '',
    reduceInitType: '',
    reduceFixup: '',
    ...more,
  });
  const two = [
    ...sequence('a', [1, 'two', { three: 3 }]),
    ...sequence('b', ['x', 'y']).reverse(),
    { payload: 'alone', topic: 'z' },
    { payload: special.buffer('buf'), topic: 'q' },
    { complete: true, payload: 'end', topic: 'e' },
    { payload: null, topic: 'n' },
    { reset: true },
    { payload: [1, [2]], topic: '' },
    { payload: 'r' },
    { payload: 'last', topic: 'l', complete: 1 },
  ];
  cases['join auto'] = {
    node: join({ mode: 'auto' }),
    give: [
      ...sequence('a', [1, 'two', { three: 3 }]),
      ...sequence('s', ['x', 'y'], { type: 'string', ch: '-' }).reverse(),
      ...sequence('e', [special.buffer('1'), special.buffer('2')], { type: 'buffer', ch: '' }),
      ...sequence('c', [special.buffer('1'), special.buffer('2')], { type: 'buffer', ch: '/' }),
      { payload: 1, parts: { id: 'o', type: 'object', key: 'k1', index: 0, count: 2 } },
      { payload: 2, parts: { id: 'o', type: 'object', key: 'k2', index: 1, count: 2 } },
      ...sequence('l', [[1, 2], [3]], { len: 2 }),
      { payload: 'no parts' },
      ...sequence('n', [1, 2], { parts: { id: 'outer', index: 3, count: 9 } }),
      { payload: 'x', parts: { id: 'unfinished', index: 0, type: 'array' } },
      { payload: 'y', parts: { id: 'unfinished', index: 1, type: 'array', count: 2 } },
      { payload: 1, parts: { id: 'reset', index: 0, count: 3, type: 'array' } },
      { reset: true, parts: { id: 'reset' } },
      { payload: 1, parts: { id: 'done', index: 0, count: 3, type: 'array' }, complete: true },
      { payload: 1, parts: { id: 'restart', index: 0, count: 3, type: 'array' } },
      { restartTimeout: true, payload: 2, parts: { id: 'restart', index: 1, count: 3, type: 'array' } },
    ],
  };
  for (const build of ['array', 'object', 'merged', 'string', 'buffer']) {
    for (const count of ['', '2', 3]) {
      for (const accumulate of [false, true]) {
        for (const useparts of [false, true]) {
          cases[`join ${build} ${count} ${accumulate} ${useparts}`] = {
            node: join({ build, count, accumulate, useparts }),
            give: two,
          };
        }
      }
    }
  }
  for (const [joinerType, joiner] of [
    ['str', '\\n'],
    ['str', ''],
    ['bin', '[1,2]'],
    ['bin', '"--"'],
  ]) {
    for (const build of ['string', 'buffer']) {
      cases[`join ${build} with ${joinerType} ${joiner}`] = {
        node: join({ build, joiner, joinerType, count: '3' }),
        give: ['a', special.buffer('b'), 3, 'c', { payload: { a: 1 } }, [1]],
      };
    }
  }
  cases['join full messages'] = { node: join({ propertyType: 'full', property: '', count: 2 }), give: two };
  cases['join full merged'] = {
    node: join({ propertyType: 'full', build: 'merged', property: '', count: 2 }),
    give: two,
  };
  cases['join another property'] = {
    node: join({ property: 'a.b', build: 'object', key: 'k.l', count: 2 }),
    give: [
      { a: { b: 1 }, k: { l: 'x' } },
      { a: 1, k: { l: 'y' } },
      { a: { b: 2 }, k: {} },
      { a: { b: 2 }, k: { l: 'y' } },
    ],
  };
  cases['join after a while'] = {
    node: join({ timeout: '0.05' }),
    give: ['a', 'b', { topic: 'x', payload: 'c' }],
  };
  cases['join after a while or a count'] = {
    node: join({ timeout: '0.05', count: 2 }),
    give: ['a', 'b', 'c'],
  };
  const reductions: readonly (readonly [string, string, string, string])[] = [
    ['$A + payload', '0', 'num', ''],
    ['$A + payload', '0', 'num', '$A / $N'],
    ['$append($A, [payload])', '[]', 'json', ''],
    ['$A & payload & $I & $N', '', 'str', '"<" & $A & ">"'],
    ['$A + payload', 'payload', 'msg', ''],
    ['$A +', '0', 'num', ''],
    ['$error("no")', '0', 'num', ''],
    ['payload > $A ? payload : $A', '', '', ''],
    ['$A + $flowContext("nope")', '1', 'jsonata', ''],
  ];
  for (const [reduceExp, reduceInit, reduceInitType, reduceFixup] of reductions) {
    for (const reduceRight of [false, true]) {
      cases[`join reduce ${reduceExp} ${reduceFixup} ${reduceRight}`] = {
        node: join({ mode: 'reduce', reduceExp, reduceInit, reduceInitType, reduceFixup, reduceRight }),
        give: [
          ...sequence('a', [1, 2, 3]),
          ...sequence('b', [5, 4]).reverse(),
          'alone',
          ...sequence('c', ['x']),
        ],
      };
    }
  }
  return cases;
}

/** Sort and batch nodes. */
export function orderCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const arrays = [
    [3, 1, 2],
    ['b', 'a', 'C', '10', '9'],
    ['10', '9', '1'],
    [],
    'text',
    null,
    [{ n: 2 }, { n: 1 }, {}],
    [1, 'a', null, true],
    [2, 1, 2, 1],
    5,
  ];
  for (const order of ['ascending', 'descending']) {
    for (const as_num of [true, false]) {
      const sort = (more: object) => ({
        type: 'sort',
        order,
        as_num,
        target: 'payload',
        targetType: 'msg',
        msgKey: '',
        msgKeyType: 'elem',
        seqKey: 'payload',
        seqKeyType: 'msg',
        ...more,
      });
      cases[`sort arrays ${order} ${as_num}`] = { node: sort({}), give: arrays };
      cases[`sort by an expression ${order} ${as_num}`] = {
        node: sort({ msgKey: 'n', msgKeyType: 'jsonata' }),
        give: arrays,
      };
      cases[`sort by a wrong expression ${order} ${as_num}`] = {
        node: sort({ msgKey: 'n(', msgKeyType: 'jsonata' }),
        give: arrays,
      };
      cases[`sort by a failing expression ${order} ${as_num}`] = {
        node: sort({ msgKey: '$error("e")', msgKeyType: 'jsonata' }),
        give: arrays,
      };
      for (const [seqKeyType, seqKey] of [
        ['msg', 'payload'],
        ['msg', 'topic'],
        ['msg', 'a.b'],
        ['jsonata', '-payload'],
        ['jsonata', 'payload('],
      ]) {
        cases[`sort sequences ${seqKeyType} ${seqKey} ${order} ${as_num}`] = {
          node: sort({ targetType: 'seq', target: '', seqKey, seqKeyType }),
          give: [
            ...sequence('a', [3, 1, 2]),
            ...sequence('b', ['10', '9', 'x']).reverse(),
            'alone',
            ...sequence('c', [2, 1], { count: 3 }),
            ...sequence('d', [1]),
          ],
        };
      }
    }
  }
  const batch = (more: object) => ({
    type: 'batch',
    mode: 'count',
    count: 3,
    overlap: 0,
    interval: 1,
    allowEmptySequence: false,
    honourParts: false,
    topics: [{ topic: '' }],
    ...more,
  });
  const many = Array.from({ length: 10 }, (_, index) => ({
    payload: index,
    topic: index % 2 === 0 ? 'even' : 'odd',
  }));
  for (const count of [1, 3, '4', 0]) {
    for (const overlap of [0, 1, '2', 5]) {
      for (const honourParts of [false, true]) {
        cases[`batch ${count} ${overlap} ${honourParts}`] = {
          node: batch({ count, overlap, honourParts }),
          give: [
            ...many,
            ...sequence('p', [1, 2]),
            { payload: 'after' },
            { reset: true },
            ...many.slice(0, 4),
          ],
        };
      }
    }
  }
  cases['batch concat'] = {
    node: batch({ mode: 'concat', topics: [{ topic: 'x' }, { topic: 'y' }] }),
    give: [
      ...sequence('1', [1, 2]).map((each) => ({ ...each, topic: 'y' })),
      ...sequence('2', ['a', 'b', 'c']).map((each) => ({ ...each, topic: 'x' })),
      ...sequence('3', ['other']).map((each) => ({ ...each, topic: 'z' })),
      { payload: 'no parts', topic: 'x' },
      ...sequence('4', ['d']).map((each) => ({ ...each, topic: 'x' })),
      ...sequence('5', ['e']).map((each) => ({ ...each, topic: 'y' })),
    ],
  };
  cases['batch by time'] = { node: batch({ mode: 'interval', interval: 0.1 }), give: many };
  cases['batch by time, emptied'] = {
    node: batch({ mode: 'interval', interval: 0.15 }),
    give: [...many, { reset: true }],
  };
  return cases;
}

/** Csv, json, xml, yaml and html nodes. */
export function parserCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const texts = [
    'a,b,c\n1,2,3\n4,"5 ""x""",six\n',
    'a,b\r\n"multi\nline",2\r\n',
    '1,2,3',
    '',
    '\n\n',
    'a,,c\n,,\nx,,\n',
    'a;b\n1;2',
    '"unclosed,1\n2',
    ' a , b \n -1.5 , 007 ',
    'a,a\n1,2',
    '#comment\na,b\n1,true\n',
  ];
  const objects = [
    {
      payload: [
        { a: 1, b: 'x,y' },
        { a: null, c: 3 },
      ],
    },
    { payload: { a: 'q"q', b: 'two\nlines', c: true } },
    {
      payload: [
        [1, 2],
        ['a', 'b,c'],
      ],
    },
    { payload: [1, 'two', null] },
    { payload: [] },
    { payload: {} },
    { payload: { a: 1, b: 2 }, columns: 'b,a' },
    5,
    true,
    null,
    special.undefined,
    special.buffer('a,b'),
  ];
  for (const spec of ['rfc', '']) {
    for (const [name, more] of Object.entries({
      plain: {},
      header: { hdrin: true, hdrout: 'all' },
      'header once': { hdrin: true, hdrout: 'once' },
      template: { temp: 'x,"y z",' },
      'header and template': { hdrin: true, temp: 'p,q,r', hdrout: 'all' },
      together: { multi: 'mult', hdrin: true },
      semicolons: { sep: ';', hdrin: true },
      tabs: { sep: '\\t' },
      texts: { strings: false, hdrin: true },
      empty: { include_empty_strings: true, include_null_values: true, hdrin: true },
      skip: { skip: '1', hdrin: true, multi: 'mult' },
      'line feeds': { ret: '\\n', hdrout: 'all' },
      'wrong template': { temp: 'a,"b' },
    })) {
      cases[`csv ${spec} ${name}`] = {
        node: {
          type: 'csv',
          spec,
          sep: ',',
          hdrin: '',
          hdrout: 'none',
          multi: 'one',
          ret: '\\r\\n',
          temp: '',
          skip: '0',
          strings: true,
          include_empty_strings: '',
          include_null_values: '',
          ...more,
        },
        give: [
          ...texts,
          ...objects,
          ...sequence('s', ['h1,h2\n1,2\n', '3,4\n'], { type: 'string' }),
          { payload: { a: 1 }, parts: { id: 'o', index: 0, count: 2 } },
          { payload: { a: 2 }, parts: { id: 'o', index: 1, count: 2 } },
          { reset: true },
        ],
      };
    }
  }
  const jsons = [
    '{"a":[1,null,"ü"]}',
    '[]',
    '5',
    '"x"',
    'null',
    '{',
    '',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    { payload: { a: { b: [1] } } },
    [1, 2],
    5,
    true,
    null,
    special.undefined,
    special.buffer('{"b":1}'),
    special.buffer('xx'),
    { payload: { a: 1 }, schema: { type: 'object', required: ['b'] } },
    { payload: '{"b":1}', schema: { type: 'object', required: ['b'] } },
    { payload: '{"c":1}', schema: { type: 'object', required: ['b'] } },
    { payload: '{"c":1}', schema: { type: 'nonsense' } },
  ];
  for (const action of ['', 'str', 'obj']) {
    for (const pretty of [false, true]) {
      cases[`json ${action} ${pretty}`] = {
        node: { type: 'json', property: 'payload', action, pretty },
        give: jsons,
      };
    }
  }
  cases['json of another property'] = {
    node: { type: 'json', property: 'a.b', action: '', pretty: false },
    give: [{ a: { b: '{"c":1}' } }, { a: { b: { c: 1 } } }, { a: 5 }, {}],
  };
  const xmls = [
    '<a><b x="1">t</b><b/></a>',
    '<a/>',
    '<a>',
    'text',
    '',
    '<?xml version="1.0"?><!-- c --><r><![CDATA[<x>]]></r>',
    '<a xmlns:n="u"><n:b n:c="1"/></a>',
    { payload: { r: { $: { x: 1 }, c: ['1', '2'], d: { e: null } } } },
    { payload: { r: 1 }, options: { headless: true, renderOpts: { pretty: false } } },
    { payload: '<a><b>1</b></a>', options: { explicitArray: false } },
    5,
    true,
    null,
    special.buffer('<a/>'),
    [1],
  ];
  for (const [attr, chr] of [
    ['', ''],
    ['@', '#'],
  ]) {
    cases[`xml ${attr}`] = { node: { type: 'xml', property: 'payload', attr, chr }, give: xmls };
  }
  cases['yaml'] = {
    node: { type: 'yaml', property: 'payload' },
    give: [
      'a: 1\nb: [x, y]\nc:\n  - d: null\n',
      'a: [',
      '',
      'just text',
      '- &x 1\n- *x',
      'd: 2001-01-01',
      'a: 1\na: 2',
      '---\na: 1\n---\nb: 2',
      '!!binary aGk=',
      '!!js/function "x"',
      { payload: { a: [1, { b: null }], t: 'multi\nline', e: '' } },
      [1, [2]],
      5,
      true,
      null,
      special.undefined,
      special.buffer('a: 1'),
      special.date(0),
    ],
  };
  const page =
    '<ul><li class="a" id="x">one <b>b</b></li><li>two &amp; 2</li></ul><p>p</p><input type="text" value="v">';
  for (const ret of ['html', 'text', 'attr', 'compl', 'val']) {
    for (const as of ['single', 'multi']) {
      for (const tag of ['li', 'li.a b', '', 'input', 'nope', '[']) {
        cases[`html ${ret} ${as} ${tag}`] = {
          node: { type: 'html', property: 'payload', outproperty: 'payload', tag, ret, as, chr: '_' },
          give: [page, { payload: page, select: 'p' }, '', 5, special.undefined, '<li>'],
        };
      }
    }
  }
  return cases;
}

/** Delay, trigger, exec and link nodes, as far as their outcome does not depend on the clock. */
export function timedCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const delay = (more: object) => ({
    type: 'delay',
    pauseType: 'delay',
    timeout: '1',
    timeoutUnits: 'milliseconds',
    rate: '100',
    nbRateUnits: '1',
    rateUnits: 'second',
    randomFirst: '1',
    randomLast: '2',
    randomUnits: 'milliseconds',
    drop: false,
    allowrate: false,
    ...more,
  });
  const some = [
    { payload: 1, topic: 'a' },
    { payload: 2, topic: 'b' },
    { payload: 3, topic: 'a' },
    { payload: 4 },
    { payload: 5, topic: 'b' },
  ];
  const orders = [
    ...some,
    { reset: true },
    { payload: 6, topic: 'c' },
    { flush: true },
    { payload: 7, topic: 'a' },
  ];
  cases['delay'] = { node: delay({}), give: some };
  cases['delay by the message'] = {
    node: delay({ pauseType: 'delayv' }),
    give: [
      ...some.map((each) => ({ ...each, delay: 2 })),
      { payload: 'x', delay: '-5' },
      { payload: 'y', delay: 'x' },
    ],
  };
  cases['delay, emptied'] = {
    node: delay({ timeout: '20', timeoutUnits: 'seconds' }),
    give: [...some, { flush: 2 }, { reset: true }, { flush: true }],
  };
  cases['delay, flushed'] = { node: delay({ timeout: '20', timeoutUnits: 'seconds' }), give: orders };
  cases['random delay'] = {
    node: delay({ pauseType: 'random', randomFirst: '2', randomLast: '2' }),
    give: some,
  };
  for (const pauseType of ['rate', 'queue', 'timed']) {
    for (const [drop, outputs] of [
      [false, 1],
      [true, 1],
      [true, 2],
    ]) {
      const node = delay({ pauseType, drop, outputs });
      cases[`delay ${pauseType} ${drop} ${outputs}`] = {
        node,
        give: drop && pauseType === 'rate' ? some.slice(0, 1) : some,
      };
      cases[`delay ${pauseType} ${drop} ${outputs} slow`] = {
        node: delay({ pauseType, drop, outputs, rate: '1', nbRateUnits: '20' }),
        give: [...some, { flush: 1 }, { flush: true }, ...some, { reset: true }, { payload: 9, flush: 1 }],
      };
      cases[`delay ${pauseType} ${drop} ${outputs} rate by the message`] = {
        node: delay({ pauseType, drop, outputs, allowrate: true }),
        give: [
          // What is dropped must not hang on how fast the machine is.
          { payload: 0, rate: drop && pauseType === 'rate' ? 60_000 : 5 },
          ...some.slice(0, 2),
          { rate: 'x', payload: 1 },
          { payload: 'front', toFront: true },
        ],
      };
    }
  }
  const trigger = (more: object) => ({
    type: 'trigger',
    op1: '1',
    op2: '0',
    op1type: 'str',
    op2type: 'str',
    duration: '60',
    extend: false,
    overrideDelay: false,
    units: 'ms',
    reset: '',
    bytopic: 'all',
    topic: 'topic',
    ...more,
  });
  const kinds: readonly (readonly [string, string])[] = [
    ['str', 'text'],
    ['num', '5'],
    ['bool', 'true'],
    ['json', '{"a":1}'],
    ['bin', '[1,2]'],
    ['env', 'NUM'],
    ['flow', 'nope'],
    ['jsonata', 'payload & "!"'],
    ['pay', ''],
    ['payl', ''],
    ['nul', ''],
    ['val', '7'],
  ];
  for (const [op1type, op1] of kinds) {
    for (const outputs of [1, 2]) {
      cases[`trigger ${op1type} ${outputs}`] = {
        node: trigger({ op1type, op1, outputs }),
        give: some,
        env: [{ name: 'NUM', type: 'num', value: '5' }],
      };
      cases[`trigger then ${op1type} ${outputs}`] = {
        node: trigger({ op2type: op1type, op2: op1, outputs }),
        give: some,
      };
    }
  }
  for (const bytopic of ['all', 'topic']) {
    cases[`trigger until reset ${bytopic}`] = {
      node: trigger({ duration: '0', bytopic, reset: 'stop' }),
      give: [...some, { reset: true }, ...some, 'stop', ...some, { payload: 'stop', topic: 'a' }, ...some],
    };
    cases[`trigger extended ${bytopic}`] = {
      node: trigger({ extend: true, bytopic, op2type: 'payl' }),
      give: some,
    };
    cases[`trigger again and again ${bytopic}`] = {
      node: trigger({ duration: '-40', bytopic }),
      give: [
        { payload: 1, topic: 'a' },
        { reset: true, topic: 'a' },
      ],
    };
    cases[`trigger override ${bytopic}`] = {
      node: trigger({ overrideDelay: true, bytopic, duration: '20000' }),
      give: some.map((each) => ({ ...each, delay: 20 })),
    };
  }
  const exec = (more: object) => ({
    type: 'exec',
    command: 'echo',
    addpay: 'payload',
    append: '',
    useSpawn: 'false',
    timer: '',
    winHide: false,
    oldrc: false,
    outputs: 3,
    ...more,
  });
  for (const useSpawn of ['false', 'true']) {
    for (const [name, more] of Object.entries({
      plain: {},
      appended: { append: '-n x' },
      'without payload': { addpay: '' },
      'old return code': { oldrc: true },
      'not there': { command: 'no-such-command-x' },
      failing: { command: 'sh -c "exit 3"', addpay: '' },
      'on the error output': { command: 'sh -c "echo err >&2"', addpay: '' },
      'timed out': { command: 'sleep 5', addpay: '', timer: '0.1' },
      'another property': { addpay: 'topic' },
      binary: { command: 'printf "\\\\377\\\\001"', addpay: '' },
    })) {
      cases[`exec ${useSpawn} ${name}`] = {
        node: exec({ useSpawn, ...more }),
        give: [{ payload: 'word', topic: 'subject' }],
      };
    }
    cases[`exec ${useSpawn} other payloads`] = { node: exec({ useSpawn }), give: [5] };
    cases[`exec ${useSpawn} an empty payload`] = { node: exec({ useSpawn }), give: [''] };
  }
  return cases;
}
