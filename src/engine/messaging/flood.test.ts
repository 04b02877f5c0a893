import { describe, expect, it } from 'vitest';
import { DeliveryQueue } from './delivery-queue.ts';
import { Flood } from './flood.ts';
import { type RoutableNode, Terminal } from './terminal.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Flood', () => {
  it('is told once at its beginning, by the node that most wait for, and once at its end', async () => {
    const told: string[] = [];
    const queue = new DeliveryQueue(() => {}, 100);
    const terminal = (id: string, more: object = {}) => {
      const error = (text: unknown) => told.push(`${id}: ${text}`);
      return new Terminal({ id, type: 'some', error, ...more } as unknown as RoutableNode, undefined);
    };
    const busy = terminal('busy', { name: 'slow one', z: 'f1' });
    const hooked = terminal('hooked');
    const other = terminal('other');
    const event = {};
    const flood = new Flood({
      queue,
      receiverOf: (to, message) => (message === event ? busy.node : to.node),
      log: { warn: (text) => told.push(String(text)) },
    });
    for (let n = 0; n < 200; n++) {
      const [to, message] = n % 3 === 0 ? [other, {}] : n % 3 === 1 ? [hooked, event] : [busy, {}];
      if (!queue.push(to, message)) flood.dropped();
    }
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('busy: The message queue is full: 100 messages wait, 66 of them for this node');
    expect(told[0]).toContain('(some "slow one" busy in flow f1)');
    while (queue.length > 0) await turn();
    await expect.poll(() => told.length, { timeout: 10_000 }).toBe(2);
    expect(told[1]).toContain('100 messages were dropped');
  });
});
