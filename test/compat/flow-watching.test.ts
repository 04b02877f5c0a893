import { describe } from 'vitest';
import { settle } from '../support/flow-rig.ts';
import { injecting, sameOnBoth, tab } from '../support/same-on-both.ts';

const probe = (id: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: 'probe',
  wires,
  ...more,
});
const failing = (id: string, code: string, more: object = {}) => probe(id, [], { code, ...more });
const group = (id: string, more: object = {}) => ({
  id,
  type: 'group',
  name: `Group ${id}`,
  nodes: [],
  w: 1,
  h: 1,
  ...more,
});
const watch = (type: string, id: string, more: object = {}) => ({
  id,
  type,
  wires: [[`${id}-seen`]],
  ...more,
});
const seen = (...ids: string[]) => ids.map((id) => probe(`${id}-seen`));

describe('errors', () => {
  const ways: [string, string][] = [
    ['node.error with a text', 'node.error("bad", msg)'],
    [
      'node.error with an Error',
      'node.error(Object.assign(new TypeError("bad"), { code: "E_BAD", cause: { why: 1 }, extra: 2 }), msg)',
    ],
    ['node.error with an object', 'node.error({ message: "m", code: 5 }, msg)'],
    [
      'node.error with nothing',
      'node.error(undefined, msg); node.error(null, msg); node.error("", msg); node.error(false, msg); node.error(0, msg)',
    ],
    ['node.error with true', 'node.error(true, msg)'],
    ['node.error without a message', 'node.error("bad")'],
    ['node.error with a text for a message', 'node.error("bad", "text")'],
    ['done with an error', 'done(new RangeError("bad"))'],
    ['done with a text', 'done("bad")'],
    ['an exception', 'throw new Error("bad")'],
    ['an exception that is a text', 'throw "bad"'],
    ['an error with an error already there', 'msg.error = "before"; node.error("bad", msg)'],
    [
      'an error with a source already there',
      'msg.error = { source: { id: "other", count: 4 } }; node.error("bad", msg)',
    ],
    [
      'a warning, a log and a trace',
      'node.warn("w"); node.warn({ a: 1 }); node.log("l"); node.debug("d"); node.trace("t")',
    ],
  ];
  for (const [name, code] of ways) {
    sameOnBoth(
      `${name}, caught`,
      injecting(tab('t', [failing('s', code, { name: 'S' }), watch('catch', 'c'), ...seen('c')]), [
        's',
        { payload: { a: 1 } },
      ]),
    );
    sameOnBoth(`${name}, not caught`, injecting(tab('t', [failing('s', code)]), ['s', { payload: 1 }]));
  }
  sameOnBoth(
    'the caught message is a copy',
    injecting(
      tab('t', [
        failing('s', 'RED.kept = msg; node.error("x", msg); msg.payload.a = 2'),
        { id: 'c', type: 'catch', wires: [['d']] },
        probe('d', [], { code: 'record([msg === RED.kept, msg.payload.a])' }),
      ]),
      ['s', { payload: { a: 1 } }],
    ),
  );
  sameOnBoth(
    'a loop is cut at ten',
    injecting(
      tab('t', [
        failing('s', 'record(["run", msg.error && msg.error.source.count]); node.error("again", msg)'),
        { id: 'c', type: 'catch', wires: [['s']] },
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'a loop of two nodes',
    injecting(
      tab('t', [
        failing(
          's',
          'RED.n = (RED.n || 0) + 1; record(["s", RED.n]); if (RED.n < 30) node.error("again", msg)',
        ),
        probe('u', [], { code: 'record("u"); node.error("u", msg)' }),
        { id: 'c', type: 'catch', scope: ['s'], wires: [['u']] },
        { id: 'd', type: 'catch', scope: ['u'], wires: [['s']] },
      ]),
      ['s', {}],
    ),
  );
});

describe('who catches', () => {
  const bad = 'node.error("bad", msg)';
  const catches: [string, object[]][] = [
    ['all of the flow', [watch('catch', 'c')]],
    ['named nodes', [watch('catch', 'c', { scope: ['s'] }), watch('catch', 'd', { scope: ['other'] })]],
    [
      'named before all before uncaught',
      [watch('catch', 'u', { uncaught: true }), watch('catch', 'c'), watch('catch', 'n', { scope: ['s'] })],
    ],
    ['uncaught alone', [watch('catch', 'u', { uncaught: true }), watch('catch', 'n', { scope: ['other'] })]],
    ['two uncaught', [watch('catch', 'u', { uncaught: true }), watch('catch', 'n', { uncaught: true })]],
    [
      'several of a kind',
      [
        watch('catch', 'c'),
        watch('catch', 'd'),
        watch('catch', 'n', { scope: ['s'] }),
        watch('catch', 'u', { scope: ['s', 'x'] }),
      ],
    ],
    ['an empty list', [watch('catch', 'c', { scope: [] }), watch('catch', 'd')]],
  ];
  for (const [name, nodes] of catches) {
    sameOnBoth(
      name,
      injecting(tab('t', [failing('s', bad), ...nodes, ...seen('c', 'd', 'n', 'u')]), ['s', {}]),
    );
  }
  sameOnBoth(
    'a catch node of another tab does not',
    injecting(
      [...tab('t', [failing('s', bad)]), ...tab('u', [watch('catch', 'c'), ...seen('c')])],
      ['s', {}],
    ),
  );
  sameOnBoth(
    'a disabled catch node does not',
    injecting(tab('t', [failing('s', bad), watch('catch', 'c', { d: true }), ...seen('c')]), ['s', {}]),
  );

  const places: [string, object][] = [
    ['outside of groups', {}],
    ['in the outer group', { g: 'g1' }],
    ['in the inner group', { g: 'g2' }],
    ['in another group', { g: 'g3' }],
  ];
  const groups = [group('g1'), group('g2', { g: 'g1' }), group('g3')];
  const everywhere = (type: string) =>
    places.flatMap(([, place], n) => [
      watch(type, `${type}-all${n}`, place),
      watch(type, `${type}-group${n}`, { ...place, scope: 'group' }),
      watch(type, `${type}-named${n}`, { ...place, scope: ['s'] }),
      ...(type === 'catch' ? [watch(type, `${type}-un${n}`, { ...place, uncaught: true })] : []),
    ]);
  for (const [name, place] of places) {
    const watching = [...everywhere('catch'), ...everywhere('status')];
    sameOnBoth(
      `a node ${name}`,
      injecting(
        tab('t', [
          ...groups,
          failing('s', `${bad}; node.status("x")`, place),
          ...watching,
          ...seen(...watching.map((each) => each.id)),
        ]),
        ['s', {}],
      ),
    );
    const groupOnly = watching.filter((each) => 'scope' in each && each.scope === 'group');
    sameOnBoth(
      `a node ${name}, watched by groups only`,
      injecting(
        tab('t', [
          ...groups,
          failing('s', `${bad}; node.status("x")`, place),
          ...groupOnly,
          ...seen(...groupOnly.map((each) => each.id)),
        ]),
        ['s', {}],
      ),
    );
  }
});

describe('status', () => {
  const statuses: [string, string][] = [
    ['an object', 'node.status({ fill: "red", shape: "dot", text: "hi", extra: 1 })'],
    ['a text, a number, a boolean', 'node.status("t"); node.status(5); node.status(false)'],
    ['a number as text', 'node.status({ text: 5 })'],
    ['empty', 'node.status({})'],
    ['an object as text', 'node.status({ text: { a: 1 } })'],
    ['the same again', 'node.status({ text: "a" }); node.status({ text: "a" })'],
  ];
  sameOnBoth(
    'a frozen object',
    injecting(
      tab('t', [failing('s', 'node.status(Object.freeze({ text: 5 }))'), watch('status', 'c'), ...seen('c')]),
      ['s', {}],
    ),
  );
  for (const [name, code] of statuses) {
    sameOnBoth(name, async (rig) => {
      const told: unknown[] = [];
      rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
      await injecting(tab('t', [failing('s', code, { name: 'S' }), watch('status', 'c'), ...seen('c')]), [
        's',
        {},
      ])(rig);
      return told;
    });
  }
  sameOnBoth(
    'scopes',
    injecting(
      tab('t', [
        failing('s', 'node.status("s")'),
        failing('u', 'node.status("u")'),
        watch('status', 'c', { scope: ['s'] }),
        watch('status', 'd', { scope: ['u', 's'] }),
        watch('status', 'n'),
        ...seen('c', 'd', 'n'),
      ]),
      ['s', {}],
      ['u', {}],
    ),
  );
  sameOnBoth(
    'not of nodes it is wired to',
    injecting(
      tab('t', [
        probe('s', [], { code: 'record(["s", msg.status && msg.status.text]); node.status("s")' }),
        { id: 'c', type: 'status', scope: ['s'], wires: [['s']] },
      ]),
      ['s', {}],
    ),
  );
});

describe('complete', () => {
  sameOnBoth(
    'a copy with the source',
    injecting(
      tab('t', [
        probe('s', [], { name: 'S', code: 'RED.kept = msg; done(); msg.late = 1' }),
        watch('complete', 'c', { scope: ['s'] }),
        watch('complete', 'd', { scope: ['s', 'x'] }),
        probe('c-seen', [], { code: 'record([node.id, msg, msg === RED.kept])' }),
        ...seen('d'),
      ]),
      ['s', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'not after an error, nor without done',
    injecting(
      tab('t', [
        probe('s', [], { code: 'if (msg.fail) done("no"); if (msg.never) return; if (!msg.fail) done()' }),
        watch('complete', 'c', { scope: ['s'] }),
        ...seen('c'),
      ]),
      ['s', { fail: true }],
      ['s', { never: true }],
      ['s', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'of junctions, links and watchers',
    injecting(
      tab('t', [
        { id: 'j', type: 'junction', wires: [['lo']] },
        { id: 'lo', type: 'link out', links: ['li'] },
        { id: 'li', type: 'link in', wires: [['s']] },
        failing('s', 'done("x")'),
        watch('catch', 'k'),
        ...seen('k'),
        watch('complete', 'c', { scope: ['j', 'lo', 'li', 'k'] }),
        ...seen('c'),
      ]),
      ['j', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'not of nodes it is wired to',
    injecting(
      tab('t', [
        probe('s', [], { code: 'record(msg.payload); done()' }),
        { id: 'c', type: 'complete', scope: ['s'], wires: [['s']] },
      ]),
      ['s', { payload: 1 }],
    ),
  );
});

describe('config nodes with users', () => {
  const configs = [
    { id: 'cfg', type: 'probe', init: 'node.users = {}; RED.cfg = node' },
    ...tab('t', [
      probe('s', [], { cfg: 'cfg', init: 'RED.nodes.getNode(config.cfg).users[node.id] = node' }),
      watch('catch', 'c'),
      watch('status', 'd'),
      ...seen('c', 'd'),
    ]),
    ...tab('u', [
      probe('s2', [], { cfg: 'cfg', init: 'RED.nodes.getNode(config.cfg).users[node.id] = node' }),
      watch('catch', 'k', { scope: ['s2'] }),
      ...seen('k'),
    ]),
  ];
  sameOnBoth('have the watchers of their users', async (rig) => {
    await rig.deploy(configs as never);
    rig.node('cfg').error('bad', { _msgid: 'm' });
    rig.node('cfg').status('shown');
    rig.node('cfg').error('only logged');
    await settle();
  });
  sameOnBoth('are on their own without', async (rig) => {
    await rig.deploy([
      { id: 'cfg', type: 'probe' },
      ...tab('t', [watch('catch', 'c'), watch('status', 'd'), ...seen('c', 'd')]),
    ] as never);
    rig.node('cfg').error('bad', { _msgid: 'm' });
    rig.node('cfg').status('shown');
    await settle();
  });
});
