import fc from 'fast-check';
import type { FlowConfig, FlowItem } from '../../src/contract/flows.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '}', '{', ']', '},{', '\u2028', 'zwölf', '😀', '\ud800', '__proto__x'),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.array(text), fc.double(), fc.constant(-0));

/** An item as a client may send it; ids are few, so that they meet. */
const item: fc.Arbitrary<FlowItem> = fc
  .record({
    id: fc.oneof(
      { weight: 9, arbitrary: fc.nat(30).map((n) => `n${n}`) },
      { weight: 1, arbitrary: text.filter(Boolean) },
    ),
    type: fc.constantFrom('tab', 'change', 'group'),
    more: fc.dictionary(
      // V8 13.6 takes properties that are written with an escape, "\\"" and "\\ud800", for "\\" once it has seen that.
      text.filter(
        (name) => name.isWellFormed() && !name.includes('\\') && !['__proto__', 'id', 'type'].includes(name),
      ),
      value,
      { maxKeys: 3 },
    ),
    idFirst: fc.boolean(),
  })
  // As parsed: what JSON can't tell is not in there.
  .map(({ id, type, more, idFirst }) =>
    JSON.parse(JSON.stringify(idFirst ? { id, type, ...more } : { ...more, type, id })),
  );

/** Any flows. */
export const randomFlows: fc.Arbitrary<FlowConfig> = fc.array(item, { maxLength: 12 });

type Edit = (flows: FlowItem[]) => void;
const place = fc.nat(11);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  place.map(
    (at): Edit =>
      (flows) =>
        flows.splice(at, 1),
  ),
  fc.tuple(place, item).map(
    ([at, added]): Edit =>
      (flows) =>
        flows.splice(at, 0, added),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Edit =>
      (flows) =>
        flows.splice(to, 0, ...flows.splice(from, 1)),
  ),
  fc.tuple(place, text).map(
    ([at, name]): Edit =>
      (flows) => {
        const changed = flows[at];
        if (changed !== undefined) flows[at] = { ...changed, name };
      },
  ),
  // The same in other words.
  place.map(
    (at): Edit =>
      (flows) => {
        const same = flows[at];
        if (same !== undefined) flows[at] = structuredClone(same);
      },
  ),
);

/** What becomes of flows: items that no edit touches stay the same objects. */
export const randomChange: fc.Arbitrary<(flows: FlowConfig) => FlowConfig> = fc
  .array(edit, { maxLength: 4 })
  .map((edits) => (flows) => {
    const next = [...flows];
    for (const change of edits) change(next);
    return next;
  });
