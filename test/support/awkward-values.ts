import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Values that generators of random ones do not make: instances, cycles, impostors, things that throw. */
export function awkwardValues(): unknown[] {
  const error = Object.assign(new Error('boom', { cause: { a: 1 } }), { code: 'E1' });
  class Mine {
    readonly x = 1;
  }
  class Mistake extends Error {}
  /** No error, but its name says so. */
  class ErrorReport {
    readonly name = 'n';
    readonly message = 'm';
  }
  const cycle: Record<string, unknown> = { a: { list: [] } };
  cycle['self'] = cycle;
  (cycle['a'] as { list: unknown[] }).list.push(cycle['a']);
  const request = new IncomingMessage(new Socket());
  return [
    error,
    new TypeError('outer', { cause: error }),
    new Mistake('mine'),
    new ErrorReport(),
    Mistake,
    new Mine(),
    cycle,
    { set: new Set([cycle]), map: new Map([['a', new Set([1, error])]]) },
    /ab+c/gi,
    () => 1,
    Symbol('s'),
    Buffer.from('hello world, this is text'),
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    { req: { url: '/' }, res: new ServerResponse(request), _req: 1, socket: new Socket() },
    { type: 'Buffer', data: [1, 2, 3, 4, 5, 6, 7, 8] },
    { type: 'Buffer' },
    new DataView(new ArrayBuffer(4)),
    new Uint8Array(30),
    new Float64Array([1.5, Number.NaN]),
    { toJSON: () => ({ hidden: undefined }) },
    {
      get bad() {
        throw new Error('getter');
      },
    },
    Object.create({
      toString() {
        throw new Error('no text');
      },
      constructor: Mine,
    }),
    { constructor: 'text' },
    { constructor: { name: 'Set' } },
    JSON.parse('{"__proto__":{"a":1}}'),
    Object.assign(Object.create(null), { a: new Set() }),
    Object(5),
    Object('text'),
    new Date(0),
    'x'.repeat(50),
    Array.from({ length: 30 }, (_, index) => index),
    new Proxy({ a: 1 }, {}),
  ];
}
