import type { FlowItem } from '../../contract/flows.ts';

/** By id, what a node is wired to, in either direction. */
export type Links = ReadonlyMap<string, readonly string[]>;

/** Every wire of a configuration, in both directions. A wire to an id that is not there counts at its beginning only. */
export function linksOf(items: ReadonlyMap<string, FlowItem>): Links {
  const links = new Map<string, string[]>();
  const connect = (from: string, to: string) => {
    const ends = links.get(from);
    if (ends === undefined) links.set(from, [to]);
    else ends.push(to);
  };
  for (const [id, { wires }] of items) {
    if (!Array.isArray(wires)) continue;
    if (!links.has(id)) links.set(id, []);
    for (const output of wires) {
      if (!Array.isArray(output)) continue;
      for (const end of output) {
        if (typeof end !== 'string') continue;
        connect(id, end);
        if (items.has(end)) connect(end, id);
      }
    }
  }
  return links;
}
