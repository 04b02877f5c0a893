import { createRequire } from 'node:module';
import helper, { palette, type TestedNode } from '../../src/testing/index.ts';

/** A message as specs read it. */
// biome-ignore lint/suspicious/noExplicitAny: specs assert what a message holds
export type Message = Record<string, any>;

const require = createRequire(import.meta.url);

/** The code of a core node type as it runs in flows, by its file (`function/15-change`): our own, where there is one. */
export function core(file: string): TestedNode {
  return palette[`@node-red/nodes/core/${file}.js`] ?? published(file);
}

/** The published code of a core node type. */
export function published(file: string): TestedNode {
  return require(`@node-red/nodes/core/${file}.js`) as TestedNode;
}

/** The next messages that a node is given, once there are so many. Call it before what makes them. */
export function received(id: string, count = 1): Promise<Message[]> {
  const messages: Message[] = [];
  return new Promise((resolve) => {
    const node = helper.getNode(id);
    const take = (message: Message) => {
      messages.push(message);
      if (messages.length < count) return;
      node.removeListener('input', take);
      resolve(messages);
    };
    node.on('input', take);
  });
}

/** Gives a node a message, and waits for the message that another one is given for it. */
export async function exchange(to: string, message: Message, from = 'out'): Promise<Message> {
  const [answer] = await give(to, [message], from);
  return answer ?? {};
}

/** Gives a node messages, and waits for as many as `count` at another. */
export function give(
  to: string,
  messages: readonly Message[],
  from = 'out',
  count = messages.length,
): Promise<Message[]> {
  const answers = received(from, count);
  for (const message of messages) helper.getNode(to).receive(message);
  return answers;
}

/** A node `n1` wired to a node `out` that only receives, on a tab; more outputs lead to `out2`, `out3`, …. */
export function flowOf(type: string, config: Message, outputs = 1): Parameters<typeof helper.load>[1] {
  const names = Array.from({ length: outputs }, (_, index) => (index === 0 ? 'out' : `out${index + 1}`));
  return [
    { id: 'tab', type: 'tab' },
    { id: 'n1', type, z: 'tab', x: 0, y: 0, wires: names.map((name) => [name]), ...config },
    ...names.map((id) => ({ id, type: 'helper', z: 'tab', x: 0, y: 0, wires: [] })),
  ];
}

/** Messages that nodes logged at a level. */
export function logged(level: number): unknown[] {
  return (helper.log()?.args ?? [])
    .map(([record]) => record as { level: number; msg: unknown })
    .filter((record) => record.level === level)
    .map(({ msg }) => msg);
}
