import type { FlowConfig, FlowItem } from './flows.ts';
import { isObject, type JsonObject } from './json.ts';

/** What is looked for besides the shape of the items. */
export interface FlowCheck {
  /** Two items with one id: a mistake in a deploy, but left to the engine where a file has them already. */
  readonly duplicates: 'refused' | 'allowed';
  /** Flows in which there was nothing wrong, duplicates included: the same item in the same place is not looked at again. */
  readonly sound?: FlowConfig | undefined;
}

/**
 * What is wrong with the shape of a flow configuration, in words that name the item (index, and id where it has one) and
 * the field; `undefined` where nothing is. Shapes come before ids; other properties of items are not looked at.
 * @remarks Every item needs an `id` and a `type`; `z` is a string, `wires` an array of arrays of strings, `credentials` an object,
 * where present.
 */
export function findFlowProblem(value: unknown, { duplicates, sound = [] }: FlowCheck): string | undefined {
  if (!Array.isArray(value)) return `the flows must be an array, not ${nameOf(value)}`;
  let sameIds = true;
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    if (index < sound.length && item === sound[index]) continue;
    const problem = findItemProblem(item);
    if (problem !== undefined) return `${describe(item, index)}: ${problem}`;
    sameIds &&= (item as FlowItem).id === sound[index]?.id;
  }
  return duplicates === 'allowed' || sameIds ? undefined : findRepeatedId(value);
}

function findRepeatedId(items: FlowConfig): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as FlowItem;
    if (seen.has(item.id)) {
      const first = items.findIndex(({ id }) => id === item.id);
      return `${describe(item, index)}: id: is already the id of item ${first}`;
    }
    seen.add(item.id);
  }
  return undefined;
}

function findItemProblem(item: unknown): string | undefined {
  if (!isObject(item)) return `must be an object, not ${nameOf(item)}`;
  for (const field of ['id', 'type'] as const) {
    const value = item[field];
    if (typeof value !== 'string') return `${field}: must be a string, ${absentOr(value)}`;
    if (value === '') return `${field}: must not be empty`;
  }
  const { z, wires, credentials } = item;
  if (z !== undefined && z !== null && typeof z !== 'string') return `z: must be a string, not ${nameOf(z)}`;
  if (wires !== undefined && wires !== null && !areWires(wires))
    return 'wires: must be an array of arrays of node ids';
  if (credentials !== undefined && credentials !== null && !isObject(credentials))
    return `credentials: must be an object, not ${nameOf(credentials)}`;
  return undefined;
}

function areWires(wires: unknown): boolean {
  return (
    Array.isArray(wires) && wires.every((to) => Array.isArray(to) && to.every((id) => typeof id === 'string'))
  );
}

function describe(item: unknown, index: number): string {
  const id = (item as JsonObject | null | undefined)?.['id'];
  return typeof id === 'string' && id !== '' ? `item ${index} (id ${JSON.stringify(id)})` : `item ${index}`;
}

function absentOr(value: unknown): string {
  return value === undefined ? 'and is missing' : `not ${nameOf(value)}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
