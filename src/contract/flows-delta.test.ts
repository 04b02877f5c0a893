import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomChange, randomFlows } from '../../test/support/random-flows.ts';
import type { FlowConfig } from './flows.ts';
import { joinPieces, piecesOf } from './flows-delta.ts';
import { ItemPlaces } from './item-places.ts';

const told = (before: FlowConfig, after: FlowConfig) => piecesOf(new ItemPlaces(before), after);
const flows = ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'x' }));
const [a, b, c, d] = flows as [FlowConfig[0], FlowConfig[0], FlowConfig[0], FlowConfig[0]];

describe('a configuration told by another', () => {
  it('is that configuration again on the other side, whatever the two are', () => {
    fc.assert(
      fc.property(randomFlows, randomFlows, randomChange, (before, other, change) => {
        for (const after of [change(before), other, []]) {
          const delta = JSON.parse(JSON.stringify(told(before, after)));
          expect(joinPieces(before, delta)).toEqual(after);
        }
      }),
    );
  });

  it('names what is new, and of the rest only where it was', () => {
    const changed = { ...b, name: 'x' };
    const added = { id: 'e', type: 'x' };
    expect(told(flows, flows)).toEqual([{ is: 'kept', from: 0, count: 4 }]);
    expect(told(flows, [a, changed, c, d])).toEqual([
      { is: 'kept', from: 0, count: 1 },
      { is: 'new', items: [changed] },
      { is: 'kept', from: 2, count: 2 },
    ]);
    expect(told(flows, [added, a, b, d])).toEqual([
      { is: 'new', items: [added] },
      { is: 'kept', from: 0, count: 2 },
      { is: 'kept', from: 3, count: 1 },
    ]);
    expect(told(flows, [d, a, b, c])).toEqual([
      { is: 'kept', from: 3, count: 1 },
      { is: 'kept', from: 0, count: 3 },
    ]);
  });
});
