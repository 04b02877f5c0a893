import { describe, expect, it } from 'vitest';
import { afterCrash } from './crash-policy.ts';

const policy = { restartDelayMs: { min: 200, max: 1000 }, crashLimit: 3, crashWindowMs: 60_000 };

describe('what is done after a crash', () => {
  it('doubles the pause with each, up to the longest, and gives the flows up at the limit', () => {
    let crashes: readonly number[] = [];
    const seen = [0, 1, 2, 3, 4].map((n) => {
      const decision = afterCrash(crashes, n * 1000, policy);
      crashes = decision.crashes;
      return [decision.delayMs, decision.safe];
    });
    expect(seen).toEqual([
      [200, false],
      [400, false],
      [800, true],
      [1000, true],
      [1000, true],
    ]);
  });

  it('forgets crashes that are longer ago than the window', () => {
    expect(afterCrash([0, 1000], 60_500, policy)).toEqual({
      crashes: [1000, 60_500],
      delayMs: 400,
      safe: false,
    });
    expect(afterCrash([0, 1000], 61_000, policy)).toEqual({ crashes: [61_000], delayMs: 200, safe: false });
  });
});
