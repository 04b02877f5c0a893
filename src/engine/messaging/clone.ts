/**
 * Deep copies of messages and of what they carry.
 * @remarks Copied: plain objects and class instances (with their prototype), arrays, Date, RegExp, Map, Set, Buffer,
 * typed arrays, ArrayBuffer, DataView, boxed primitives, enumerable symbol properties. An object that is reached twice
 * is copied once, so cycles stay cycles. Kept by reference: functions, errors, promises, weak collections and other
 * objects that the platform keeps state for behind their properties. Holes of an array become `undefined`.
 */
import { types } from 'node:util';

/** What has been copied already, by its original. A list while it is short: most messages are flat. */
class Seen {
  readonly #originals: object[] = [];
  readonly #copies: object[] = [];
  #index: Map<object, object> | undefined;

  get(original: object): object | undefined {
    if (this.#index !== undefined) return this.#index.get(original);
    const at = this.#originals.indexOf(original);
    return at < 0 ? undefined : this.#copies[at];
  }

  add(original: object, copy: object): void {
    if (this.#index !== undefined) {
      this.#index.set(original, copy);
      return;
    }
    this.#originals.push(original);
    this.#copies.push(copy);
    if (this.#originals.length > 24) {
      this.#index = new Map(this.#originals.map((each, at) => [each, this.#copies[at] as object]));
    }
  }
}

type Fields = Record<PropertyKey, unknown>;

/**
 * A deep copy of a message; its `req` and `res` are the same objects as the original's.
 * @param message Usually an object; any other value is copied as a value, but a function, an error and their like become
 * an empty message: two nodes must not be given one object.
 */
export function cloneMessage<T>(message: T): T {
  if (typeof message === 'function') return {} as T;
  if (typeof message !== 'object' || message === null) return message;
  if (!isPlain(message)) return cloneInstance(message) as T;
  const copy: Fields = { ...(message as Fields) };
  let seen: Seen | undefined;
  for (const key in copy) {
    const value = copy[key];
    if (typeof value !== 'object' || value === null) continue;
    if (key === 'req' || key === 'res') continue;
    if (seen === undefined) {
      seen = new Seen();
      seen.add(message, copy);
    }
    copy[key] = cloneObject(value, seen);
  }
  if (hasSymbols(copy)) cloneSymbols(message as Fields, copy, seen ?? new Seen());
  return copy as T;
}

/** A deep copy of any value. */
export function cloneValue<T>(value: T): T {
  if (typeof value === 'object' && value !== null) return cloneObject(value, new Seen()) as T;
  return value;
}

/** A message that is not a plain object: a class instance, an array. `req` and `res` stay references here too. */
function cloneInstance(message: object): object {
  const seen = new Seen();
  const { req, res } = message as Fields;
  if (isObject(req)) seen.add(req, req);
  if (isObject(res)) seen.add(res, res);
  const copy = cloneObject(message, seen);
  return copy === message ? {} : copy;
}

function cloneObject(original: object, seen: Seen): object {
  const known = seen.get(original);
  if (known !== undefined) return known;
  if (Array.isArray(original)) return cloneArray(original, seen);
  if (isPlain(original)) {
    const copy: Fields = { ...original };
    seen.add(original, copy);
    for (const key in copy) {
      const value = copy[key];
      if (typeof value === 'object' && value !== null) copy[key] = cloneObject(value, seen);
    }
    if (hasSymbols(copy)) cloneSymbols(original as Fields, copy, seen);
    return copy;
  }
  return cloneSpecial(original, seen);
}

function cloneArray(original: unknown[], seen: Seen): unknown[] {
  const copy = new Array<unknown>(original.length);
  seen.add(original, copy);
  for (let index = 0; index < original.length; index++) {
    const value = original[index];
    copy[index] = typeof value === 'object' && value !== null ? cloneObject(value, seen) : value;
  }
  // The result of a regular expression carries these beside its elements.
  const match = original as unknown as Fields;
  if (typeof original[0] === 'string' && Object.hasOwn(match, 'index')) {
    Object.assign(copy, { index: match['index'], input: match['input'] });
  }
  return copy;
}

function cloneSpecial(original: object, seen: Seen): object {
  if (Buffer.isBuffer(original)) return Buffer.from(original);
  if (ArrayBuffer.isView(original)) return cloneView(original, seen);
  if (types.isDate(original)) {
    return cloneFields(original, new (constructorOf(original, Date))(original.getTime()), seen);
  }
  if (types.isRegExp(original)) return cloneFields(original, cloneRegExp(original), seen);
  if (types.isMap(original)) return cloneMap(original, seen);
  if (types.isSet(original)) return cloneSet(original, seen);
  if (types.isArrayBuffer(original)) return cloneFields(original, original.slice(0), seen);
  // The characters of a text are properties that cannot be defined again.
  if (types.isStringObject(original)) return Object(original.valueOf());
  if (types.isBoxedPrimitive(original)) return cloneFields(original, Object(original.valueOf()), seen);
  if (isOpaque(original)) return original;
  const prototype: unknown = Object.getPrototypeOf(original);
  return cloneFields(original, isObject(prototype) ? Object.create(prototype) : {}, seen);
}

/** Objects whose state is not in their properties, and errors, which everybody compares and prints by identity. */
function isOpaque(value: object): boolean {
  return Object.prototype.toString.call(value) !== '[object Object]' && !types.isArgumentsObject(value);
}

function cloneView(original: ArrayBufferView, seen: Seen): object {
  const buffer = original.buffer;
  let copy = seen.get(buffer) as ArrayBuffer | undefined;
  if (copy === undefined) {
    copy = new Uint8Array(buffer).slice().buffer;
    seen.add(buffer, copy);
  }
  const length = original instanceof DataView ? original.byteLength : (original as Uint8Array).length;
  const View = original.constructor as new (
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ) => object;
  const view = new View(copy, original.byteOffset, length);
  seen.add(original, view);
  return view;
}

function cloneRegExp(original: RegExp): RegExp {
  const copy = new RegExp(original.source, original.flags);
  copy.lastIndex = original.lastIndex;
  return copy;
}

function cloneMap(original: Map<unknown, unknown>, seen: Seen): object {
  const copy = new (constructorOf(original, Map))();
  seen.add(original, copy);
  for (const [key, value] of original) copy.set(cloneWithin(key, seen), cloneWithin(value, seen));
  return copyFields(original, copy, seen);
}

function cloneSet(original: Set<unknown>, seen: Seen): object {
  const copy = new (constructorOf(original, Set))();
  seen.add(original, copy);
  for (const value of original) copy.add(cloneWithin(value, seen));
  return copyFields(original, copy, seen);
}

/** The class of the value, so that a subclass of a collection stays one. */
function constructorOf<T extends new (...parameters: never[]) => object>(value: object, usual: T): T {
  const own: unknown = value.constructor;
  return typeof own === 'function' ? (own as T) : usual;
}

function cloneWithin(value: unknown, seen: Seen): unknown {
  return typeof value === 'object' && value !== null ? cloneObject(value, seen) : value;
}

function cloneFields<T extends object>(original: object, copy: T, seen: Seen): T {
  seen.add(original, copy);
  return copyFields(original, copy, seen);
}

function copyFields<T extends object>(original: object, copy: T, seen: Seen): T {
  const keys: PropertyKey[] = Object.keys(original);
  for (const symbol of Object.getOwnPropertySymbols(original)) {
    if (Object.prototype.propertyIsEnumerable.call(original, symbol)) keys.push(symbol);
  }
  for (const key of keys) {
    const value = cloneWithin((original as Fields)[key], seen);
    // Defined rather than assigned: the prototype may have a setter, or the key may be `__proto__`.
    Object.defineProperty(copy, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return copy;
}

function cloneSymbols(original: Fields, copy: Fields, seen: Seen): void {
  if (seen.get(original) === undefined) seen.add(original, copy);
  for (const symbol of Object.getOwnPropertySymbols(copy)) copy[symbol] = cloneWithin(copy[symbol], seen);
}

function hasSymbols(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length > 0;
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
