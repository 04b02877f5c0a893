import { isObject } from '../../contract/json.ts';

/**
 * A deep copy of plain objects and arrays; everything else (functions, buffers, instances of classes) is the same in
 * the copy. For values of a settings file, which may hold code.
 */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isObject(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyValue(member)]));
}
