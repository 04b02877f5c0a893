import type { FlowItem } from '../../contract/flows.ts';
import { isNode, referenceIn, templateId } from './flow-item.ts';
import type { FlowModel } from './flow-model.ts';

/** An item, and the property by which it names another. */
export interface Reference {
  readonly item: FlowItem;
  readonly property: string;
}

/**
 * By id, the items that name it.
 * @param counts whether a text is an id that matters
 */
export function findReferences(
  items: Iterable<FlowItem>,
  counts: (id: string) => boolean,
): ReadonlyMap<string, readonly Reference[]> {
  const references = new Map<string, Reference[]>();
  for (const item of items) {
    for (const property in item) {
      if (property === 'z' || property === 'id' || property === 'wires' || property === 'type') continue;
      const id = referenceIn(item[property]);
      if (id !== undefined && counts(id)) addTo(references, id, { item, property });
    }
  }
  return references;
}

/** By template, its instances. */
export function findInstances(items: Iterable<FlowItem>): ReadonlyMap<string, readonly FlowItem[]> {
  const instances = new Map<string, FlowItem[]>();
  for (const item of items) {
    const template = isNode(item) ? templateId(item) : undefined;
    if (template !== undefined) addTo(instances, template, item);
  }
  return instances;
}

/** What wires connect, however far, with any of these ids in any of the models; without the ids themselves. */
export function findLinked(models: readonly FlowModel[], ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const links = models.map((model) => model.links());
  const start = new Set(ids);
  const visited = new Set<string>();
  const linked: string[] = [];
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (visited.has(id)) continue;
    visited.add(id);
    const ends = links.map((each) => each.get(id as string));
    if (ends.every((each) => each === undefined)) continue;
    if (!start.has(id)) linked.push(id);
    for (const each of ends) if (each !== undefined) waiting.push(...each);
  }
  return linked;
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
