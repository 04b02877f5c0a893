import { beforeAll, describe, expect, it } from 'vitest';
import { type Kept, SideBySide } from '../support/side-by-side.ts';
import { randomCase } from './core-fuzz-flows.ts';

/** Random flows of real core nodes in real processes; `SEED` and `FLOWS` in the environment play others. */
const firstSeed = Number(process.env['SEED'] ?? 20_000);
const seeds = Array.from({ length: Number(process.env['FLOWS'] ?? 150) }, (_, index) => firstSeed + index);

let ours: Record<string, Kept>;
let theirs: Record<string, Kept>;
beforeAll(async () => {
  await using both = await SideBySide.start({ logging: { console: { level: 'off' } } });
  const played = Object.fromEntries(seeds.map((seed) => [`s${seed}`, randomCase(`s${seed}`, seed)]));
  ({ ours, theirs } = await both.play(played, 400));
});

/** The lists by their names; where branches meet, sorted. */
function comparable(kept: Kept = {}): Kept {
  return Object.fromEntries(
    Object.entries(kept).map(([name, list]) => {
      if (!name.startsWith('~') && name !== 'log') return [name, list];
      return [name, list.map((each) => inOrder(each).replace(/\(id \d+\)/g, '(id)')).sort()];
    }),
  );
}

/** As text, members by name: in which order a message got them is nobody's business. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

describe('a random flow of core nodes gives what it gives in the peer', () => {
  it.each(seeds)('seed %i', (seed) => {
    expect(comparable(ours[`s${seed}`])).toEqual(comparable(theirs[`s${seed}`]));
  });

  it('and most give something', () => {
    const lively = seeds.filter((seed) => Object.keys(theirs[`s${seed}`] ?? {}).length > 1);
    expect(lively.length).toBeGreaterThan(seeds.length * 0.8);
  });
});
