import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ensurePeer } from '../../bench/peer.ts';
import type { FlowItem } from '../../src/contract/flows.ts';
import { diffFlows, type FlowDiff } from '../../src/engine/graph/diff.ts';
import { findFaults } from '../../src/engine/graph/faults.ts';
import { readFlows } from '../../src/engine/graph/flow-model.ts';
import { type FlowRig, SluiceRig, type TestFlows } from '../support/flow-rig.ts';
import { PeerRig } from '../support/peer-rig.ts';
import { quiet } from '../support/same-on-both.ts';

/** Few ids, so that things refer to each other. */
const nodeIds = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'c1', 'c2', 'g1', 'g2', 's1', 's2', 't1', 't2'];
const anyId = fc.constantFrom(...nodeIds, 'nowhere');
const holder = fc.constantFrom('t1', 't1', 't2', 's1', 's2');
const wires = fc.array(fc.array(anyId, { maxLength: 3 }), { maxLength: 2 });
const reference = fc.option(fc.oneof(anyId, fc.array(anyId, { maxLength: 2 }), fc.constant('text')), {
  nil: undefined,
});
const env = fc.option(
  fc.constantFrom([], [{ name: 'A', type: 'str', value: '1' }], [{ name: 'A', type: 'str', value: '2' }]),
  { nil: undefined },
);
const flag = fc.option(fc.boolean(), { nil: undefined, freq: 3 });

const nodeItem = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constantFrom('probe', 'probe', 'junction', 'subflow:s1', 'subflow:s2'),
    z: holder,
    x: fc.nat(3),
    y: fc.nat(3),
    wires,
    v: fc.nat(1),
    ref: reference,
    g: fc.option(fc.constantFrom('g1', 'g2'), { nil: undefined, freq: 1 }),
    d: flag,
  });
const configItem = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('config'),
    z: fc.option(holder, { nil: undefined }),
    ref: reference,
    v: fc.nat(1),
  });
const groupItem = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('group'),
    z: fc.constantFrom('t1', 't1', 's1'),
    nodes: fc.subarray(['n1', 'n2', 'n3', 'g2']),
    g: id === 'g2' ? fc.option(fc.constant('g1'), { nil: undefined, freq: 1 }) : fc.constant(undefined),
    env,
    w: fc.nat(2),
    name: fc.constantFrom('a', 'b'),
  });
const subflowItem = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('subflow'),
    name: fc.constantFrom('a', 'b'),
    env,
    in: fc.constant([]),
    out: fc.constant([]),
  });
const tabItem = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('tab'),
    label: fc.constantFrom('a', 'b'),
    disabled: flag,
    env,
  });

const itemOf = (id: string): fc.Arbitrary<object> => {
  switch (id[0]) {
    case 'n':
      return nodeItem(id);
    case 'c':
      return configItem(id);
    case 'g':
      return groupItem(id);
    case 's':
      return subflowItem(id);
    default:
      return tabItem(id);
  }
};
/** Tabs and templates are nearly always there: a wrong `z` is a case of its own, on which the peer fails. */
const someFlows = fc
  .tuple(
    ...nodeIds.map((id) =>
      fc.option(itemOf(id), { nil: undefined, freq: id[0] === 't' || id[0] === 's' ? 1000 : 4 }),
    ),
  )
  .map((items) => JSON.parse(JSON.stringify(items.filter((item) => item !== undefined))) as FlowItem[]);
/** Two configurations that share most of their items. */
const twoFlows = fc
  .tuple(someFlows, someFlows, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }))
  .map(([before, other, keep]) => {
    const after = before.filter((_, index) => keep[index % keep.length]);
    const kept = new Set(after.map((item) => item.id));
    return [before, [...after, ...other.filter((item) => !kept.has(item.id))]] as const;
  });

/** Without its tabs and templates a configuration makes the peer fail. */
const hasTabs = (flows: readonly FlowItem[]) =>
  ['t1', 't2', 's1', 's2'].every((id) => flows.some((item) => item.id === id));

const asSets = (diff: FlowDiff) =>
  Object.fromEntries(
    Object.entries(diff).map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value]),
  );

describe('random configurations', () => {
  it('differ in the same', async () => {
    const rig = await PeerRig.open();
    const require = createRequire(ensurePeer());
    const peer = require('@node-red/runtime/lib/flows/util') as {
      parseConfig(flows: unknown): object;
      diffConfigs(before: object, after: object): FlowDiff;
    };
    fc.assert(
      fc.property(
        twoFlows.filter((both) => both.every(hasTabs)),
        ([before, after]) => {
          const copy = (flows: unknown) => JSON.parse(JSON.stringify(flows)) as FlowItem[];
          const theirs = peer.diffConfigs(peer.parseConfig(copy(before)), peer.parseConfig(copy(after)));
          const ours = diffFlows(readFlows(copy(before)), readFlows(copy(after)));
          expect(asSets(ours)).toEqual(asSets(theirs));
        },
      ),
      { numRuns: 3000 },
    );
    await rig.close();
  });
});

/** Nodes that say when they are made and closed. */
const living = (flows: readonly FlowItem[]) =>
  flows.map((item) => ({
    ...item,
    ...(item.type === 'probe' || item.type === 'config' ? { type: 'probe', code: '' } : {}),
    init: "record(['open', node.id])",
    close: "record(['close', node.id, removed]); done()",
    closeParameters: 2,
    // Config nodes in a circle keep the peer from starting.
    ...(item.type === 'config' ? { ref: item.id === 'c2' ? 'c1' : undefined } : {}),
  })) as unknown as TestFlows;

/** What a deploy closes, in any order, and then opens, in this order. */
function restarts(seen: unknown[]): unknown[] {
  const all = seen.splice(0) as [what: string, ...rest: unknown[]][];
  const closed = all.filter(([what]) => what === 'close').map((entry) => JSON.stringify(entry));
  return [closed.sort(), all.filter(([what]) => what === 'open')];
}

describe('random deploys', () => {
  it('restart the same', async () => {
    const canRun = (flows: readonly FlowItem[]) => findFaults(flows, readFlows(flows)) === undefined;
    const modes = fc.constantFrom('full' as const, 'flows' as const, 'nodes' as const);
    await fc.assert(
      fc.asyncProperty(
        twoFlows.filter((both) => both.every((flows) => hasTabs(flows) && canRun(flows))),
        modes,
        async ([before, after], mode) => {
          const outcomes = [];
          for (const open of [SluiceRig.open, PeerRig.open]) {
            const rig = await open();
            const outcome: unknown[] = [];
            for (const flows of [before, after, before]) {
              await rig.deploy(living(flows), { mode });
              outcome.push(restarts(rig.seen));
            }
            await rig.stop();
            outcome.push(restarts(rig.seen));
            outcomes.push(outcome);
            await rig.close();
          }
          expect(outcomes[0]).toEqual(outcomes[1]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** A storm of messages is cut at the same point on both sides. */
const cut = 'RED.count = (RED.count || 0) + 1; if (RED.count > 300) return; record([node.id, msg.n, msg.k]);';

/** What a probe does with a message: sends as its code says, fewer times each time round. */
const behaviours = [
  'if (msg.n > 0) { msg.n--; send(msg) } done()',
  'if (msg.n > 0) send([{ ...msg, n: msg.n - 1 }, { ...msg, n: 0 }]); done()',
  'if (msg.n > 0) send([[{ ...msg, n: msg.n - 1, k: 1 }, { ...msg, n: 0, k: 2 }]])',
  'if (msg.n > 0) Promise.resolve().then(() => { send({ ...msg, n: msg.n - 1 }); done() })',
  'if (msg.n > 0) process.nextTick(() => { send({ ...msg, n: msg.n - 1 }); done() })',
  'if (msg.n % 2) { msg.n--; node.error("odd", msg) } else if (msg.n > 0) { msg.n--; send(msg) }',
  'if (msg.n > 1) throw new Error("large"); done()',
  'node.status({ text: String(msg.n) }); if (msg.n > 0) { msg.n--; send(msg) }',
  'msg.n = (msg.n || 0) - 2; if (msg.n > 0) send(msg); done(msg.n % 3 ? undefined : "third")',
];
const runningIds = ['a', 'b', 'c', 'd', 'e', 'f', 'k', 'l', 'm', 'o', 'p', 'q'];
const target = fc.constantFrom(...runningIds, 'inst', 'j1', 'j2', 'lo', 'nowhere');
/** Every loop goes through a probe, which cuts it. */
const probeTarget = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'inst', 'nowhere');
const innerProbe = fc.constantFrom('x', 'y', 'z');
const innerTarget = fc.constantFrom('x', 'y', 'z', 'xj');
const probeItem = (id: string, ends: fc.Arbitrary<string>) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('probe'),
    x: fc.constant(0),
    y: fc.constant(0),
    code: fc.constantFrom(...behaviours).map((code) => `${cut} ${code}`),
    wires: fc.array(fc.array(ends, { maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    g: fc.option(fc.constantFrom('g1', 'g2'), { nil: undefined, freq: 1 }),
  });
const passItem = (id: string, type: string, ends: fc.Arbitrary<string>) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant(type),
    x: fc.constant(0),
    y: fc.constant(0),
    wires: fc.array(fc.array(ends, { maxLength: 2 }), { minLength: 1, maxLength: 1 }),
  });
const watchItem = (id: string, type: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant(type),
    x: fc.constant(0),
    y: fc.constant(0),
    wires: fc.array(fc.array(probeTarget, { maxLength: 2 }), { minLength: 1, maxLength: 1 }),
    scope:
      type === 'complete'
        ? fc.subarray(['a', 'b', 'c', 'd', 'e', 'f', 'j1', 'li', 'lo', 'p', 'q'])
        : fc.oneof(fc.constant(null), fc.constant('group'), fc.subarray([...runningIds, 'inst'])),
    uncaught: flag,
    g: fc.option(fc.constantFrom('g1', 'g2'), { nil: undefined, freq: 1 }),
  });
const runningFlows = fc
  .tuple(
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => probeItem(id, target)),
    passItem('j1', 'junction', probeTarget),
    passItem('j2', 'junction', fc.oneof(probeTarget, fc.constant('j1'))),
    passItem('inst', 'subflow:sf', probeTarget),
    passItem('li', 'link in', probeTarget),
    ...['k', 'l'].map((id) => watchItem(id, 'catch')),
    watchItem('m', 'status'),
    watchItem('o', 'complete'),
    ...['x', 'y', 'z'].map((id) =>
      probeItem(id, innerTarget).map((item) => ({ ...item, z: 'sf', g: undefined })),
    ),
    passItem('xj', 'junction', innerProbe).map((item) => ({ ...item, z: 'sf' })),
  )
  .map((items) => [
    { id: 't', type: 'tab', label: 'T' },
    { id: 'g1', type: 'group', z: 't', nodes: [] },
    { id: 'g2', type: 'group', z: 't', g: 'g1', nodes: [] },
    {
      id: 'sf',
      type: 'subflow',
      name: 'SF',
      in: [{ wires: [{ id: 'x' }] }],
      out: [
        {
          wires: [
            { id: 'y', port: 0 },
            { id: 'xj', port: 0 },
          ],
        },
      ],
    },
    { id: 'lo', type: 'link out', z: 't', x: 0, y: 0, links: ['li'], wires: [] },
    ...items.map((item) => ({ z: 't', ...item })),
  ]);

async function trace(rig: FlowRig, flows: unknown, n: number, watched: boolean): Promise<unknown[]> {
  await rig.deploy(JSON.parse(JSON.stringify(flows)) as TestFlows);
  if (watched) watch(rig);
  rig.inject('a', { _msgid: 'm', n });
  await quiet(rig);
  return [...rig.seen];
}

/** Records every delivery; a storm is cut at the same point on both sides. */
function watch(rig: FlowRig): void {
  rig.hooks.add(
    'onReceive',
    ({ msg, destination }: { msg: { n?: unknown; k?: unknown }; destination: { id: string } }) => {
      if (rig.seen.length > 400) return false;
      rig.seen.push([destination.id, msg.n, msg.k]);
      return undefined;
    },
  );
}

describe('random flows', () => {
  it.each([
    ['later', {}],
    ['within send', { runtimeSyncDelivery: true }],
  ])('deliver the same messages in the same order, %s', async (_, settings) => {
    await fc.assert(
      fc.asyncProperty(
        runningFlows,
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (flows, n, watched) => {
          const outcomes = [];
          for (const open of [SluiceRig.open, PeerRig.open]) {
            const rig = await open({ settings });
            outcomes.push(await trace(rig, flows, n, watched));
            await rig.close();
          }
          expect(outcomes[0]).toEqual(outcomes[1]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
