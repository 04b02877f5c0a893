/** A value that JSON can't carry, marked so that the editor shows what it was. */
export interface Marked {
  readonly __enc__: true;
  readonly type: string;
  readonly data?: unknown;
  readonly length?: number;
}

/** The name of an object's class, empty where it has none. */
export function className(value: object): string {
  return value.constructor ? value.constructor.name : '';
}

/** Whether a value is an error, of this realm or (by its prototype's name) of another. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  if (value === undefined || value === null) return false;
  const prototype: { name?: unknown } | null | undefined = Object.getPrototypeOf(value);
  return /Error/.test(String(prototype?.name));
}

/** An error as the editor shows it: `code` and `cause` only where there are any. */
export function markError(error: Error & { code?: unknown }): Marked {
  const { name, code, cause, stack } = error;
  const message = Object.hasOwn(error, 'message') ? error.message : error.toString();
  return {
    __enc__: true,
    type: 'error',
    data: {
      name,
      message,
      ...(code === undefined ? {} : { code }),
      ...(cause === undefined ? {} : { cause: `${cause}` }),
      stack,
    },
  };
}

/** A Set as the editor shows it, with at most `limit` members. */
export function markSet(set: ReadonlySet<unknown>, limit: number): Marked {
  return { __enc__: true, type: 'set', data: Array.from(set).slice(0, limit), length: set.size };
}

/** A Map as the editor shows it, with at most `limit` entries. */
export function markMap(map: ReadonlyMap<PropertyKey, unknown>, limit: number): Marked {
  const entries = Array.from(map.entries()).slice(0, limit);
  return { __enc__: true, type: 'map', data: Object.fromEntries(entries), length: map.size };
}

/** What of arrays and typed arrays is looked at here. */
type ListLike = ArrayLike<unknown> & { slice(start: number, end: number): unknown };

/**
 * Turns a value into one that JSON carries whole: what JSON would lose or refuse is marked, what is long is cut, a cycle
 * becomes text that names the place it leads to.
 */
export class NestedEncoder {
  readonly #limit: number;
  /** From the outermost object to the one being walked, and the name under which each holds the next. */
  readonly #holders: unknown[] = [];
  readonly #names: string[] = [];

  /** @param limit the longest string, array, typed array, Buffer, Set or Map that is kept whole. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value as JSON. @throws what a getter, `toJSON` or `toString` of the value throws. */
  stringify(value: unknown): string {
    return JSON.stringify(this.#walk(this.#replace('', asJson(value, ''))));
  }

  #walk(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || isBoxed(value)) return value;
    const depth = this.#holders.push(value) - 1;
    let walked: unknown;
    if (Array.isArray(value)) {
      const list = new Array(value.length);
      for (let at = 0; at < value.length; at++) list[at] = this.#member(depth, `${at}`, value[at]);
      walked = list;
    } else {
      const copy: Record<string, unknown> = {};
      for (const name of Object.keys(value)) {
        const member = this.#member(depth, name, (value as Record<string, unknown>)[name]);
        if (name === '__proto__') {
          Object.defineProperty(copy, name, { value: member, enumerable: true });
        } else {
          copy[name] = member;
        }
      }
      walked = copy;
    }
    this.#holders.pop();
    return walked;
  }

  #member(depth: number, name: string, raw: unknown): unknown {
    this.#names[depth] = name;
    let value = asJson(raw, name);
    if (typeof value === 'object' && value !== null) {
      const ancestor = this.#holders.indexOf(value);
      if (ancestor >= 0) value = `[Circular ${['~', ...this.#names.slice(0, ancestor)].join('.')}]`;
    }
    return this.#walk(this.#replace(name, value));
  }

  /** The value, or what stands for it. */
  #replace(name: string, value: unknown): unknown {
    const limit = this.#limit;
    if (name === '_req' || name === '_res') return { __enc__: true, type: 'internal' };
    if ((typeof value === 'object' || typeof value === 'function') && isError(value)) return markError(value);
    switch (typeof value) {
      case 'string':
        return value.length > limit ? `${value.substring(0, limit)}...` : value;
      case 'number':
        return Number.isFinite(value) ? value : { __enc__: true, type: 'number', data: `${value}` };
      case 'bigint':
        return { __enc__: true, type: 'bigint', data: `${value}` };
      case 'function':
        return { __enc__: true, type: 'function' };
      case 'undefined':
        return { __enc__: true, type: 'undefined' };
      case 'object':
        return value === null ? null : this.#object(value);
      case 'boolean':
      case 'symbol':
        return value;
    }
  }

  #object(value: object): unknown {
    const limit = this.#limit;
    if (Array.isArray(value)) {
      if (value.length <= limit) return value;
      return { __enc__: true, type: 'array', data: value.slice(0, limit), length: value.length };
    }
    if (ArrayBuffer.isView(value)) {
      const list = value as unknown as ListLike;
      const long = list.length > limit;
      const data = Array.from(list);
      return {
        __enc__: true,
        type: long ? className(value) : 'array',
        data: long ? data.slice(0, limit) : data,
        length: list.length,
      };
    }
    if (!value.constructor) return value;
    if ((value as { type?: unknown }).type === 'Buffer') return this.#buffer(value as { data: ListLike });
    switch (className(value)) {
      case 'ServerResponse':
      case 'Socket':
        return '[internal]';
      case 'Set':
        return markSet(value as Set<unknown>, limit);
      case 'Map':
        return markMap(value as Map<PropertyKey, unknown>, limit);
      case 'RegExp':
        return { __enc__: true, type: 'regexp', data: value.toString() };
      default:
        return value;
    }
  }

  /** A Buffer's JSON form, or an object that looks like one. */
  #buffer(value: { data: ListLike }): unknown {
    const length = value.data.length;
    const data = length > this.#limit ? value.data.slice(0, this.#limit) : value.data;
    return { ...value, data, __enc__: true, length };
  }
}

/** What `JSON.stringify` makes of a value before anything else. */
function asJson(value: unknown, name: string): unknown {
  if (
    (typeof value === 'object' && value !== null) ||
    typeof value === 'bigint' ||
    typeof value === 'function'
  ) {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return toJSON.call(value, name);
  }
  return value;
}

/** `new Number(1)` and the like, which JSON takes for what they hold. */
function isBoxed(value: object): boolean {
  return (
    value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt
  );
}
