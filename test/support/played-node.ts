import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import helper from '../../src/testing/index.ts';
import { core, flowOf, type Message, published } from './core-node.ts';

/** A node and the messages that it is given. */
export interface NodeCase {
  readonly config: Message;
  readonly messages: readonly Message[];
  readonly outputs?: number;
}

/** What a node did, in order: what left by which output, what Catch and Complete nodes saw, what it logged. */
export type Deeds = readonly string[];

/** Plays cases with our node type and with the published one, each in an engine of its own. */
export async function playBoth(
  file: string,
  type: string,
  cases: readonly NodeCase[],
  calmMs = 5,
): Promise<{ readonly ours: readonly Deeds[]; readonly theirs: readonly Deeds[] }> {
  const ours = await play(core(file), type, cases, calmMs);
  return { ours, theirs: await play(published(file), type, cases, calmMs) };
}

/** What others find in a member of a node of our type and of the published one, as specs of node types do. */
export async function memberInBoth(
  file: string,
  type: string,
  config: Message,
  member: string,
): Promise<{ readonly ours: unknown; readonly theirs: unknown }> {
  const memberOf = async (set: ReturnType<typeof core>): Promise<unknown> => {
    try {
      await helper.load(set, flowOf(type, structuredClone(config)));
      return helper.getNode('n1')[member];
    } finally {
      await helper.unload();
    }
  };
  return { ours: await memberOf(core(file)), theirs: await memberOf(published(file)) };
}

async function play(
  set: ReturnType<typeof core>,
  type: string,
  cases: readonly NodeCase[],
  calmMs: number,
): Promise<Deeds[]> {
  const at = { z: 'tab', x: 0, y: 0 };
  const flow = cases.flatMap(({ config, outputs = 1 }, index) => {
    const id = `n${index}`;
    const outs = Array.from({ length: outputs }, (_, port) => `${id}-out${port}`);
    const ends = [...outs, `${id}-caught`, `${id}-completed`];
    return [
      { id, type, ...at, wires: outs.map((out) => [out]), ...structuredClone(config) },
      { id: `${id}-catch`, type: 'catch', ...at, scope: [id], wires: [[`${id}-caught`]] },
      { id: `${id}-complete`, type: 'complete', ...at, scope: [id], wires: [[`${id}-completed`]] },
      ...ends.map((end) => ({ id: end, type: 'helper', ...at, wires: [] })),
    ];
  });
  const deeds = cases.map((): string[] => []);
  try {
    await helper.load(set, [
      { id: 'tab', type: 'tab', env: [{ name: 'E', type: 'num', value: '5' }] },
      ...flow,
    ]);
    for (const { id } of flow.filter((item) => item.type === 'helper')) {
      const [node = '', end] = id.split('-');
      const kept = deeds[Number(node.slice(1))] as string[];
      helper.getNode(id).on('input', (message: Message) => kept.push(`${end} ${describe(message)}`));
    }
    for (const [index, { messages }] of cases.entries()) {
      const ids = messages.map((message, at) => ({ _msgid: `m${at}`, ...structuredClone(message) }));
      // A turn for each, as along a wire.
      for (const message of ids) {
        helper.getNode(`n${index}`).receive(message);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await sleep(calmMs);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const [record] of helper.log()?.args ?? []) {
      const { level, id, msg } = record as { level: number; id?: string; msg: unknown };
      const index = /^n(\d+)$/.exec(id ?? '')?.[1];
      if (index !== undefined && level <= 40) {
        deeds[Number(index)]?.push(`${level} ${msg instanceof Error ? String(msg) : inspect(msg)}`);
      }
    }
    return deeds.map((each) =>
      withoutIds(each.map((deed) => deed.replaceAll(/\n\s+at [^\n]*?(?=,?$)/gm, ''))),
    );
  } finally {
    await helper.unload();
  }
}

function describe(message: Message): string {
  const { error, ...rest } = message;
  const said = error === undefined ? {} : { error: String(error?.message ?? error) };
  return inspect({ ...rest, ...said }, { depth: 8, sorted: true, breakLength: Number.POSITIVE_INFINITY });
}

/** Replaces generated ids by their number in order of appearance. */
function withoutIds(deeds: readonly string[]): string[] {
  const seen = new Map<string, string>();
  return deeds.map((deed) =>
    deed.replaceAll(/\b[0-9a-f]{16}\b/g, (id) => {
      if (!seen.has(id)) seen.set(id, `#${seen.size}`);
      return seen.get(id) as string;
    }),
  );
}
