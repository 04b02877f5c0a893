import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowItem } from '../../contract/flows.ts';
import { diffFlows, type FlowDiff } from './diff.ts';
import { readFlows } from './flow-model.ts';

type Sets = { [K in 'added' | 'changed' | 'removed' | 'rewired' | 'linked']: string[] };

/** The rules without subflows and groups, each written down as it is told. */
function expected(before: readonly FlowItem[], after: readonly FlowItem[]): Sets {
  const old = new Map(before.map((item) => [item.id, item]));
  const now = new Map(after.map((item) => [item.id, item]));
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const inBoth = [...now.values()].filter((item) => old.has(item.id) && item.type !== 'tab');
  const added = [...now.keys()].filter((id) => !old.has(id));
  const removed = new Set([...old.keys()].filter((id) => !now.has(id)));
  for (const item of inBoth) if (item['d'] && !old.get(item.id)?.['d']) removed.add(item.id);
  const strip = ({ x: _x, y: _y, wires: _w, ...rest }: FlowItem) => rest;
  const own = inBoth.filter((item) => !same(strip(item), strip(old.get(item.id) as FlowItem)));
  const rewired = inBoth
    .filter((item) => !same(item['wires'], old.get(item.id)?.['wires']))
    .map(({ id }) => id);
  const changed = new Set(own.map(({ id }) => id));
  const holders = [...added, ...changed, ...rewired].map((id) => now.get(id)?.z);
  const leftBehind = [...old.values()].filter(({ id }) => !now.has(id)).map(({ z }) => z);
  for (const z of [...holders, ...leftBehind]) if (z !== undefined && now.has(z)) changed.add(z);
  for (let before = -1; before !== changed.size; ) {
    before = changed.size;
    for (const { id, z, wires: _, ...rest } of now.values()) {
      const names = Object.values(rest).map((value) =>
        Array.isArray(value) && value.length === 1 ? value[0] : value,
      );
      if (!names.some((name) => changed.has(name as string) || removed.has(name as string))) continue;
      changed.add(id);
      if (z !== undefined && now.has(z)) changed.add(z);
    }
  }
  const touched = new Set([...added, ...changed, ...removed, ...rewired]);
  const reached = new Set(touched);
  // A wire to nothing leads nowhere, but does begin somewhere.
  const wires = [before, after].flatMap((flows) =>
    flows.flatMap(({ id, wires }) =>
      ((wires ?? []) as string[][])
        .flat()
        .map((end) => [id, end, flows.some((item) => item.id === end)] as const),
    ),
  );
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const [from, to, isThere] of wires) {
      if (reached.has(from)) reached.add(to);
      else if (isThere && reached.has(to)) reached.add(from);
    }
  }
  const known = new Set([...old.keys(), ...now.keys()]);
  const linked = [...reached].filter((id) => !touched.has(id) && known.has(id));
  return { added, changed: [...changed], removed: [...removed], rewired, linked };
}

const ids = ['a', 'b', 'c', 'd', 'e'];
const end = fc.constantFrom(...ids);
const item = (id: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant('probe'),
    z: fc.constantFrom('t', 'u'),
    x: fc.nat(2),
    y: fc.nat(2),
    v: fc.nat(1),
    wires: fc.array(fc.array(end, { maxLength: 2 }), { maxLength: 2 }),
    ref: fc.option(fc.oneof(end, fc.array(end, { maxLength: 2 })), { nil: null }),
    d: fc.option(fc.boolean(), { nil: null, freq: 3 }),
  });
const tabs = [
  { id: 't', type: 'tab' },
  { id: 'u', type: 'tab' },
];
const flows = fc
  .tuple(...ids.map((id) => fc.option(item(id), { nil: undefined, freq: 4 })))
  .map((items) => [...tabs, ...items.filter((each) => each !== undefined)] as FlowItem[]);

const sorted = ({ added, changed, removed, rewired, linked }: FlowDiff | Sets) =>
  [added, changed, removed, rewired, linked].map((each) => [...each].sort());

describe('diffFlows', () => {
  it('finds what the rules say', () => {
    fc.assert(
      fc.property(
        flows,
        flows,
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        (before, other, keep) => {
          const kept = before.filter(({ id }) => keep[ids.indexOf(id)] ?? true);
          const after = [...kept, ...other.filter(({ id }) => !kept.some((each) => each.id === id))];
          const found = diffFlows(readFlows(before), readFlows(after));
          expect(sorted(found)).toEqual(sorted(expected(before, after)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('finds nothing between equal configurations, and everything new at first', () => {
    fc.assert(
      fc.property(flows, (config) => {
        const nothing = diffFlows(readFlows(config), readFlows(structuredClone(config)));
        expect(sorted(nothing)).toEqual([[], [], [], [], []]);
        expect(nothing.flowChanged).toEqual([]);
        expect([...diffFlows(undefined, readFlows(config)).added].sort()).toEqual(
          config.map(({ id }) => id).sort(),
        );
      }),
    );
  });

  it('counts changed credentials as a change, of a tab as one of its env', () => {
    const config = [...tabs, { id: 'a', type: 'probe', z: 't', x: 0, y: 0, wires: [] }] as FlowItem[];
    const diff = diffFlows(readFlows(config), readFlows(structuredClone(config)), new Set(['a', 'u']));
    expect(diff.changed).toEqual(['a', 't']);
    expect(diff.flowChanged).toEqual(['u']);
  });
});
