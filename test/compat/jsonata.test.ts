import { describe, it } from 'vitest';
import { cloneMessage } from '../../src/engine/messaging/clone.ts';
import { createUtil } from '../../src/engine/util/create-util.ts';
import { expectSame, requirePeer } from '../support/peer-util.ts';

const peer = requirePeer('@node-red/util').util;
const ours: typeof peer = createUtil({ cloneMessage });

class Request {
  get ip(): string {
    return '1.2.3.4';
  }
}
const message = () => ({
  payload: {
    value: 5,
    list: [1, 2, 3],
    name: 'bob',
    items: [
      { p: 1, q: 'a' },
      { p: 2, q: 'b' },
      { p: 3, q: 'a' },
    ],
  },
  topic: 't',
  req: new Request(),
  buffer: Buffer.from('abc'),
  date: new Date(0),
  msg: 7,
});

const context = (scope: string) => ({
  get(key: string, store: string, done: (error: unknown, value?: unknown) => void) {
    setImmediate(() => (key === 'bad' ? done(new Error('no access')) : done(null, { scope, key, store })));
  },
});
const contexts = { flow: context('flow'), global: context('global') };
const flow = { getSetting: (name: string) => (name === 'X' ? 5 : undefined), getGroupNode() {} };
const node = Object.defineProperty({ id: 'n1', context: () => contexts }, '_flow', { value: flow });

/** What an expression gives, with the prototype of an object; or the code and words of what it threw, and when. */
async function evaluate(util: typeof peer, text: string): Promise<unknown> {
  const failed = (
    when: string,
    { code, message, position }: { code: string; message: string; position: number },
  ) => ({
    when,
    code,
    message,
    position,
  });
  let prepared: unknown;
  try {
    prepared = util.prepareJSONataExpression(text, node);
  } catch (error) {
    return failed('prepared', error as never);
  }
  return new Promise((resolve) =>
    util.evaluateJSONataExpression(prepared, message(), (error: never, result: unknown) => {
      if (error) return resolve(failed('evaluated', error));
      const usual =
        typeof result === 'object' && result && Object.getPrototypeOf(result) === Object.prototype;
      resolve({ result, usual });
    }),
  );
}

const expressions = [
  'payload',
  'payload.value * 2',
  'topic & "x"',
  'payload.nope',
  'nope.x',
  '$',
  '$$',
  '*',
  '**.q',
  'payload.list[0]',
  'payload.list[-1]',
  'payload.items[q="a"]',
  'payload.items^(>p).q',
  'payload.items.{"x":p}',
  'payload.items{q: p}',
  '{"a":{"b":[{"c":1}]}}',
  '[1..3]',
  '($x := 5; $x * 2)',
  'payload.value > 3 ? "y" : "n"',
  'payload ~> |$|{"n":1}|',
  'payload.list ~> $sum()',
  '$map(payload.items, function($v) { {"a":$v.p} })',
  '$filter(payload.list, function($x) { $x > 1 })',
  '$reduce(payload.list, function($a, $b) { $a + $b })',
  '$each(payload, function($v, $k) { $k })',
  '$merge([{"a":1}, {"b":2}])',
  '$string(payload)',
  '$keys(payload)',
  '$type(buffer)',
  '$fromMillis(0)',
  '$formatNumber(12.5, "0.00")',
  '$replace("abc", /b/, "x")',
  '$match("abc", /b/)',
  '$eval("1+1")',
  '$error("x")',
  '1/0',
  '"a"+1',
  // what node modules add
  '$flowContext("a")',
  '$globalContext("a", "file")',
  '$flowContext("bad")',
  '$env("X")',
  '$env("NOPE")',
  '$moment("2020-01-01T00:00:00Z").utc().format("YYYY-MM-DD")',
  '$moment("2020-01-01").tz("Europe/London").format()',
  '$moment().unknown()',
  '$clone(payload)',
  'payload.$clone()',
  // inherited properties
  'req.ip',
  'buffer.length',
  'date',
  '$string(date)',
  'payload.constructor',
  'payload.__proto__',
  '$lookup(payload, "value")',
  // expressions that speak of msg
  'msg',
  'msg.payload.value',
  '$string(msg.topic)',
  '"msg"',
  "'msg.x'",
  // what can't be parsed
  '(((',
  'a b',
  '$x(',
  '"a',
];

describe('JSONata expressions, as the peer evaluates them', () => {
  it.each(expressions)('%s', async (text) => {
    expectSame(await evaluate(ours, text), await evaluate(peer, text));
    // Compiled once, evaluated again.
    expectSame(await evaluate(ours, text), await evaluate(peer, text));
  });
});
