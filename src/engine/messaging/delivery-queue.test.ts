import { describe, expect, it } from 'vitest';
import { DeliveryQueue } from './delivery-queue.ts';
import { type RoutableNode, Terminal } from './terminal.ts';

function terminal(id: string, isBatchable: boolean): Terminal {
  const made = new Terminal({ id } as RoutableNode, undefined);
  made.batchable = isBatchable;
  return made;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('DeliveryQueue', () => {
  it('delivers nothing within push', async () => {
    const delivered: unknown[] = [];
    const queue = new DeliveryQueue((_, message) => delivered.push(message));
    queue.push(terminal('a', true), 1);
    queue.push(terminal('b', false), 2);
    expect(delivered).toEqual([]);
    expect(queue.length).toBe(2);
    await turn();
    expect(delivered).toEqual([1, 2]);
    expect(queue.length).toBe(0);
  });

  it('lets promises and ticks run after a receiver that is not batchable', async () => {
    const order: string[] = [];
    const queue = new DeliveryQueue((to, message) => {
      order.push(`${to.node.id}${message}`);
      void Promise.resolve().then(() => order.push(`${to.node.id}${message} promise`));
    });
    const [foreign, own] = [terminal('foreign', false), terminal('own', true)];
    for (const [to, n] of [
      [own, 1],
      [own, 2],
      [foreign, 3],
      [own, 4],
    ] as const)
      queue.push(to, n);
    await turn();
    expect(order).toEqual([
      'own1',
      'own2',
      'foreign3',
      'own1 promise',
      'own2 promise',
      'foreign3 promise',
      'own4',
      'own4 promise',
    ]);
  });

  it('lets an immediate of a receiver run before what the receiver sends afterwards', async () => {
    const order: string[] = [];
    const [foreign, own] = [terminal('foreign', false), terminal('own', true)];
    const queue = new DeliveryQueue((to, message) => {
      order.push(`${to.node.id} ${message}`);
      if (to !== foreign) return;
      setImmediate(() => order.push(`immediate ${message}`));
      queue.push(own, `after ${message}`);
    });
    for (const [to, n] of [
      [own, 1],
      [foreign, 2],
      [own, 3],
      [foreign, 4],
    ] as const)
      queue.push(to, n);
    await turn();
    await turn();
    expect(order).toEqual([
      'own 1',
      'foreign 2',
      'own 3',
      'foreign 4',
      'immediate 2',
      'own after 2',
      'own after 4',
      'immediate 4',
    ]);
  });

  it('keeps order while it grows, wraps and shrinks', async () => {
    const delivered: number[] = [];
    const own = terminal('own', true);
    let more = 0;
    const queue = new DeliveryQueue((_, message) => {
      delivered.push(message as number);
      if (more < 300_000 && (message as number) % 3 === 0)
        for (let n = 0; n < 4; n++) queue.push(own, more++);
    });
    for (let n = 0; n < 700; n++) queue.push(own, more++);
    while (queue.length > 0) await turn();
    expect(delivered.length).toBe(more);
    expect(delivered.every((value, index) => value === index)).toBe(true);
  });

  for (const isBatchable of [true, false]) {
    it(`lets timers fire while messages go round for ever (${isBatchable ? 'batchable' : 'foreign'})`, async () => {
      const round = terminal('round', isBatchable);
      let stopped = false;
      const queue = new DeliveryQueue(() => {
        if (!stopped) for (let n = queue.length; n < 50; n++) queue.push(round, n);
      });
      queue.push(round, 0);
      for (let n = 0; n < 5; n++) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(queue.length).toBeGreaterThan(0);
      stopped = true;
      while (queue.length > 0) await turn();
    });
  }

  it('forgets what waits when it is cleared', async () => {
    const delivered: unknown[] = [];
    const queue = new DeliveryQueue((_, message) => delivered.push(message));
    for (let n = 0; n < 3000; n++) queue.push(terminal('a', false), n);
    queue.clear();
    expect(queue.length).toBe(0);
    queue.push(terminal('a', true), 'new');
    await turn();
    expect(delivered).toEqual(['new']);
  });

  it('takes no more than its limit, and again when there is room', async () => {
    const delivered: unknown[] = [];
    const queue = new DeliveryQueue((_, message) => delivered.push(message), 1500);
    const to = terminal('a', true);
    const taken = Array.from({ length: 2000 }, (_, n) => queue.push(to, n)).filter(Boolean).length;
    expect([taken, queue.length]).toEqual([1500, 1500]);
    expect([...queue.waiting()].map(([, message]) => message)).toEqual(
      Array.from({ length: 1500 }, (_, n) => n),
    );
    while (queue.length > 0) await turn();
    expect(queue.push(to, 'more')).toBe(true);
    await turn();
    expect(delivered.at(-1)).toBe('more');
  });
});
