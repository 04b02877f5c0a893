import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomChange, randomFlows } from '../../test/support/random-flows.ts';
import { piecesOf } from '../contract/flows-delta.ts';
import { ItemPlaces } from '../contract/item-places.ts';
import { FlowText, layouts } from './flow-text.ts';
import { SerialisedFlows } from './serialised-flows.ts';

const changes = fc.array(randomChange, { minLength: 1, maxLength: 4 });

describe('flows that come one after the other', () => {
  it('have the text and the revision of JSON.stringify, however they came about', () => {
    fc.assert(
      fc.property(randomFlows, changes, (first, steps) => {
        let serialised = SerialisedFlows.of(first);
        for (const step of steps) {
          const flows = step(serialised.flows);
          const next = serialised.next(flows);
          const text = JSON.stringify(flows);
          expect(String(next.serialised.text.bytes)).toBe(text);
          expect(next.serialised.rev).toBe(createHash('sha256').update(text).digest('hex'));
          expect(next.serialised.flows).toBe(flows);
          if (next.delta) expect(next.delta.base).toBe(serialised.rev);
          serialised = next.serialised;
        }
      }),
    );
  });

  it('are written with an indent as JSON.stringify does it', () => {
    fc.assert(
      fc.property(randomFlows, changes, (first, steps) => {
        let flows = first;
        let text = FlowText.of(flows, layouts.pretty);
        for (const step of steps) {
          const after = step(flows);
          text = text.next(piecesOf(new ItemPlaces(flows), after));
          expect(String(text.bytes)).toBe(JSON.stringify(after, null, 4));
          flows = after;
        }
      }),
    );
  });

  it('serialise only what changed', () => {
    let asked = 0;
    const counted = (id: string) => ({
      id,
      type: 'x',
      get name() {
        asked++;
        return id;
      },
    });
    const flows = ['a', 'b', 'c'].map(counted);
    const before = SerialisedFlows.of(flows);
    expect(asked).toBe(3);
    before.next([flows[0], { id: 'b', type: 'x', name: 'other' }, flows[2], counted('d')] as never);
    expect(asked).toBe(4);
  });
});
