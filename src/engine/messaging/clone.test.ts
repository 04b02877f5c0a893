import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneMessage, cloneValue } from './clone.ts';

const cloneDeep = createRequire(import.meta.url)('lodash.clonedeep') as <T>(value: T) => T;

class Point {
  x = 1;
  constructor(x: number) {
    this.x = x;
  }
  get twice(): number {
    return this.x * 2;
  }
}

/** Any value that a message may carry, with objects that are reached in more than one way. */
const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(undefined, Number.NaN, -0, 5n, Symbol.for('s')),
  fc.date(),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  fc.uint16Array({ maxLength: 4 }),
  fc.float64Array({ maxLength: 3 }),
  fc.constantFrom(/a/g, /b/iu).map((pattern) => new RegExp(pattern)),
  fc.integer().map((x) => new Point(x)),
  fc.string().map((text) => new Error(text)),
  fc.constant(() => 1),
  fc.integer().map((number) => Object(number) as unknown),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('list'),
    tie('object'),
    tie('map'),
    tie('set'),
    tie('instance'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), tie('any'), { maxKeys: 4 }),
  map: fc.array(fc.tuple(fc.string(), tie('any')), { maxLength: 3 }).map((entries) => new Map(entries)),
  set: fc.array(tie('any'), { maxLength: 3 }).map((entries) => new Set(entries)),
  instance: tie('any').map((inner) => Object.assign(new Point(2), { inner })),
})).any;

/** Every object below a value; errors and functions are shared by design. */
function objectsIn(root: unknown, found = new Set<object>()): Set<object> {
  if (typeof root !== 'object' || root === null || root instanceof Error || found.has(root)) return found;
  found.add(root);
  const inside = root instanceof Map || root instanceof Set ? [...root].flat() : Object.values(root);
  for (const each of inside) objectsIn(each, found);
  return found;
}

describe('cloneMessage', () => {
  it('copies as lodash.clonedeep does', () => {
    fc.assert(
      fc.property(value, (payload) => {
        const message = { _msgid: 'm', payload, again: payload };
        expect(isDeepStrictEqual(cloneMessage(message), cloneDeep(message))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('shares no object with the original', () => {
    fc.assert(
      fc.property(value, (payload) => {
        const message = { payload };
        const originals = objectsIn(message);
        for (const each of objectsIn(cloneMessage(message))) expect(originals.has(each)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps what is reached twice one object, also in circles', () => {
    const shared = { n: 1 };
    const message: Record<string, unknown> = { a: shared, b: [shared], map: new Map([['k', shared]]) };
    message['self'] = message;
    message['many'] = Array.from({ length: 60 }, (_, n) => ({ n, shared }));
    const copy = cloneMessage(message) as typeof message & { b: unknown[]; map: Map<string, unknown> };
    expect(copy['self']).toBe(copy);
    expect(copy['a']).not.toBe(shared);
    expect(copy.b[0]).toBe(copy['a']);
    expect(copy.map.get('k')).toBe(copy['a']);
    for (const each of copy['many'] as { shared: unknown }[]) expect(each.shared).toBe(copy['a']);
  });

  it('keeps req and res by reference, at the top only', () => {
    const req = { socket: {} };
    const res = { send() {} };
    const message = { req, res, payload: { req } };
    for (const copy of [cloneMessage(message), cloneMessage(Object.assign(new Point(1), message))]) {
      expect(copy.req).toBe(req);
      expect(copy.res).toBe(res);
    }
    expect(cloneMessage(message).payload.req).not.toBe(req);
  });

  it('keeps functions, errors, promises and weak collections as they are', () => {
    const message = { f: () => 1, e: new TypeError('t'), p: Promise.resolve(), w: new WeakMap() };
    const copy = cloneMessage(message);
    for (const key of ['f', 'e', 'p', 'w'] as const) expect(copy[key]).toBe(message[key]);
  });

  it('makes an empty message of one that would be kept as it is', () => {
    for (const each of [new Error('e'), Promise.resolve(), new WeakMap(), () => 1]) {
      expect(cloneMessage(each)).toEqual(cloneDeep(each));
      expect(cloneMessage(each)).toEqual({});
    }
  });

  it('copies bytes, so that a change of one is not seen in the other', () => {
    const message = { buffer: Buffer.from('abc'), typed: new Uint8Array([1, 2]), array: new ArrayBuffer(2) };
    const copy = cloneMessage(message);
    message.buffer[0] = 0;
    message.typed[0] = 9;
    new Uint8Array(message.array)[0] = 9;
    expect(copy.buffer.toString()).toBe('abc');
    expect([...copy.typed]).toEqual([1, 2]);
    expect([...new Uint8Array(copy.array)]).toEqual([0, 0]);
  });

  it('copies bytes that are reached twice once, and texts that are objects', () => {
    const typed = new Uint8Array([1, 2]);
    const copy = cloneMessage({ a: typed, b: typed, text: Object('abc') });
    expect(copy.a).toBe(copy.b);
    expect(copy.a).not.toBe(typed);
    expect(copy.text).toEqual(Object('abc'));
  });

  it('keeps the class of an instance, and symbols', () => {
    const tag = Symbol('tag');
    const copy = cloneMessage({ point: new Point(4), [tag]: { deep: true } });
    expect(copy.point).toBeInstanceOf(Point);
    expect(copy.point.twice).toBe(8);
    expect(copy[tag]).toEqual({ deep: true });
  });

  it('does not let a key named __proto__ change the class', () => {
    const copy = cloneMessage({ payload: JSON.parse('{"__proto__":{"admin":true}}') as object });
    expect(Object.getPrototypeOf(copy.payload)).toBe(Object.prototype);
    expect(Object.hasOwn(copy.payload, '__proto__')).toBe(true);
  });

  it('gives what is no object as it is', () => {
    for (const each of [undefined, null, 5, 'text', true]) expect(cloneMessage(each)).toBe(each);
    expect(cloneValue([1, { a: 1 }])).toEqual([1, { a: 1 }]);
  });
});
