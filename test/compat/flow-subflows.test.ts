import { describe } from 'vitest';
import { settle, type TestFlows } from '../support/flow-rig.ts';
import { injecting, sameOnBoth, tab } from '../support/same-on-both.ts';

const probe = (id: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: 'probe',
  wires,
  ...more,
});
const passing = (id: string, wires: unknown[], more: object = {}) =>
  probe(id, wires, { code: 'msg.way = [...(msg.way || []), node.id]; send(msg); done()', ...more });

/** A template with its nodes. */
function template(
  id: string,
  parts: { in?: unknown; out?: unknown; env?: unknown; status?: unknown; name?: string },
  nodes: readonly object[],
): TestFlows {
  const inside = nodes.map((node) => ({ z: id, x: 0, y: 0, wires: [], ...node }));
  return [
    { id, type: 'subflow', name: `Template ${id}`, in: [], out: [], ...parts },
    ...inside,
  ] as unknown as TestFlows;
}
const wire = (...ends: [id: string, port?: number][]) => ({
  wires: ends.map(([id, port = 0]) => ({ id, port })),
});
const instance = (id: string, of: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: `subflow:${of}`,
  wires,
  ...more,
});

const simple = template('sf', { in: [wire(['a'])], out: [wire(['b'])] }, [
  passing('a', [['b']]),
  passing('b', [[]]),
]);

describe('messages', () => {
  sameOnBoth(
    'through an instance',
    injecting([...simple, ...tab('t', [instance('i', 'sf', [['z']]), probe('z')])], ['i', { payload: 1 }]),
  );
  sameOnBoth(
    'through two instances in a row',
    injecting(
      [
        ...simple,
        ...tab('t', [
          instance('i', 'sf', [['k']]),
          instance('k', 'sf', [['z', 'y']]),
          probe('z'),
          probe('y'),
        ]),
      ],
      ['i', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'several inputs and outputs',
    injecting(
      [
        ...template('sf', { in: [wire(['a'], ['b'])], out: [wire(['a']), wire(['b', 1], ['a']), wire()] }, [
          passing('a', [['b']]),
          probe('b', [[], []], { code: 'send([{ p: 0 }, { p: 1 }])' }),
        ]),
        ...tab('t', [instance('i', 'sf', [['x'], ['y', 'z'], ['x']]), probe('x'), probe('y'), probe('z')]),
      ],
      ['i', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'input straight to output',
    injecting(
      [
        ...template('sf', { in: [wire(['a'])], out: [wire(['sf', 0]), wire(['a'])] }, [passing('a', [[]])]),
        ...tab('t', [instance('i', 'sf', [['x'], ['y']]), probe('x'), probe('y')]),
      ],
      ['i', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'outputs of ports that the wires do not have',
    injecting(
      [
        ...template('sf', { in: [wire(['a'])], out: [wire(['a', 0]), wire(['a', 1])] }, [
          probe('a', [], { code: 'send([{ p: 0 }, { p: 1 }])' }),
        ]),
        ...tab('t', [instance('i', 'sf', [['x'], ['y']]), probe('x'), probe('y')]),
      ],
      ['i', {}],
    ),
  );
  sameOnBoth(
    'outputs and a status output that name no port',
    injecting(
      [
        ...template(
          'sf',
          {
            in: [wire(['a'])],
            out: [{ wires: [{ id: 'a' }] }, { wires: [{ id: 'a', port: null }] }, wire(['a'])],
            status: { wires: [{ id: 'a' }] },
          },
          [passing('a', [[]])],
        ),
        ...tab('t', [
          instance('i', 'sf', [['x'], ['y'], ['z']]),
          probe('x'),
          probe('y'),
          probe('z'),
          { id: 's', type: 'status', wires: [['x']] },
        ]),
      ],
      ['i', { payload: 'text' }],
    ),
  );
  sameOnBoth(
    'fewer wires than outputs',
    injecting(
      [
        ...template('sf', { in: [wire(['a'])], out: [wire(['a']), wire(['a'])] }, [passing('a', [[]])]),
        ...tab('t', [instance('i', 'sf', [['x']]), probe('x')]),
      ],
      ['i', {}],
    ),
  );
  const nested = [
    ...simple,
    ...template('mid', { in: [wire(['m1'])], out: [wire(['m2'])] }, [
      passing('m1', [['inner']]),
      instance('inner', 'sf', [['m2']]),
      passing('m2', [[]]),
    ]),
    ...template('top', { in: [wire(['p'])], out: [wire(['p'])] }, [instance('p', 'mid', [[]])]),
  ];
  sameOnBoth(
    'nested',
    injecting([...nested, ...tab('t', [instance('i', 'top', [['z']]), probe('z')])], ['i', { payload: 1 }]),
  );
  sameOnBoth(
    'junctions and catch inside',
    injecting(
      [
        ...template('sf', { in: [wire(['j'])], out: [wire(['j2'])] }, [
          { id: 'j', type: 'junction', wires: [['a', 'j2']] },
          { id: 'j2', type: 'junction', wires: [[]] },
          probe('a', [], { code: 'done("bad")' }),
          { id: 'c', type: 'catch', wires: [['j2']] },
        ]),
        ...tab('t', [instance('i', 'sf', [['z']]), probe('z')]),
      ],
      ['i', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'a disabled instance, a disabled node inside',
    injecting(
      [
        ...template('sf', { in: [wire(['a'], ['b'])], out: [wire(['a']), wire(['b'])] }, [
          passing('a', [[]], { d: true }),
          passing('b', [[]]),
        ]),
        ...tab('t', [
          passing('s', [['i', 'k']]),
          instance('i', 'sf', [['z'], ['z']]),
          instance('k', 'sf', [['z']], { d: true }),
          probe('z'),
        ]),
      ],
      ['s', { payload: 1 }],
    ),
  );
});

describe('what is inside', () => {
  const remapped = [
    ...template('sf', { in: [wire(['a'])] }, [
      probe('a', [['b']], {
        name: 'A',
        g: 'g',
        ref: 'cfg',
        list: ['b'],
        two: ['a', 'b'],
        deep: { ref: 'b' },
        num: 5,
        other: 'elsewhere',
      }),
      probe('b', []),
      { id: 'g', type: 'group', name: 'G', nodes: ['a'] },
    ]),
    { id: 'cfg', z: 'sf', type: 'config', ref: 'b' },
    { id: 'elsewhere', type: 'config' },
    ...tab('t', [instance('i', 'sf')]),
  ];
  sameOnBoth('configurations name the copies', async (rig) => {
    const flows = remapped.map((item) =>
      item.id === 'a'
        ? {
            ...item,
            init: 'record([config, node._alias, node.z, node._path, node._flow.path, node._flow.TYPE, node._flow.id])',
          }
        : item,
    );
    await rig.deploy(flows as TestFlows);
    return ['i', 'i-a', 'i-b', 'i-cfg', 'a', 'i-g', 'sf'].map((id) => [
      id,
      rig.node(id)?.id,
      rig.node(id)?.type,
    ]);
  });
  sameOnBoth('the instance as a node', async (rig) => {
    await rig.deploy([
      ...simple,
      ...tab('t', [
        instance('i', 'sf', [['z']], { name: 'I', g: 'g' }),
        probe('z'),
        { id: 'g', type: 'group', nodes: ['i'] },
      ]),
    ] as TestFlows);
    const node = rig.node('i');
    return [
      node.id,
      node.type,
      node.z,
      node.name,
      node.g,
      node._alias,
      node._path,
      node.wires,
      node._flow.TYPE,
      node._flow.path,
      node._flow.subflowDef.name,
      node._flow.flow.id,
    ];
  });
  sameOnBoth('getNode finds all', async (rig) => {
    await rig.deploy([...simple, ...tab('t', [instance('i', 'sf', [['z']]), probe('z')])] as TestFlows);
    const inner = rig.node('i-a');
    return [
      inner._flow.getNode('i-b')?.id,
      inner._flow.getNode('z')?.id,
      inner._flow.getNode('i')?.id,
      rig.node('z')._flow.getNode('i-a')?.id,
      rig.node('nothing') === null || rig.node('nothing') === undefined,
    ];
  });
});

describe('errors and statuses', () => {
  const failing = probe('a', [], {
    code: 'msg.how === "status" ? node.status({ text: "inside", fill: "red" }) : node.error("bad", msg)',
    name: 'inner',
  });
  const outside = [
    { id: 'c', type: 'catch', wires: [['seen']] },
    { id: 'n', type: 'catch', scope: ['i'], wires: [['named']] },
    { id: 'st', type: 'status', wires: [['seen']] },
    { id: 'sn', type: 'status', scope: ['i'], wires: [['named']] },
    probe('seen'),
    probe('named'),
  ];
  const insides: [string, object[], object][] = [
    ['nobody inside', [], {}],
    ['a catch node inside', [{ id: 'ic', type: 'catch', wires: [['in']] }, probe('in')], {}],
    ['a status node inside', [{ id: 'is', type: 'status', wires: [['in']] }, probe('in')], {}],
    [
      'a catch node for another inside',
      [{ id: 'ic', type: 'catch', scope: ['other'], wires: [['in']] }, probe('in')],
      {},
    ],
    [
      'a catch and a status node for it inside',
      [
        { id: 'ic', type: 'catch', scope: ['a'], wires: [['in']] },
        { id: 'is', type: 'status', scope: ['a'], wires: [['in']] },
        probe('in'),
      ],
      {},
    ],
    ['a status output', [{ id: 'is', type: 'status', scope: ['a'], wires: [[]] }], { status: wire(['is']) }],
  ];
  for (const [name, nodes, more] of insides) {
    sameOnBoth(name, async (rig) => {
      const told: unknown[] = [];
      rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
      const flows = [
        ...template('sf', { in: [wire(['a'])], ...more }, [failing, ...nodes]),
        ...tab('t', [instance('i', 'sf', [], { name: 'I' }), ...outside]),
      ];
      await injecting(flows, ['i', { how: 'error' }], ['i', { how: 'status' }])(rig);
      return told;
    });
    sameOnBoth(`${name}, nested`, async (rig) => {
      const told: unknown[] = [];
      rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
      const flows = [
        ...template('sf', { in: [wire(['a'])], ...more }, [failing, ...nodes]),
        ...template('top', { in: [wire(['p'])] }, [instance('p', 'sf')]),
        ...tab('t', [instance('i', 'top', [], { name: 'I' }), ...outside]),
      ];
      await injecting(flows, ['i', { how: 'error' }], ['i', { how: 'status' }])(rig);
      return told;
    });
  }
  sameOnBoth(
    'a loop inside',
    injecting(
      [
        ...template('sf', { in: [wire(['a'])] }, [
          probe('a', [], { code: 'record("run"); node.error("again", msg)' }),
          { id: 'c', type: 'catch', wires: [['a']] },
        ]),
        ...tab('t', [instance('i', 'sf'), { id: 'c2', type: 'catch', wires: [['z']] }, probe('z')]),
      ],
      ['i', {}],
    ),
  );
  const payloads = [
    '"text"',
    '5',
    'true',
    'null',
    '{ text: "t", fill: "red" }',
    '{}',
    '{ other: 1 }',
    '["a"]',
    '{ long: "x".repeat(60) }',
    'undefined',
    // No properties, yet something to show.
    'new Date(0)',
    'new Map([[1, 2]])',
    'new RegExp("a+b")',
    '[]',
    'Buffer.from("x")',
  ];
  for (const payload of payloads) {
    sameOnBoth(`status output given ${payload}`, async (rig) => {
      const told: unknown[] = [];
      rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
      await injecting(
        [
          ...template('sf', { in: [wire(['a'])], status: wire(['a']) }, [
            probe('a', [[]], { code: `send({ payload: ${payload}, status: msg.status })` }),
          ]),
          ...tab('t', [instance('i', 'sf'), { id: 'st', type: 'status', wires: [['z']] }, probe('z')]),
        ],
        ['i', {}],
        ['i', { status: { text: 'of status' } }],
        ['i', { status: { text: 'common.status.connected' } }],
      )(rig);
      return told;
    });
  }
  sameOnBoth('status output straight from the input', async (rig) => {
    const told: unknown[] = [];
    rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
    await injecting(
      [
        ...template('sf', { in: [wire(['a'])], status: wire(['sf', 0]) }, [probe('a', [])]),
        ...tab('t', [instance('i', 'sf')]),
      ],
      ['i', { payload: 'shown' }],
    )(rig);
    return told;
  });
  sameOnBoth(
    'complete nodes inside and outside',
    injecting(
      [
        ...template('sf', { in: [wire(['a'])], out: [wire(['a'])] }, [
          passing('a', [[]]),
          { id: 'k', type: 'complete', scope: ['a'], wires: [['in']] },
          probe('in'),
        ]),
        ...tab('t', [
          instance('i', 'sf', [['z']]),
          probe('z'),
          { id: 'k2', type: 'complete', scope: ['i'], wires: [['z']] },
        ]),
      ],
      ['i', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'groups inside',
    injecting(
      [
        ...template('sf', { in: [wire(['a'], ['b'])] }, [
          { id: 'g1', type: 'group', nodes: ['g2'] },
          { id: 'g2', type: 'group', g: 'g1', nodes: ['a'] },
          probe('a', [], { g: 'g2', code: 'node.error("a", msg)' }),
          probe('b', [], { code: 'node.error("b", msg)' }),
          { id: 'c1', type: 'catch', g: 'g1', scope: 'group', wires: [['in']] },
          { id: 'c2', type: 'catch', g: 'g2', scope: 'group', wires: [['in2']] },
          { id: 'c3', type: 'catch', uncaught: true, wires: [['in3']] },
          probe('in'),
          probe('in2'),
          probe('in3'),
        ]),
        ...tab('t', [instance('i', 'sf')]),
      ],
      ['i', { payload: 1 }],
    ),
  );
});

describe('subflow modules', () => {
  const definition = {
    id: 'modsf',
    type: 'subflow',
    name: 'Module',
    meta: { module: 'mod', type: 'mod-type' },
    in: [wire(['ma'])],
    out: [wire(['ma'])],
    env: [
      { name: 'TEXT', type: 'str', value: 'default' },
      { name: 'NUM', type: 'num', value: '1' },
      { name: 'BOOL', type: 'bool', value: 'false' },
      { name: 'JS', type: 'json', value: '{"a":1}' },
    ],
    flow: [
      {
        id: 'ma',
        type: 'probe',
        z: 'modsf',
        x: 0,
        y: 0,
        wires: [['mb']],
        code: 'msg.env = ["TEXT", "NUM", "BOOL", "JS"].map((name) => RED.util.getSetting(node, name)); node.warn("w"); send(msg); done()',
        init: 'RED.registered = true',
      },
      {
        id: 'mb',
        type: 'probe',
        z: 'modsf',
        x: 0,
        y: 0,
        wires: [],
        code: 'record([node.id, node._path, node._alias, node._flow.TYPE, msg.env]); node.error("bad", msg)',
      },
    ],
  };
  sameOnBoth('as a node type', async (rig) => {
    await rig.deploy(
      tab('t', [
        { id: 'first', type: 'probe', init: `RED.nodes.registerSubflow(${JSON.stringify(definition)})` },
      ]),
    );
    await rig.deploy(
      tab('t', [
        {
          id: 'm',
          type: 'mod-type',
          name: 'M',
          TEXT: 'own',
          NUM: 5,
          BOOL: true,
          JS: { type: 'json', value: '{"b":2}' },
          wires: [['z']],
        },
        probe('z'),
        { id: 'c', type: 'catch', wires: [['z']] },
      ]),
    );
    rig.inject('m', { _msgid: 'm', payload: 1 });
    await settle();
    const node = rig.node('m');
    return [node.type, node.id, node._flow.TYPE, rig.node('m-ma')?.id];
  });
});

describe('stopping', () => {
  const closing = (id: string) =>
    probe(id, [], {
      init: `record('open ' + node.id)`,
      close: 'record(["close", node.id, removed]); setTimeout(done, 3)',
      closeParameters: 2,
    });
  sameOnBoth('an instance closes what is inside', async (rig) => {
    const told: unknown[] = [];
    await rig.deploy([
      ...template('sf', { in: [wire(['a'])] }, [closing('a'), closing('b')]),
      ...tab('t', [instance('i', 'sf'), closing('z')]),
    ] as TestFlows);
    rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
    await rig.stop();
    return told;
  });
});
