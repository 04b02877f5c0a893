import { describe, expect, it } from 'vitest';
import { createUtil } from './create-util.ts';
import type { JsonataNode } from './jsonata.ts';

const { prepareJSONataExpression: prepare, evaluateJSONataExpression } = createUtil({
  cloneMessage: (message) => structuredClone(message),
});

/** A context that answers later, as a store without synchronous access does. */
const context = (scope: string) => ({
  get(key: unknown, store: unknown, callback?: (error: unknown, value?: unknown) => void) {
    if (!callback) return `now ${scope} ${key}`;
    setImmediate(() =>
      key === 'bad' ? callback(new Error('no access')) : callback(null, `${scope} ${key} ${store}`),
    );
    return undefined;
  },
});
const contexts = { flow: context('flow'), global: context('global') };
const node: JsonataNode = {
  id: 'n1',
  context: () => contexts,
  _flow: { getSetting: (name) => (name === 'WHO' ? 'Joe' : undefined) },
};

function evaluate(text: string, message: unknown = {}, of: JsonataNode | undefined = node): Promise<unknown> {
  return new Promise((resolve, reject) =>
    evaluateJSONataExpression(prepare(text, of), message, (error, result) =>
      error ? reject(error) : resolve(result),
    ),
  );
}

describe('a JSONata expression', () => {
  it('is evaluated against the message, or { msg } where it speaks of msg', async () => {
    expect(await evaluate('payload.a * 2', { payload: { a: 4 } })).toBe(8);
    expect(await evaluate('msg.payload.a', { payload: { a: 4 } })).toBe(4);
    expect(await evaluate('"msg"', {})).toBe('msg');
    expect(prepare('payload')._legacyMode).toBe(false);
    expect(prepare('$string(msg.payload)')._legacyMode).toBe(true);
  });

  it('reads context stores that answer later', async () => {
    expect(await evaluate('$flowContext("a") & "," & $globalContext("b", "file")')).toBe(
      'flow a undefined,global b file',
    );
    await expect(evaluate('$flowContext("bad")')).rejects.toThrow('no access');
  });

  it('reads context stores that answer at once', async () => {
    const answers = {
      get: (key: unknown, _: unknown, callback?: (error: unknown, value?: unknown) => void) =>
        callback?.(key === 'bad' ? new Error('no access') : null, 5),
    };
    const direct: JsonataNode = { context: () => ({ flow: answers, global: answers }) };
    expect(await evaluate('$flowContext("a") + $globalContext("b")', {}, direct)).toBe(10);
    await expect(evaluate('$flowContext("bad")', {}, direct)).rejects.toThrow('no access');
  });

  it('waits for functions and methods that return promises', async () => {
    const message = { later: { get: async (x: number) => x + 1 } };
    expect(await evaluate('later.get(1) * 2', message)).toBe(4);
    const own = prepare('$later(2) + $sum([1, 2])');
    own.assign('later', async (x: number) => x * 10);
    expect(await own.evaluate({})).toBe(23);
    const registered = prepare('[1, 2] ~> $map($later)');
    registered.registerFunction('later', async (x: number) => x * 10, '<n:n>');
    expect(Array.from((await registered.evaluate({})) as number[])).toEqual([10, 20]);
  });

  it('goes as deep as the library itself', async () => {
    const sum = '($s := function($n) { $n = 0 ? 0 : $n + $s($n - 1) }; $s(2000))';
    expect(await evaluate(sum)).toBe(2001000);
  });

  it('has $env, $moment and $clone', async () => {
    expect(await evaluate('$env("WHO") & $env("NOBODY")')).toBe('Joe');
    expect(await evaluate('$moment("2020-02-01T00:00:00Z").utc().format("YYYY-MM")')).toBe('2020-02');
    const payload = { a: [1] };
    const copy = await evaluate('$clone(payload)', { payload });
    expect(copy).toEqual(payload);
    expect(copy).not.toBe(payload);
  });

  it('reads inherited properties, but not the ways out to the prototype', async () => {
    class Request {
      get ip() {
        return '1.2.3.4';
      }
    }
    expect(await evaluate('req.ip', { req: new Request() })).toBe('1.2.3.4');
    expect(await evaluate('req.constructor', { req: new Request() })).toBeUndefined();
    expect(await evaluate('$lookup(req, "__proto__")', { req: {} })).toBeUndefined();
  });

  it('gives objects with the usual prototype, also within lists, and leaves instances alone', async () => {
    const when = new Date(0);
    const result = (await evaluate('[{"a":{"b":when}}]', { when })) as { a: { b: Date } }[];
    expect(result).toEqual([{ a: { b: when } }]);
    expect(Object.getPrototypeOf(result[0])).toBe(Object.prototype);
    expect(Object.getPrototypeOf(result[0]?.a)).toBe(Object.prototype);
    expect(result[0]?.a.b).toBe(when);
  });

  it('hands over what fails, and throws what can not be parsed', async () => {
    await expect(evaluate('$number("x")')).rejects.toMatchObject({ code: 'D3030' });
    expect(() => prepare('(((')).toThrow(expect.objectContaining({ code: expect.any(String) }));
    expect(() => evaluateJSONataExpression(prepare('1'), {})).toThrow('must include a callback');
  });

  it('hands to the callback what the callback throws', async () => {
    const calls: unknown[] = [];
    await new Promise<void>((resolve) => {
      evaluateJSONataExpression(prepare('1'), {}, (error, result) => {
        calls.push(error ?? result);
        if (!error) throw 'from the callback';
        resolve();
      });
    });
    expect(calls).toEqual([1, 'from the callback']);
  });

  it('keeps what is assigned and registered to itself', async () => {
    const one = prepare('$twice($I)');
    one.assign('I', 3);
    one.registerFunction('twice', (x: number) => 2 * x, '<n:n>');
    expect(await one.evaluate({})).toBe(6);
    await expect(prepare('$twice($I)').evaluate({})).rejects.toMatchObject({ code: 'T1006' });
    expect(await one.evaluate({}, { I: 4 })).toBe(8);
  });

  it('reads context without a callback where it is evaluated directly', async () => {
    expect(await prepare('$flowContext("a")', node).evaluate({})).toBe('now flow a');
    expect(await prepare('$flowContext("a")').evaluate({})).toBe('');
  });
});
