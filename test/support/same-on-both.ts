import { expect, it } from 'vitest';
import { type FlowRig, type RigOptions, SluiceRig, settle, type TestFlows } from './flow-rig.ts';
import { PeerRig } from './peer-rig.ts';

/** What a scenario does on a rig; what it returns is compared, with what the probe nodes recorded. */
export type Scenario = (rig: FlowRig) => Promise<unknown>;

/** Defines a test that runs a scenario on our flows and on the peer's, and compares the outcomes. */
export function sameOnBoth(name: string, scenario: Scenario, options: RigOptions = {}): void {
  it(name, async () => {
    const outcome = [];
    for (const open of [() => SluiceRig.open(options), () => PeerRig.open(options)]) {
      const rig = await open();
      try {
        const returned = await scenario(rig);
        outcome.push(plain({ returned, seen: rig.seen, said: said(rig) }));
      } finally {
        await rig.close();
      }
    }
    const [ours, theirs] = outcome as [{ seen: unknown[]; returned?: unknown; said: unknown[] }, unknown];
    // A scenario in which nothing happens compares nothing.
    expect(ours.seen.length + ours.said.length > 0 || ours.returned !== undefined).toBe(true);
    expect(ours).toEqual(theirs);
  });
}

/** Deploys flows, injects messages one after the other, and waits. */
export function injecting(flows: TestFlows, ...messages: [id: string, message: object][]): Scenario {
  return async (rig) => {
    await rig.deploy(flows);
    for (const [id, message] of messages) {
      rig.inject(id, { _msgid: 'm', ...structuredClone(message) });
      await quiet(rig);
    }
  };
}

/** Waits until nothing has happened for a while: a busy machine may take long over a loop of messages. */
export async function quiet(rig: FlowRig): Promise<void> {
  let before = -1;
  for (let calm = 0; calm < 3; calm++) {
    await settle(6);
    const now = rig.seen.length + rig.logged.length;
    if (now !== before) calm = 0;
    before = now;
  }
}

/** A tab and nodes on it; each has a place and, unless it has some, no wires. */
export function tab(id: string, nodes: readonly object[], more: object = {}): TestFlows {
  const placed = nodes.map((node) => ({ z: id, x: 0, y: 0, wires: [], ...node }));
  return [{ id, type: 'tab', label: `Label of ${id}`, ...more }, ...placed] as unknown as TestFlows;
}

/** What nodes wrote to the log: errors, warnings and information, with who and where. Texts of our own are left out. */
function said(rig: FlowRig): unknown[] {
  return rig.logged
    .filter((record) => record.level <= 40 && record['id'] !== undefined)
    .map(({ msg, ...record }) => ({ ...record, msg: textOf(msg) }));
}

function textOf(msg: unknown): unknown {
  const text = msg instanceof Error ? `${msg.name}: ${msg.message}` : msg;
  return typeof text === 'string' && ownWords.some((each) => each.test(text)) ? '(own words)' : text;
}

/** What each of the two says in its own words. */
const ownWords = [
  /^nodes\.flows?\./,
  /^A node can send objects only/,
  /^The message has failed at this node ten times/,
  /^Error stopping node/,
  /^Error evaluating env property/,
  /^Config nodes that refer/,
  /^The subflow names a node/,
  /^Unknown node referenced/,
  /^(?:Circular config|A subflow contains)/,
];

/** A comparable copy: stacks cut, random ids replaced. */
function plain(value: unknown): unknown {
  const seen = new WeakSet<object>();
  const text = JSON.stringify(value, (key, each: unknown) => {
    if (key === 'stack') return typeof each === 'string' ? each.split('\n')[0] : each;
    if (each instanceof Error) return { error: `${each.name}: ${each.message}`, ...each };
    if (typeof each === 'function') return '(function)';
    if (each === undefined && key !== 'deploy' && key !== 'revision') return '(undefined)';
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each === 'object' && each !== null) {
      if (seen.has(each)) return '(seen)';
      seen.add(each);
    }
    return each;
  });
  return JSON.parse(
    text
      .replace(/"_msgid":"[0-9a-f]{16}"/g, '"_msgid":"(new)"')
      .replace(/"id":"[0-9a-f]{28}"/g, '"id":"(call)"'),
  );
}
