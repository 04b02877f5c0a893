import { describe } from 'vitest';
import { type FlowRig, settle, type TestFlows } from '../support/flow-rig.ts';
import { quiet, type Scenario, sameOnBoth, tab } from '../support/same-on-both.ts';

/** Records when it is made and closed. */
const life = (id: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: 'probe',
  x: 0,
  y: 0,
  wires,
  init: "record(['open', node.id, config.v])",
  code: "record(['in', node.id, config.v, msg.payload]); send(msg)",
  close: "record(['close', node.id, removed]); done()",
  closeParameters: 2,
  ...more,
});
const config = (id: string, more: object = {}) => {
  const { x: _, y: __, ...item } = life(id);
  return { ...item, ...more };
};
const group = (id: string, nodes: string[], more: object = {}) => ({ id, type: 'group', nodes, ...more });

/** Deploys one configuration after the other; gives the events, with the diffs as sets. */
function moves(
  mode: 'full' | 'flows' | 'nodes',
  ...steps: (TestFlows | ((rig: FlowRig) => unknown))[]
): Scenario {
  return async (rig) => {
    const told: unknown[] = [];
    for (const name of ['flows:starting', 'flows:started', 'flows:stopping', 'flows:stopped']) {
      rig.events.on(name, ({ type, diff, config: { flows } }) =>
        told.push([name, type, flows.length, sorted(diff)]),
      );
    }
    try {
      for (const step of steps) {
        rig.seen.push('step');
        if (typeof step === 'function') await step(rig);
        else await rig.deploy(step, { mode });
        await settle(3);
      }
    } finally {
      for (const name of ['flows:starting', 'flows:started', 'flows:stopping', 'flows:stopped'])
        rig.events.removeAllListeners(name);
    }
    // Closing order within a step is not promised; opening order is.
    rig.seen.splice(0, rig.seen.length, ...inOrder(rig.seen));
    return [
      told,
      rig.published.map(({ topic, data }) => [topic, { ...(data as object), revision: undefined }]),
    ];
  };
}

function sorted(diff: unknown): unknown {
  if (typeof diff !== 'object' || diff === null) return diff;
  return Object.fromEntries(
    Object.entries(diff).map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value]),
  );
}

function inOrder(seen: readonly unknown[]): unknown[] {
  const steps: unknown[][] = [];
  for (const entry of seen) {
    if (entry === 'step') steps.push([]);
    else steps.at(-1)?.push(entry);
  }
  return steps.map((step) => {
    const isClose = (entry: unknown) => Array.isArray(entry) && entry[0] === 'close';
    const closed = step
      .filter(isClose)
      .map((entry) => JSON.stringify(entry))
      .sort();
    return [closed, step.filter((entry) => !isClose(entry))];
  });
}

const change = (flows: TestFlows, id: string, more: object): TestFlows =>
  flows.map((item) => (item.id === id ? { ...item, ...more } : item));
const drop = (flows: TestFlows, ...ids: string[]): TestFlows =>
  flows.filter((item) => !ids.includes(item.id));

const base: TestFlows = [
  config('gcfg') as never,
  ...tab('t', [
    life('a', [['b']]),
    life('b', [['c']]),
    life('c'),
    life('lone'),
    life('uses', [], { cfg: 'gcfg' }),
    life('usesLocal', [['lone2']], { cfg: 'lcfg' }),
    life('lone2'),
    life('list1', [], { scope: ['a'] }),
    life('list2', [], { scope: ['a', 'b'] }),
    group('g1', ['m1', 'g2']),
    group('g2', ['m2'], { g: 'g1' }),
    life('m1', [], { g: 'g1' }),
    life('m2', [], { g: 'g2' }),
    life('i', [['j']], { type: 'subflow:sf', env: [{ name: 'E', type: 'str', value: '1' }] }),
    life('j'),
    { id: 'lo', type: 'link out', links: ['li'] },
    { id: 'cm', type: 'comment' },
  ]),
  { ...config('lcfg'), z: 't', other: 'gcfg' } as never,
  ...tab('u', [
    life('v', [['w']]),
    life('w'),
    { id: 'li', type: 'link in', links: ['lo'], wires: [['w']] },
    life('k', [], { type: 'subflow:outer' }),
  ]),
  ...tab('off', [life('x')], { disabled: true }),
  {
    id: 'sf',
    type: 'subflow',
    name: 'SF',
    in: [{ wires: [{ id: 'sa' }] }],
    out: [{ wires: [{ id: 'sa', port: 0 }] }],
    env: [],
  },
  ...[life('sa', [['sb']]), life('sb'), group('sg', ['sb'])].map((node) => ({ ...node, z: 'sf' })),
  { id: 'outer', type: 'subflow', name: 'Outer', in: [{ wires: [{ id: 'oi' }] }], out: [] },
  { ...life('oi', [], { type: 'subflow:sf' }), z: 'outer' },
] as TestFlows;

const changes: [string, TestFlows][] = [
  ['nothing', base],
  ['a node', change(base, 'b', { v: 2 })],
  [
    'positions, labels of a tab',
    change(change(base, 'b', { x: 100, y: 5 }), 't', { label: 'other', info: 'i' }),
  ],
  ['a wire', change(base, 'a', { wires: [['c']] })],
  ['a wire and a property', change(base, 'a', { wires: [['c']], v: 2 })],
  ['a node is gone', drop(base, 'b')],
  ['a node is new', [...base, { ...life('n', [['a']]), z: 't' } as never]],
  ['a node is disabled', change(base, 'b', { d: true })],
  ['a global config node', change(base, 'gcfg', { v: 2 })],
  ['a config node of the tab', change(base, 'lcfg', { v: 2 })],
  ['a config node is gone', drop(base, 'gcfg')],
  ['a tab is gone', drop(base, 'u', 'v', 'w', 'li', 'k')],
  ['a tab is disabled', change(base, 't', { disabled: true })],
  ['a tab is disabled by any true value', change(base, 't', { disabled: 'yes' })],
  ['a tab is enabled by any false value', change(base, 'off', { disabled: 0 })],
  ['a tab is enabled', change(base, 'off', { disabled: false })],
  ['a tab is new', [...base, ...tab('new', [life('n1', [['n2']]), life('n2')])]],
  ["a tab's env", change(base, 't', { env: [{ name: 'A', type: 'str', value: '1' }] })],
  ["a node's tab", change(base, 'c', { z: 'u' })],
  ["a group's env", change(base, 'g1', { env: [{ name: 'A', type: 'str', value: '1' }] })],
  ["an inner group's env", change(base, 'g2', { env: [{ name: 'A', type: 'str', value: '1' }] })],
  ["a group's size, style and members", change(base, 'g1', { w: 5, style: {}, nodes: ['m1', 'g2', 'lone'] })],
  ['a group is gone', change(change(drop(base, 'g1'), 'm1', { g: undefined }), 'g2', { g: undefined })],
  ['a node comes into a group', change(base, 'lone', { g: 'g1' })],
  ["a template's node", change(base, 'sb', { v: 2 })],
  ["a template's wires", change(base, 'sa', { wires: [[]] })],
  ["a template's node is gone", drop(base, 'sb')],
  ["a template's node is new", [...base, { ...life('sc'), z: 'sf' } as never]],
  ["a template's env", change(base, 'sf', { env: [{ name: 'E', type: 'str', value: '2' }] })],
  ["a template's group", change(base, 'sg', { name: 'other' })],
  ["a template's position of the input", change(base, 'sf', { in: [{ x: 5, y: 5, wires: [{ id: 'sa' }] }] })],
  ['an outer template', change(base, 'outer', { name: 'Other' })],
  ["an instance's env", change(base, 'i', { env: [{ name: 'E', type: 'str', value: '3' }] })],
  ["an instance's wires", change(base, 'i', { wires: [['lone']] })],
  ['a link', change(base, 'lo', { links: [] })],
  ['a global-config', [...base, { id: 'gc', type: 'global-config', env: [] }]],
  [
    'everything at once',
    change(drop(change(change(base, 'a', { v: 2 }), 'v', { wires: [] }), 'lone'), 'sf', { info: 'x' }),
  ],
];

/** Everybody who receives says so. */
const everywhere = async (rig: FlowRig): Promise<void> => {
  for (const id of ['a', 'v', 'i', 'lo', 'k', 'usesLocal'])
    rig.node(id)?.receive({ _msgid: 'm', payload: id });
  await settle(12);
};

for (const mode of ['full', 'flows', 'nodes'] as const) {
  describe(`deploy of type ${mode}`, () => {
    for (const [name, next] of changes) {
      sameOnBoth(name, moves(mode, base, next, everywhere));
      if (name !== 'nothing') sameOnBoth(`${name}, and back`, moves(mode, next, base, everywhere));
    }
  });
}

describe('start and stop', () => {
  sameOnBoth(
    'stop, deploy while stopped, start',
    moves(
      'nodes',
      base,
      (rig) => rig.stop(),
      change(base, 'a', { v: 2 }),
      (rig) => rig.start(),
      everywhere,
    ),
  );
  sameOnBoth(
    'missing types',
    async (rig) => {
      const flows = tab('t', [
        life('a'),
        life('late', [], { type: 'late' }),
        life('no', [], { type: 'subflow:none', d: true }),
      ]);
      await rig.deploy(flows);
      rig.seen.push(rig.published.splice(0));
      await rig.deploy(drop(flows, 'no'), { mode: 'nodes' });
      rig.seen.push(
        rig.published
          .splice(0)
          .map(({ topic, data }) => [topic, { ...(data as object), revision: undefined }]),
      );
      rig.register('late');
      await settle(30);
      rig.seen.push(rig.published.splice(0));
      return [rig.node('a')?.id, rig.node('late')?.id];
    },
    { without: ['late'] },
  );
  sameOnBoth('a constructor that throws', async (rig) => {
    await rig.deploy(
      tab('t', [
        life('a', [['bad', 'b']]),
        life('bad', [], { init: 'throw new Error("no start")' }),
        life('b'),
      ]),
    );
    rig.inject('a', { _msgid: 'm' });
    await settle();
    return [rig.node('bad') === undefined || rig.node('bad') === null, rig.node('b').id];
  });
  sameOnBoth('the order of config nodes', async (rig) => {
    await rig.deploy([
      config('c1', { ref: 'c3' }),
      config('c2'),
      config('c3', { ref: ['c4'] }),
      config('c4'),
      config('c5', { ref: 'c2', d: true }),
      config('c6', { ref: 'c5' }),
      ...tab('t', [life('n', [], { ref: 'l1' })]),
      { ...config('l1', { ref: 'l2' }), z: 't' },
      { ...config('l2', { ref: 'c1' }), z: 't' },
    ] as never);
  });
  sameOnBoth('what users config nodes have', async (rig) => {
    await rig.deploy([
      { ...config('c1'), init: 'record(config)' },
      { ...config('c2', { ref: 'c1' }), init: 'record(config)' },
      ...tab('t', [life('n', [], { ref: 'c1', other: 'c1' }), life('m', [], { list: ['c1'], d: true })]),
      { ...config('l1', { ref: 'c1' }), z: 't', init: 'record(config)' },
    ] as never);
  });
  sameOnBoth('nodes without a home', async (rig) => {
    await rig.deploy([
      life('nowhere'),
      { ...life('implied', [['n']]), z: 'unknown' },
      ...tab('t', [life('n')]),
    ] as never);
    rig.node('implied')?.receive({ _msgid: 'm' });
    await settle();
    return [rig.node('nowhere')?.id, rig.node('implied')?.id, rig.node('implied')?._path];
  });
  sameOnBoth('each node', async (rig) => {
    await rig.deploy([
      ...base,
      { ...life('teller'), z: 't', init: 'RED.nodes.eachNode((item) => record([item.id, item.type]))' },
    ] as never);
  });
  sameOnBoth('context goes with its node', async (rig) => {
    const counting = life('n', [], {
      init: 'record(["before", node.context().get("n"), node.context().flow.get("n"), node.context().global.get("n")])',
      code: 'for (const c of [node.context(), node.context().flow, node.context().global]) c.set("n", (c.get("n") || 0) + 1)',
    });
    const flows = (v: number, more: object[] = []) => tab('t', [{ ...counting, v }, ...more]);
    await rig.deploy(flows(1));
    rig.inject('n', {});
    await rig.deploy(flows(2), { mode: 'nodes' });
    rig.inject('n', {});
    await rig.deploy(flows(2, [life('x')]), { mode: 'nodes' });
    await rig.deploy(flows(2, [life('x')]), { mode: 'full' });
    await rig.deploy(tab('u', [counting]));
    await rig.deploy(flows(3));
  });
});

describe('close', () => {
  for (const closeParameters of [0, 1, 2, 3]) {
    sameOnBoth(`a handler with ${closeParameters} parameters`, async (rig) => {
      const flows = tab('t', [
        life('n', [], {
          close:
            'record(["close", typeof removed, removed, typeof done]); if (typeof done === "function") setTimeout(done, 4)',
          closeParameters,
        }),
      ]);
      await rig.deploy(flows);
      await rig.deploy(change(flows, 'n', { v: 2 }), { mode: 'nodes' });
      await rig.deploy(drop(flows, 'n'), { mode: 'nodes' });
    });
  }
  sameOnBoth('handlers that throw', async (rig) => {
    const flows = tab('t', [
      life('a', [], { close: 'record("a"); throw new Error("no")', closeParameters: 0 }),
      life('b', [], { close: 'record("b"); throw new Error("no")', closeParameters: 1 }),
      life('c', [], {
        init: 'node.on("close", () => record("second")); node.on("close", (done) => { record("third"); done(); done() })',
        close: 'done()',
        closeParameters: 1,
      }),
    ]);
    await rig.deploy(flows);
    await rig.stop();
    // What they throw is in our log; the peer says nothing of it.
    rig.logged.length = 0;
  });
  sameOnBoth('a close method of the type', async (rig) => {
    await rig.deploy(
      tab('t', [
        life('a', [], { init: 'node.close = () => { record("own close") }' }),
        life('b', [], { init: 'node.close = () => Promise.reject(new Error("rejected"))' }),
        life('c', [], { init: 'node.close = () => { throw new Error("thrown") }' }),
      ]),
    );
    await rig.stop();
  });
  sameOnBoth(
    'a node that does not close in time',
    async (rig) => {
      const flows = tab('t', [
        life('slow', [], { close: 'record("closing")', closeParameters: 1 }),
        life('b'),
      ]);
      await rig.deploy(flows);
      await rig.deploy(change(flows, 'slow', { v: 2, closeParameters: 0 }), { mode: 'nodes' });
      return rig.node('slow').id;
    },
    { settings: { nodeCloseTimeout: 30 } },
  );
  sameOnBoth('messages to a node that is closing or closed', async (rig) => {
    const flows = tab('t', [
      life('s', [['n']], { code: 'send({ payload: msg.payload })' }),
      life('n', [], { close: 'RED.closing = node; node.send({}); setTimeout(done, 10)', closeParameters: 1 }),
    ]);
    await rig.deploy(flows);
    rig.inject('s', { payload: 'queued before' });
    const stopping = rig.deploy(change(flows, 'n', { v: 2 }), { mode: 'nodes' });
    await settle(1);
    rig.inject('s', { payload: 'while closing' });
    await stopping;
    rig.inject('s', { payload: 'after' });
    await settle();
  });
  sameOnBoth('statuses of removed nodes', async (rig) => {
    const told: unknown[] = [];
    const flows = tab('t', [life('n', [], { init: 'node.status("here")', closeParameters: 0, close: '' })]);
    await rig.deploy(flows);
    rig.events.on('node-status', (event) => told.push(JSON.parse(JSON.stringify(event))));
    await rig.deploy(change(flows, 'n', { v: 2 }), { mode: 'nodes' });
    await rig.deploy(drop(flows, 'n'), { mode: 'nodes' });
    return told;
  });
});

describe('a message that is sent after its node has closed', () => {
  const late = {
    code: "record(['took', node.id]); RED.events.once('late', () => { send(msg); done() })",
  };
  const flows = (v: number): TestFlows =>
    [
      ...tab('t', [
        life('w', [['c', 'i', 'lo']], { ...late, v }),
        life('c'),
        life('i', [['c']], { type: 'subflow:sf' }),
        { id: 'lo', type: 'link out', links: ['li'] },
      ]),
      ...tab('u', [{ id: 'li', type: 'link in', links: ['lo'], wires: [['d']] }, life('d')]),
      { id: 'sf', type: 'subflow', in: [{ wires: [{ id: 'x' }] }], out: [{ wires: [{ id: 'y', port: 0 }] }] },
      { ...life('x', [['y']], { ...late, v }), z: 'sf' },
      { ...life('y', [[]]), z: 'sf' },
    ] as TestFlows;
  for (const mode of ['full', 'flows', 'nodes'] as const) {
    for (const to of ['w', 'i']) {
      for (const [what, next] of [
        ['the same', flows(1)],
        ['other nodes', flows(2)],
        ['another env of the tab', change(flows(1), 't', { env: [{ name: 'A', type: 'str', value: '1' }] })],
      ] as const) {
        sameOnBoth(`${mode}, from ${to}, ${what}`, async (rig) => {
          await rig.deploy(flows(1));
          rig.inject(to, { _msgid: 'm' });
          await quiet(rig);
          rig.seen.push('step');
          await rig.deploy(next, { mode });
          // What took a message sends it on only now; and what takes that one, after it.
          for (let round = 0; round < 3; round++) {
            rig.events.emit('late');
            await quiet(rig);
          }
          rig.events.removeAllListeners('late');
          rig.seen.splice(0, rig.seen.length, ...inOrder(['step', ...rig.seen]));
        });
      }
    }
  }
});
