import { describe, expect, it } from 'vitest';
import type { FlowItem } from '../../contract/flows.ts';
import { findSubflowCycle } from './subflow-cycle.ts';

/** `{ a: ['b'] }`: subflow a holds an instance of b. */
const flows = (nesting: Record<string, string[]>): FlowItem[] =>
  Object.entries(nesting).flatMap(([id, inside]) => [
    { id, type: 'subflow' },
    ...inside.map((other) => ({ id: `${id}-${other}`, type: `subflow:${other}`, z: id })),
  ]);

describe('findSubflowCycle', () => {
  it.each([
    [{ a: ['b', 'c'], b: ['c'], c: [] }, undefined],
    [{ a: ['missing'] }, undefined],
    [{ a: ['a'] }, ['a', 'a']],
    [{ a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
    [{ x: [], a: ['x', 'b'], b: ['x', 'a'] }, ['a', 'b', 'a']],
  ])('in %j finds %j', (nesting, cycle) => {
    expect(findSubflowCycle(flows(nesting))).toEqual(cycle);
  });

  it('bears deep nesting', () => {
    const deep = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`s${i}`, [`s${i + 1}`]]));
    expect(findSubflowCycle(flows(deep))).toBeUndefined();
    expect(findSubflowCycle(flows({ ...deep, s20000: ['s0'] }))).toHaveLength(20_002);
  });
});
