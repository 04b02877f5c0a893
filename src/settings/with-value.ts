import { isObject, type JsonObject } from '../contract/json.ts';

/** A copy with one value, by path, set; objects along the way are copied, what else is there is replaced. */
export function withValueAt(target: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return target;
  if (rest.length === 0) return { ...target, [name]: value };
  const inner = target[name];
  return { ...target, [name]: withValueAt(isObject(inner) ? inner : {}, rest, value) };
}
