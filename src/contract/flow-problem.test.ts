import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomChange, randomFlows } from '../../test/support/random-flows.ts';
import { findFlowProblem } from './flow-problem.ts';
import type { FlowConfig } from './flows.ts';

const isSound = (flows: FlowConfig) => findFlowProblem(flows, { duplicates: 'refused' }) === undefined;
const uniqueById = (flows: FlowConfig) => [...new Map(flows.map((item) => [item.id, item])).values()];

it('what is wrong is found, whatever is known to be sound', () => {
  const harm = fc.constantFrom(
    (flows: FlowConfig) => flows,
    (flows: FlowConfig) => [...flows, ...flows.slice(0, 1)],
    (flows: FlowConfig) => flows.map((item, i) => (i === 1 ? { ...item, id: flows[0]?.id ?? 'x' } : item)),
    (flows: FlowConfig) => flows.map((item, i) => (i === 2 ? { ...item, type: '' } : item)),
  );
  let wrong = 0;
  fc.assert(
    fc.property(randomFlows.map(uniqueById), randomChange, harm, (sound, change, spoil) => {
      fc.pre(isSound(sound));
      const flows = spoil(change(sound));
      const found = findFlowProblem(flows, { duplicates: 'refused', sound });
      expect(found).toBe(findFlowProblem(flows, { duplicates: 'refused' }));
      if (found !== undefined) wrong++;
    }),
    { numRuns: 300 },
  );
  expect(wrong).toBeGreaterThan(50);
});
