import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Message } from '../red.ts';
import { Calls } from './calls.ts';

const call = (n: number): [Message, () => void, () => void] => [{ n }, () => {}, () => {}];
/** Waits until the calls are over. */
const until = async (isOver: () => boolean) => {
  while (!isOver()) await sleep(2);
};

describe('calls', () => {
  it('are taken once, by ids that no other has', () => {
    const calls = new Calls(1000, () => {});
    const ids = [1, 2, 3].map((n) => calls.add(...call(n)));
    const others = new Calls(1000, () => {});
    expect(new Set([...ids, others.add(...call(1))]).size).toBe(4);
    expect(calls.take(ids[1] as string)?.message).toEqual({ n: 2 });
    expect(calls.take(ids[1] as string)).toBeUndefined();
    expect(others.take(ids[0] as string)).toBeUndefined();
    calls.close();
    others.close();
  });

  it('end in their order when their time is up, those that came later no sooner than that', async () => {
    const ended: [n: unknown, after: number][] = [];
    const began: number[] = [];
    const calls = new Calls(20, ({ message }) =>
      ended.push([message['n'], performance.now() - (began[Number(message['n'])] ?? 0)]),
    );
    for (const n of [0, 1, 2, 3]) {
      began.push(performance.now());
      const id = calls.add(...call(n));
      if (n === 1) calls.take(id);
      await sleep(8);
    }
    await until(() => ended.length === 3);
    expect(ended.map(([n]) => n)).toEqual([0, 2, 3]);
    for (const [, after] of ended) expect(after).toBeGreaterThanOrEqual(19);
  });

  it('wait as long among many others as alone, and end in their order', async () => {
    const ended: unknown[] = [];
    const calls = new Calls(50, ({ message }) => ended.push(message['n']));
    const ids = Array.from({ length: 3500 }, (_, n) => calls.add(...call(n)));
    const kept = (n: number) => n % 700 === 0;
    const taken = ids.map((id, n) => (kept(n) ? undefined : calls.take(id)?.message['n']));
    expect(taken).toEqual(ids.map((_, n) => (kept(n) ? undefined : n)));
    await until(() => ended.length === 5);
    expect(ended).toEqual([0, 700, 1400, 2100, 2800]);
    expect(ids.map((id) => calls.take(id)).every((one) => one === undefined)).toBe(true);
  });

  it('begin anew after a pause', async () => {
    let ended = 0;
    const calls = new Calls(5, () => ended++);
    calls.add(...call(1));
    await until(() => ended === 1);
    calls.add(...call(2));
    await until(() => ended === 2);
  });

  it('do not end any more once they are closed', async () => {
    let ended = 0;
    const calls = new Calls(1, () => ended++);
    calls.add(...call(1));
    calls.close();
    await sleep(10);
    expect(ended).toBe(0);
  });
});
