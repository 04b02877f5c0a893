import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { encodeObject } from './encode-object.ts';

const encode = (msg: unknown, maxLength?: number) =>
  encodeObject({ msg }, maxLength === undefined ? undefined : { maxLength });
const nested = (value: unknown, maxLength?: number) =>
  JSON.parse(encode({ value }, maxLength).msg as string).value;

describe('encodeObject', () => {
  it.each([
    ['text', 'string[4]', 'text'],
    [5, 'number', '5'],
    [Number.NaN, 'number', 'NaN'],
    [true, 'boolean', 'true'],
    [undefined, 'undefined', '(undefined)'],
    [null, 'null', '(undefined)'],
    [() => 1, 'function', '[function]'],
    [10n, 'bigint', { __enc__: true, type: 'bigint', data: '10' }],
    [Buffer.from('hi'), 'buffer[2]', '6869'],
    [[1, 'a'], 'array[2]', '[1,"a"]'],
    [/a+/g, 'regexp', '/a+/g'],
    [{ a: 1 }, 'Object', '{"a":1}'],
    [Object.create(null), 'Object', '{}'],
    [new Set([1]), 'set[1]', '{"__enc__":true,"type":"set","data":[1],"length":1}'],
    [new Map([['a', 1]]), 'map', '{"__enc__":true,"type":"map","data":{"a":1},"length":1}'],
    [new Uint8Array([1]), 'Uint8Array[1]', '{"__enc__":true,"type":"array","data":[1],"length":1}'],
    [new Date(0), 'Date', new Date(0).toString()],
  ])('shows %o as %s', (value, format, msg) => {
    expect(encode(value)).toEqual({ msg, format });
  });

  it('keeps the other members of the record and gives the record back', () => {
    const record = { id: 'n1', msg: 1 };
    expect(encodeObject(record)).toBe(record);
    expect(record).toEqual({ id: 'n1', msg: '1', format: 'number' });
  });

  it('cuts what is long, and says how long it was', () => {
    expect(encode('x'.repeat(1001))).toEqual({ format: 'string[1001]', msg: `${'x'.repeat(1000)}...` });
    expect(encode('abcdef', 3)).toEqual({ format: 'string[6]', msg: 'abc...' });
    expect(encode(Buffer.from('abcdef'), 3)).toEqual({ format: 'buffer[6]', msg: '616' });
    expect(encode([1, 2, 3, 4, 5, 6], 5)).toEqual({
      format: 'array[6]',
      msg: '{"__enc__":true,"type":"array","data":[1,2,3,4,5],"length":6}',
    });
    expect(nested('abcdef', 3)).toBe('abc...');
    const list = [1, 2, 3, 4, 5, 6];
    expect(nested(list, 5)).toEqual({ __enc__: true, type: 'array', data: [1, 2, 3, 4, 5], length: 6 });
    const buffer = Buffer.from('abcdefg');
    expect(nested(buffer, 6)).toEqual({
      type: 'Buffer',
      data: [97, 98, 99, 100, 101, 102],
      __enc__: true,
      length: 7,
    });
  });

  it('marks what JSON would lose', () => {
    expect(nested(undefined)).toEqual({ __enc__: true, type: 'undefined' });
    expect(nested(() => 1)).toEqual({ __enc__: true, type: 'function' });
    expect(nested(Number.POSITIVE_INFINITY)).toEqual({ __enc__: true, type: 'number', data: 'Infinity' });
    expect(nested(1n)).toEqual({ __enc__: true, type: 'bigint', data: '1' });
    expect(nested(/a/)).toEqual({ __enc__: true, type: 'regexp', data: '/a/' });
    expect(nested([undefined])).toEqual([{ __enc__: true, type: 'undefined' }]);
    expect(nested(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  });

  it('shows errors with their code and cause, where they have one', () => {
    const error = Object.assign(new TypeError('bad', { cause: 'why' }), { code: 'E' });
    const { format, msg } = encode(error);
    expect(format).toBe('error');
    expect(JSON.parse(msg as string)).toEqual({
      __enc__: true,
      type: 'error',
      data: { name: 'TypeError', message: 'bad', code: 'E', cause: 'why', stack: error.stack },
    });
    expect(Object.keys(nested(new Error('x')).data)).toEqual(['name', 'message', 'stack']);
  });

  it('names the place that a cycle leads to', () => {
    const value: Record<string, unknown> = { a: { list: [] } };
    value['self'] = value;
    (value['a'] as { list: unknown[] }).list.push(value['a']);
    expect(JSON.parse(encode(value).msg as string)).toEqual({
      a: { list: ['[Circular ~.a]'] },
      self: '[Circular ~]',
    });
  });

  it('shows the same object twice where it is no cycle', () => {
    const shared = { x: 1 };
    expect(encode([shared, shared]).msg).toBe('[{"x":1},{"x":1}]');
  });

  it('hides what belongs to the server of an HTTP request', () => {
    const request = new IncomingMessage(new Socket());
    expect(encode(request).format).toBe('Object');
    expect(nested(new ServerResponse(request))).toBe('[internal]');
    expect(nested(new Socket())).toBe('[internal]');
    expect(JSON.parse(encode({ _req: request, _res: 1 }).msg as string)).toEqual({
      _req: { __enc__: true, type: 'internal' },
      _res: { __enc__: true, type: 'internal' },
    });
  });

  it('leaves the value as it is', () => {
    const value = { buffer: { type: 'Buffer', data: [1, 2, 3] }, list: [1, 2, 3] };
    encode(value, 1);
    expect(value).toEqual({ buffer: { type: 'Buffer', data: [1, 2, 3] }, list: [1, 2, 3] });
  });

  it('never throws', () => {
    const { format, msg } = encode({
      get bad() {
        throw new Error('no');
      },
    });
    expect(format).toBe('error');
    expect(JSON.parse(msg as string).data.message).toBe('encodeObject Error: no');
  });
});
