import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPropertyAccess } from './property-access.ts';

const { getMessageProperty, getObjectProperty, setMessageProperty, setObjectProperty } =
  createPropertyAccess();

describe('reading a property', () => {
  const message = { payload: { list: [{ x: 1 }], empty: null }, key: 'list' };

  it('follows the path', () => {
    expect(getMessageProperty(message, 'payload.list[0].x')).toBe(1);
    expect(getMessageProperty(message, 'msg.payload.list[0].x')).toBe(1);
    expect(getMessageProperty(message, 'payload[msg.key][0].x')).toBe(1);
    expect(getMessageProperty(message, 'payload.list.length')).toBe(1);
  });

  it('gives undefined for what is not there, and throws where its parent is not', () => {
    expect(getMessageProperty(message, 'payload.nothing')).toBeUndefined();
    expect(() => getMessageProperty(message, 'nothing.x')).toThrow(TypeError);
    expect(() => getMessageProperty(message, 'payload.empty.x')).toThrow(TypeError);
  });

  it('takes the front "msg." for a name where the object is no message', () => {
    expect(getObjectProperty({ msg: { x: 1 } }, 'msg.x')).toBe(1);
    expect(getMessageProperty({ msg: { x: 1 }, x: 2 }, 'msg.x')).toBe(2);
  });
});

describe('setting a property', () => {
  it('creates parents: objects, and lists where an index follows', () => {
    const message = {};
    expect(setMessageProperty(message, 'msg.a.b[1].c', 5)).toBe(true);
    expect(message).toEqual({ a: { b: [undefined, { c: 5 }] } });
  });

  it('creates none if it is told not to, nor for undefined', () => {
    const message = {};
    expect(setMessageProperty(message, 'a.b', 5, false)).toBe(false);
    expect(setMessageProperty(message, 'a.b', undefined)).toBe(false);
    expect(message).toEqual({});
  });

  it('deletes with undefined; a list closes up', () => {
    const message = { a: { b: 1, c: 2 }, list: [1, 2, 3] };
    setMessageProperty(message, 'a.b', undefined);
    setMessageProperty(message, 'list[1]', undefined);
    expect(message).toEqual({ a: { c: 2 }, list: [1, 3] });
    expect(Object.hasOwn(message.a, 'b')).toBe(false);
  });

  it('refuses to set below text, numbers and null', () => {
    for (const a of ['text', 5, null, true]) {
      const message = { a };
      expect(setMessageProperty(message, 'a.b', 1)).toBe(false);
      expect(message).toEqual({ a });
    }
  });

  it('leaves read-only properties as they are, without an error, but lets a setter throw', () => {
    const frozen = { inner: Object.freeze({ x: 1 }) };
    expect(setObjectProperty(frozen, 'inner.x', 2)).toBe(true);
    expect(frozen.inner.x).toBe(1);
    const guarded = {
      set x(_: unknown) {
        throw new TypeError('no');
      },
    };
    expect(() => setObjectProperty(guarded, 'x', 1)).toThrow('no');
  });

  it('does not reach the prototype of all objects', () => {
    setMessageProperty({}, '__proto__.polluted', true);
    setMessageProperty({}, 'constructor.prototype.polluted', true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('is read back as it was set, at every path that it created', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      name.map((text) => `.${text}`),
      name.map((text) => `["${text} x"]`),
      fc.nat({ max: 3 }).map((index) => `[${index}]`),
    );
    fc.assert(
      fc.property(name, fc.array(step, { maxLength: 5 }), fc.jsonValue(), (first, rest, value) => {
        const expression = first + rest.join('');
        const message = {};
        expect(setMessageProperty(message, expression, value)).toBe(true);
        expect(getMessageProperty(message, expression)).toBe(value);
      }),
    );
  });
});
