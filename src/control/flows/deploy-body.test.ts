import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomChange, randomFlows } from '../../../test/support/random-flows.ts';
import type { FlowConfig } from '../../contract/flows.ts';
import { SerialisedFlows } from '../../storage/serialised-flows.ts';
import { parseDeployBody } from './deploy-body.ts';

const wrapped = (flows: FlowConfig): readonly string[] => {
  const text = JSON.stringify(flows);
  return [
    text,
    `${text}\n`,
    JSON.stringify(flows, null, 2),
    `{"flows":${text}}`,
    `{"flows":${text},"rev":"abc","credentials":{"a":{"b":"]}"}}}`,
    `{"rev":"abc","flows":${text}}`,
    `{"flows":${text},"flows":[]}`,
    `{"flows":${text},"rev":null}{}`,
    `\ufeff{"flows":${text}}`,
  ];
};
const outcomeOf = (parse: () => unknown) => {
  try {
    return { value: parse() };
  } catch (error) {
    return { error: (error as Error).message };
  }
};
/** What there is to compare with: the whole body, parsed. */
const whole = (body: Buffer) => outcomeOf(() => JSON.parse(body.toString()));
const byItems = (body: Buffer, known: FlowConfig) =>
  outcomeOf(() => parseDeployBody(body, SerialisedFlows.of(known), JSON.parse));

describe('the body of a deploy', () => {
  it('is what parsing it as a whole gives, or is refused alike', () => {
    fc.assert(
      fc.property(randomFlows, randomChange, (known, change) => {
        for (const text of wrapped(change(known))) {
          const body = Buffer.from(text);
          expect(byItems(body, known)).toEqual(whole(body));
        }
      }),
    );
  });

  it('is read no more leniently where something is wrong with it', () => {
    const harm = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.constantFrom('', '{', '}', '[', ']', ',', '"', '\\', ':', ' ', 'x', '\xff'),
    });
    fc.assert(
      fc.property(randomFlows, randomChange, harm, (known, change, { at, cut, put }) => {
        for (const text of wrapped(change(known))) {
          const bytes = Buffer.from(text);
          const place = at % (bytes.length + 1);
          const body = Buffer.concat([
            bytes.subarray(0, place),
            Buffer.from(put, 'latin1'),
            bytes.subarray(place + cut),
          ]);
          expect(byItems(body, known)).toEqual(whole(body));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives the known object for each item with the same text, wherever it is', () => {
    const known = Array.from({ length: 9 }, (_, i) => ({ id: `n${i}`, type: 'x', name: `${i}` }));
    const changed = { ...known[1], name: 'other' };
    const sent = [{ id: 'new', type: 'x' }, known[3], known[0], changed, known[2], ...known.slice(5)];
    const read = parseDeployBody(
      Buffer.from(JSON.stringify({ flows: sent, rev: 'r' })),
      SerialisedFlows.of(known),
      JSON.parse,
    ) as { flows: FlowConfig };
    expect(read).toEqual({ flows: sent, rev: 'r' });
    const places = read.flows.map((item) => (known as FlowConfig).indexOf(item));
    expect(places).toEqual([-1, 3, 0, -1, 2, 5, 6, 7, 8]);
  });

  it('parses no text but that of new items', () => {
    const known = Array.from({ length: 3 }, (_, i) => ({ id: `n${i}`, type: 'x' }));
    const parsed: string[] = [];
    parseDeployBody(
      Buffer.from(JSON.stringify([known[0], { id: 'n1', type: 'y' }, known[2]])),
      SerialisedFlows.of(known),
      (text) => {
        parsed.push(text);
        return JSON.parse(text);
      },
    );
    expect(parsed).toEqual(['[{"id":"n1","type":"y"}]']);
  });
});
