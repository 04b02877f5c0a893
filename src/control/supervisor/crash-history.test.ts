import { expect, it } from 'vitest';
import { CrashHistory } from './crash-history.ts';
import type { ExitReason } from './exit-reason.ts';

const exit: ExitReason = { is: 'ended', why: 'it was told to' };
const policy = { restartDelayMs: { min: 100, max: 300 }, crashLimit: 3, crashWindowMs: 1000 };

it('a crash after the other makes the pauses longer, and the flows be left alone until it is forgotten', () => {
  const history = new CrashHistory(policy);
  expect([history.add(exit, 0), history.add(exit, 10), history.safe]).toEqual([100, 200, undefined]);
  expect(history.add(exit, 20)).toBe(300);
  expect(history.safe).toMatch(/^the engine crashed 3 times; the last time it /);
  // The first reason stays, also after more crashes, and when they grow old.
  const { safe } = history;
  expect([history.add(exit, 30), history.safe]).toEqual([300, safe]);
  expect([history.add(exit, 5000), history.safe]).toEqual([100, safe]);
  history.forget();
  expect([history.safe, history.add(exit, 5001)]).toEqual([undefined, 100]);
});
