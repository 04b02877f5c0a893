import { deserialize, serialize } from 'node:v8';

/** How deep a value is looked into for what JSON can't carry. */
const deepest = 50;

/**
 * A value as text or bytes: JSON where that carries it whole, so that other tools can read it, else a structured clone,
 * which carries Buffers, dates, maps, sets, big integers and cycles too.
 * @throws if it holds a function, or something of the platform that can't be copied.
 */
export function encodeValue(value: unknown): string | Uint8Array {
  return isJson(value, 0) ? JSON.stringify(value) : serialize(value);
}

/** What {@link encodeValue} was given, as a copy. */
export function decodeValue(stored: string | Uint8Array): unknown {
  return typeof stored === 'string' ? JSON.parse(stored) : deserialize(stored);
}

function isJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object': {
      if (value === null) return true;
      if (depth >= deepest) return false;
      const members = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : undefined;
      if (members === undefined) return false;
      // Not `every`, which passes over the holes of an array.
      for (const member of members) if (!isJson(member, depth + 1)) return false;
      return true;
    }
    default:
      return false;
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
