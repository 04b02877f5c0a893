import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { trimMemoryAtRest } from './trim-memory.ts';

const youngMb = () =>
  (getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0) / 1e6;

/** Makes V8 set memory aside for young objects, as loading code does. */
function work(): void {
  let kept: object[] = [];
  for (let i = 0; i < 3_000_000; i++) {
    kept.push({ i });
    if (kept.length > 200_000) kept = [];
  }
}

describe('trimMemoryAtRest', () => {
  it('gives memory back at rest, and shows nobody the collector', async () => {
    work();
    const before = youngMb();
    expect(before).toBeGreaterThan(4);
    using _ = { [Symbol.dispose]: trimMemoryAtRest({ everyMs: 50 }) };
    for (let i = 0; i < 100 && youngMb() >= before / 2; i++) await sleep(50);
    expect(youngMb()).toBeLessThan(before / 2);
    expect('gc' in globalThis).toBe(false);
  });

  it('does nothing once it is ended', async () => {
    work();
    const before = youngMb();
    trimMemoryAtRest({ everyMs: 50 })();
    await sleep(300);
    expect(youngMb()).toBeGreaterThanOrEqual(before / 2);
  });
});
