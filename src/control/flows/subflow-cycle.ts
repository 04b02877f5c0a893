import type { FlowConfig } from '../../contract/flows.ts';

/** Ids of subflows that contain each other in a circle, first one again at the end; `undefined` where there is none. */
export function findSubflowCycle(flows: FlowConfig): readonly string[] | undefined {
  const contains = new Map<string, Set<string>>();
  for (const { id, type } of flows) if (type === 'subflow') contains.set(id, new Set());
  for (const { type, z } of flows) {
    if (type.startsWith('subflow:') && z !== undefined && z !== null)
      contains.get(z)?.add(type.slice('subflow:'.length));
  }
  const done = new Set<string>();
  for (const start of contains.keys()) {
    const cycle = follow(start, contains, done);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Depth first, without recursion: nesting is as deep as the user likes. */
function follow(
  start: string,
  contains: ReadonlyMap<string, ReadonlySet<string>>,
  done: Set<string>,
): readonly string[] | undefined {
  if (done.has(start)) return undefined;
  const path: { readonly id: string; readonly next: Iterator<string> }[] = [];
  const onPath = new Set<string>();
  const enter = (id: string): void => {
    path.push({ id, next: (contains.get(id) ?? new Set<string>()).values() });
    onPath.add(id);
  };
  enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { value: id, done: exhausted } = top.next.next();
    if (exhausted) {
      done.add(top.id);
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(id)) {
      const ids = path.map((entry) => entry.id);
      return [...ids.slice(ids.indexOf(id)), id];
    } else if (!done.has(id)) enter(id);
  }
  return undefined;
}
