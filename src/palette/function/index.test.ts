import { afterEach, describe, expect, it } from 'vitest';
import {
  core,
  exchange,
  flowOf,
  give,
  logged,
  type Message,
  received,
} from '../../../test/support/core-node.ts';
import { playBoth } from '../../../test/support/played-node.ts';
import helper from '../../testing/index.ts';

const set = core('function/10-function');
const file = 'function/10-function';
const message = (): Message => ({ payload: { n: 1 }, topic: 't' });

const bodies: Readonly<Record<string, string>> = {
  'the message': 'return msg;',
  'a changed message': 'msg.payload.n++; msg.topic += "!"; return msg;',
  nothing: 'return;',
  null: 'return null;',
  'another message': 'return { payload: msg.payload };',
  'a frozen message': 'return Object.freeze({ payload: 1 });',
  outputs: 'return [msg, null, { payload: 3 }];',
  'outputs with sequences': 'return [[msg, { payload: 2 }, null], [{ a: 1 }], []];',
  'falsy values': 'return [0, "", false, undefined];',
  'an empty text': 'return "";',
  zero: 'return 0;',
  'a text': 'return "text";',
  'a number': 'return 7;',
  'a Buffer': 'return Buffer.from("x");',
  'a date': 'return new Date(0);',
  'a text as output': 'return ["text", 5];',
  'a thenable': 'return { then(go) { setTimeout(() => go(msg), 15); } };',
  'a promise': 'return Promise.resolve([msg, { payload: 2 }]);',
  'a promise that is rejected': 'return Promise.reject(new Error("rejected"));',
  'after waiting': 'await new Promise((go) => setTimeout(go, 15)); return msg;',
  'after waiting in a loop': 'for await (const x of [Promise.resolve(1)]) msg.payload = x; return msg;',
  'async functions inside':
    'const f = async () => { await 1; node.send({ payload: "f" }); }; f(); return msg;',
  'this and arguments':
    'msg.payload = [this === globalThis, arguments.length, typeof arguments[1], this.context === context]; return msg;',
  'kept globals': 'count = (typeof count === "undefined" ? 0 : count) + 1; msg.payload = count; return msg;',
  'a global of its own name': 'flow = { get: () => "mine" }; msg.payload = flow.get(); return msg;',
  'a shadowed name':
    'const context = 1, RED = 2; let env = 3; msg.payload = context + RED + env; return msg;',
  'objects of the language':
    'msg.payload = [Math.max(1, 2), JSON.stringify([1]), parseInt("7x"), Number("5"), [] instanceof Array, new Map([[1, 2]]).get(1), typeof Promise, typeof process, typeof require, typeof setImmediate]; return msg;',
  'the names it has':
    'msg.payload = Object.keys(node).concat(typeof util.inspect, typeof URL, typeof promisify, typeof URLSearchParams, Date === msg.date); return msg;',
  'what it knows of itself': 'msg.payload = [node.id, node.name, node.outputCount]; return msg;',
  'an error': 'throw new Error("thrown");',
  'an error on a later line': 'const a = 1;\n\nmissing();\nreturn msg;',
  'an error inside a function': 'function deep() {\n  return missing;\n}\nreturn deep();',
  'a type error': 'msg.none.deep = 1;',
  'a text that is thrown': 'throw "text";',
  'an object that is thrown': 'throw { code: 5 };',
  'an error after waiting': 'await null;\nmissing();',
  'errors and warnings':
    'node.error("one"); node.error("two", msg); node.warn({ a: 1 }); node.log("l"); node.debug("d"); node.trace("t");',
  'node.send': 'node.send(msg); msg.topic = "later"; node.send([msg, msg]); node.send(null); return msg;',
  'node.send without copies': 'node.send(msg, false); msg.topic = "later";',
  'node.send of a list': 'node.send([[msg, msg, { payload: 2 }], msg]); node.send("x"); node.send([]);',
  'node.send later': 'setTimeout(() => node.send({ payload: "late" }), 15);',
  'node.done': 'node.send(msg); node.done();',
  'node.done in a comment': '// node.done()\nreturn msg;',
  'node.done with an error': 'node.done(new Error("not done"));',
  'node.done later': 'setTimeout(() => { node.done(); }, 15); return msg;',
  'node.on for messages': 'node.on("input", () => {});',
  'timers that fail': 'setTimeout(() => { throw new Error("in a timer"); }, 15);',
  intervals:
    'let n = 0; const t = setInterval(() => { node.send({ payload: ++n }); if (n === 2) clearInterval(t); }, 15);',
  'cleared timers': 'clearTimeout(setTimeout(() => node.send(msg), 1)); clearTimeout(undefined);',
  'promisified timers': 'await promisify(setTimeout)(15, "x"); return msg;',
  contexts:
    'flow.set("f.deep", [1]); context.set("c", 2); global.set(["a", "b"], [3, 4]); msg.payload = [flow.get("f.deep[0]"), context.get("c"), global.get(["a", "b"]), flow.keys(), context.flow.get("f"), typeof context.global.get, flow.get("none")]; return msg;',
  'contexts with callbacks':
    'flow.set("x", 1, (e) => flow.get("x", (e2, v) => { node.send({ payload: [e, e2, v] }); })); ',
  'the environment': 'msg.payload = [env.get("E"), env.get("NONE"), env.get("NR_NODE_ID")]; return msg;',
  utilities:
    'const copy = RED.util.cloneMessage(msg); copy.payload.n = 9; msg.payload = [msg.payload.n, RED.util.ensureString(5), RED.util.getMessageProperty(msg, "topic"), Object.keys(RED)]; return msg;',
  'a status': 'node.status({ text: "t" }); return msg;',
  'a directive that is none':
    '"use strict"; undeclared = 5; msg.payload = [undeclared, typeof this]; return msg;',
  'names replaced through the global object':
    'this.parseInt = () => 9; globalThis["parseFloat"] = () => 8; msg.payload = [parseInt("1"), parseFloat("1")]; return msg;',
  'a function from a text': 'msg.payload = new Function("return msg.topic")(); return msg;',
  'nothing at all': '',
  'a comment at its end': 'return msg; // done',
  'an await that is no keyword in a text': 'msg.payload = "await"; return msg;',
  'the function object': 'msg.payload = typeof node.send + typeof __node__ ; return msg;',
  eval: 'msg.payload = eval("1 + msg.payload.n"); return msg;',
};

describe('function does as the published node does', () => {
  it('with these bodies', async () => {
    // All on one tab, whose context they share: none of the bodies minds.
    const cases = Object.values(bodies).map((func) => ({
      config: { func, outputs: 3, name: 'f' },
      outputs: 3,
      // What timers of two messages do may come in any order.
      messages: /Timeout|Interval/.test(func) ? [message()] : [message(), message()],
    }));
    const { ours, theirs } = await playBoth(file, 'function', cases, 200);
    const named = (deeds: readonly unknown[]) =>
      Object.fromEntries(Object.keys(bodies).map((name, index) => [name, deeds[index]]));
    expect(named(ours)).toEqual(named(theirs));
    expect(ours.filter((deeds) => deeds.length > 0).length).toBeGreaterThan(50);
  });

  it('with setup and clean-up', async () => {
    const cases = [
      { initialize: 'context.set("n", 5);', func: 'msg.payload = context.get("n"); return msg;' },
      {
        initialize: 'await new Promise((go) => setTimeout(go, 5)); ready = 1;',
        func: 'return { payload: ready };',
      },
      {
        initialize: 'node.send({ payload: "up" }); node.warn("w"); node.status({ text: "s" });',
        func: 'return msg;',
      },
      { initialize: 'throw new Error("setup failed");', func: 'return msg;' },
      { initialize: 'await null; throw new Error("setup failed later");', func: 'return msg;' },
      { initialize: 'this.say = () => node.warn(msg.payload);', func: 'say(); return msg;' },
      { initialize: 'flow = { get: () => "of setup" };', func: 'msg.payload = flow.get(); return msg;' },
      { func: 'return msg;', finalize: 'node.send(1)' },
    ].map((config) => ({ config, messages: [message(), message()] }));
    const { ours, theirs } = await playBoth(file, 'function', cases, 200);
    expect(ours).toEqual(theirs);
  });

  it('with code that does not compile', async () => {
    const cases = ['return msg +;', 'let a;\nlet a;', 'return await = 1;', '}\nreturn msg;{'].map((func) => ({
      config: { func, name: 'f' },
      messages: [message()],
    }));
    const { ours, theirs } = await playBoth(file, 'function', cases, 5);
    expect(ours).toEqual(theirs);
    expect(ours[0]?.[0]).toContain('(body:line 1)');
  });

  it('with a time limit', async () => {
    const limited = (func: string, timeout: number) => ({
      config: { func, timeout },
      messages: [message()],
    });
    const { ours, theirs } = await playBoth(
      file,
      'function',
      [
        limited('while (true) {}', 0.05),
        limited('throw new Error("thrown");', 30),
        limited('msg.payload = 1; return msg;', 30),
        limited('await null; return msg;', 30),
      ],
      20,
    );
    expect(ours).toEqual(theirs);
    expect(ours[0]?.[0]).toContain('timed out after 50ms');
  });
});

describe('function', () => {
  afterEach(async () => {
    await helper.unload();
    helper.settings({});
  });
  const load = (config: object) => helper.load(set, flowOf('function', { outputs: 1, ...config }));

  it('says where a setup fails to compile', async () => {
    await load({ func: 'return msg;', initialize: 'const a = 1;\nconst a = 2;' });
    expect(String(logged(20)[0])).toContain('(setup:line 2)');
  });

  it('is delivered many messages in a row only if it leaves nothing to be done later', async () => {
    const isBatchable = async (func: string) => {
      await load({ func });
      return helper.getNode('n1')[Symbol.for('sluice.batchable')] === true;
    };
    expect(await isBatchable('msg.payload = [1].map((x) => x + 1); return msg;')).toBe(true);
    for (const func of [
      'await 1; return msg;',
      'Promise.resolve().then(() => node.send(msg));',
      'f(msg).catch(node.error);',
      'setTimeout(() => node.send(msg), 1);',
      'flow.get("x", "disk", (error, value) => node.send({ payload: value }));',
      '(async () => {})();',
      'import("fs");',
      'node.linkcall("x", msg);',
    ]) {
      expect([func, await isBatchable(func)]).toEqual([func, false]);
    }
  });

  it('ends its timers, and clears its status, when it is stopped', async () => {
    await load({
      func: 'setTimeout(() => {}, 1e6); setInterval(() => {}, 1e6); node.status({ text: "t" }); return msg;',
    });
    await exchange('n1', {});
    const node = helper.getNode('n1');
    expect([node.outstandingTimers.length, node.outstandingIntervals.length]).toEqual([1, 1]);
    await helper.clearFlows();
    expect([node.outstandingTimers.length, node.outstandingIntervals.length]).toEqual([0, 0]);
    expect(node.status.args.at(-1)).toEqual([{}]);
  });

  it('runs its clean-up, also where no message ever came', async () => {
    await load({ func: 'return msg;', finalize: 'node.warn(["down", typeof flow.get]); node.send({});' });
    await helper.clearFlows();
    expect([logged(30), logged(20)]).toEqual([[['down', 'function']], ['Cannot send from close function']]);
  });

  it('obeys the limit of all functions', async () => {
    helper.settings({ globalFunctionTimeout: 0.05 });
    await load({ func: 'while (msg.payload) {} return msg;' });
    helper.getNode('n1').receive({ payload: 1 });
    expect(String(logged(20)[0])).toContain('timed out after 50ms');
    expect(await exchange('n1', { payload: 0 })).toMatchObject({ payload: 0 });
  });

  it('uses packages under the names it gives them', async () => {
    await load({
      func: 'msg.payload = [p.basename("/a/b"), path2.sep]; return msg;',
      libs: [
        { var: 'p', module: 'path' },
        { var: 'path2', module: 'node:path' },
      ],
    });
    expect((await exchange('n1', {}))['payload']).toEqual(['b', '/']);
  });

  it('is refused packages by the settings, and names that are taken', async () => {
    helper.settings({ functionExternalModules: false });
    await load({ func: 'return msg;', libs: [{ var: 'p', module: 'path' }] });
    helper.settings({});
    expect(logged(20).map(String)).toEqual(['Error: function.error.externalModuleNotAllowed']);
    await load({ func: 'return msg;', libs: [{ var: 'flow', module: 'path' }] });
    expect(logged(20).map(String)).toEqual([
      'function.error.moduleNameError',
      'Error: function.error.externalModuleLoadError',
    ]);
  });

  it('calls link in nodes and waits for what they return', async () => {
    const at = { z: 'tab', x: 0, y: 0 };
    await helper.load(
      [set, core('common/60-link')],
      [
        ...flowOf('function', {
          func: `const answer = await node.linkcall(msg.to, { payload: 1 }, { timeout: 30 });
                 return answer;`,
        }),
        { id: 'in', type: 'link in', name: 'callee', ...at, wires: [['add']] },
        {
          id: 'add',
          type: 'function',
          func: 'msg.payload++; return msg;',
          outputs: 1,
          ...at,
          wires: [['back']],
        },
        { id: 'back', type: 'link out', mode: 'return', ...at, wires: [] },
        { id: 'silent', type: 'link in', name: 'silent', ...at, wires: [[]] },
        { id: 'c', type: 'catch', scope: ['n1'], ...at, wires: [['caught']] },
        { id: 'caught', type: 'helper', ...at, wires: [] },
      ],
    );
    const answers = await give('n1', [{ to: 'callee' }, { to: 'in' }], 'out', 2);
    expect(answers.map(({ payload, _linkSource }) => [payload, _linkSource])).toEqual([
      [2, undefined],
      [2, undefined],
    ]);
    const caught = received('caught', 3);
    for (const to of ['', 'silent', 'nowhere']) helper.getNode('n1').receive({ to });
    expect((await caught).map(({ error }) => error.message).sort()).toEqual([
      expect.stringContaining('function.error.linkcallTargetInvalid'),
      expect.stringContaining('nowhere'),
      expect.stringContaining('timeout'),
    ]);
  });
});
