import { type NodeCase, special } from '../support/side-by-side.ts';

const bodies: Readonly<Record<string, string>> = {
  'returns the message': 'return msg;',
  'returns nothing': 'msg.payload = 1;',
  'returns null': 'return null;',
  'returns another': 'return { payload: "new" };',
  'returns several': 'return [msg, { payload: 2 }, null];',
  'returns a sequence': 'return [[msg, { payload: 2 }, null, { payload: 3 }], msg];',
  'returns a text': 'return "text";',
  'returns a number': 'return 5;',
  'returns true': 'return true;',
  'returns texts': 'return ["a", 5];',
  'returns a sequence with a text': 'return [[msg, "a"]];',
  'returns an array of nothing': 'return [null, undefined];',
  'returns a Buffer': 'return Buffer.from("x");',
  'returns a function': 'return () => 1;',
  'returns a date': 'return new Date(0);',
  'returns an error': 'return new Error("e");',
  sends: 'node.send(msg); node.send({ payload: 2 }); node.send([null, msg]);',
  'sends the same twice': 'node.send([msg, msg]); msg.payload = "after";',
  'sends without a copy': 'node.send(msg, false); msg.payload = "after";',
  'sends with a copy': 'node.send(msg, true); msg.payload = "after";',
  'sends a sequence': 'node.send([[msg, msg], [{ a: 1 }]]);',
  'sends a text': 'node.send("x"); node.send(5); node.send(); node.send(null); node.send(true); return msg;',
  'sends later': 'setTimeout(() => { node.send({ payload: "late" }); node.done(); }, 5); return null;',
  'sends after awaiting': 'await new Promise((r) => setTimeout(r, 2)); return msg;',
  'returns a promise': 'return Promise.resolve(msg);',
  rejects: 'return Promise.reject(new Error("rejected"));',
  'rejects with a text': 'await null; throw "text";',
  throws: 'throw new Error("thrown");',
  'throws a text': 'throw "text";',
  'throws an object': 'throw { message: "m", code: 5 };',
  'throws a type error': 'const x = undefined;\nreturn x.y;',
  'throws below': 'function a() {\n  throw new RangeError("deep");\n}\nreturn a();',
  'has an error of syntax': 'return msg',
  'has a real error of syntax': 'return msg +;',
  'errors with the message': 'node.error("said", msg); return msg;',
  'errors without the message': 'node.error("said"); return msg;',
  'errors with an error': 'node.error(new TypeError("E"), msg);',
  'errors with an object': 'node.error({ a: 1 }, msg);',
  'warns and logs':
    'node.warn("w"); node.log("l"); node.warn({ a: 1 }); node.debug("d"); node.trace("t"); return msg;',
  'is done': 'node.done(); return msg;',
  'is done twice': 'node.done(); node.done();',
  status:
    'node.status({ fill: "red", shape: "dot", text: "t" }); node.status({}); node.status("plain"); node.status({ text: 5 }); return msg;',
  identity:
    'msg.payload = [node.id.endsWith("/n"), node.name, node.outputCount, typeof node.path]; return msg;',
  'has env':
    'msg.payload = [env.get("NUM"), env.get("WORD"), env.get("OBJ"), env.get("NOPE"), env.get("NR_FLOW_NAME")]; return msg;',
  'has RED.util': 'msg.payload = Object.keys(RED.util).sort(); msg.red = Object.keys(RED); return msg;',
  clones: 'const c = RED.util.cloneMessage(msg); c.payload = "c"; return [c, msg];',
  'has globals':
    'msg.payload = ["Buffer","URL","URLSearchParams","setTimeout","clearTimeout","setInterval","clearInterval","console","process","require","fetch","structuredClone","TextEncoder","AbortController","crypto","performance","queueMicrotask","setImmediate","Date","Promise","global","globalThis","module","exports","__dirname","util","node","context","flow","env","RED","msg","send","done","atob","Intl","WebAssembly"].map((n) => { try { return n + ":" + typeof eval(n); } catch (e) { return n + ":" + e.name; } }); return msg;',
  'knows this': 'msg.payload = typeof this; return msg;',
  'has arguments': 'msg.payload = [typeof __send__, typeof __done__, arguments.length]; return msg;',
  'shares instances':
    'msg.payload = [msg.payload instanceof Object, [] instanceof Array, Array.isArray(msg.payload), msg.payload?.constructor === Object, new Error("x") instanceof Error]; return msg;',
  'keeps in context':
    'const n = (context.get("n") || 0) + 1; context.set("n", n); flow.set("f.deep", n); global.set("@g", n); msg.payload = [n, { ...flow.get("f") }, global.get("@g"), context.keys(), flow.keys().includes("f"), context.get("nope")]; return msg;',
  'keeps several in context':
    'context.set(["a", "b"], [1, 2]); context.get(["a", "b", "c"], (e, a, b, c) => { node.send({ payload: [e, a, b, c] }); node.done(); });',
  'context by callback':
    'context.set("cb", 5, (e) => { context.get("cb", (f, v) => { context.keys((g, k) => { node.send({ payload: [e, f, v, g, k] }); }); }); });',
  'context of a store by name':
    'flow.set("s", 1, "memory"); msg.payload = [flow.get("s"), flow.get("#:(memory)::s"), flow.keys("memory").includes("s")]; return msg;',
  'context with a bad key': 'context.set("a..b", 1); return msg;',
  'context with no key': 'context.get(); return msg;',
  'has context in context':
    'msg.payload = [typeof context.flow.get, typeof context.global.set, context.flow.get("word"), global.get("num")]; return msg;',
  'changes what it was given': 'msg.payload = msg; delete msg.topic; msg._msgid = "own"; return msg;',
  'clears _msgid': 'delete msg._msgid; return msg;',
  'a timer': 'const t = setInterval(() => { clearInterval(t); node.send({ payload: "tick" }); }, 3);',
  'an uncaught error of a timer that was cleared':
    'const t = setTimeout(() => { throw 1; }, 5); clearTimeout(t); return msg;',
  console: 'console.log("to the console"); return msg;',
  'comment at the end': 'return msg; // end',
  'a label and a generator': 'function* g() { yield 1; yield 2; } msg.payload = [...g()]; return msg;',
  strictness: 'undeclared = 5; msg.payload = typeof undeclared; return msg;',
  'a class': 'class A { static #x = 5; static get() { return this.#x; } } msg.payload = A.get(); return msg;',
  optional: 'msg.payload = msg?.payload?.a?.b ?? "none"; return msg;',
  'a template literal': 'msg.payload = `${msg.payload} ${1 + 1}\\n`; return msg;',
  dates: 'msg.payload = new Date(0).toISOString(); return msg;',
  prototype: 'msg.payload = { __proto__: { a: 1 }, b: 2 }; return msg;',
  getters: 'Object.defineProperty(msg, "g", { get() { return 5; }, enumerable: true }); return [msg, msg];',
  'sends the message and changes it':
    'const a = [1]; node.send({ payload: a }); a.push(2); return { payload: a };',
};

/** Function nodes. */
export function functionCases(): Record<string, NodeCase> {
  const env = [
    { name: 'NUM', type: 'num', value: '5' },
    { name: 'WORD', type: 'str', value: 'lo' },
    { name: 'OBJ', type: 'json', value: '{"a":1}' },
  ];
  const cases: Record<string, NodeCase> = {};
  const functionNode = (func: string, more: object = {}) => ({
    type: 'function',
    name: 'fn',
    func,
    outputs: 2,
    timeout: 0,
    noerr: 0,
    initialize: '',
    finalize: '',
    libs: [],
    ...more,
  });
  const give = ['hello', { payload: { a: { b: 1 } }, topic: 't' }, [1, 2], special.buffer('b')];
  for (const [name, body] of Object.entries(bodies)) {
    cases[`function ${name}`] = { node: functionNode(body), give, env, pause: 20 };
  }
  for (const outputs of [0, 1, 3]) {
    for (const body of ['return [msg, msg, msg];', 'return msg;', 'node.send([[msg], [msg, msg]]);']) {
      cases[`function of ${outputs} outputs ${body}`] = { node: functionNode(body, { outputs }), give };
    }
  }
  const setups: Readonly<Record<string, string>> = {
    'sets context': 'context.set("s", "set up");',
    awaits: 'await new Promise((r) => setTimeout(r, 20)); context.set("s", "later");',
    sends: 'node.send({ payload: "from the setup" }); node.status({ text: "ready" });',
    throws: 'throw new Error("setup failed");',
    rejects: 'await null; throw new Error("setup rejected");',
    errors: 'node.error("said in setup");',
    'has errors of syntax': 'if (',
    returns: 'return { payload: 1 };',
    'a promise that waits': 'return new Promise((r) => setTimeout(() => { context.set("s", 1); r(); }, 30));',
    variables: 'var shared = 5; this.other = 6;',
  };
  for (const [name, initialize] of Object.entries(setups)) {
    const func = 'msg.payload = [context.get("s"), typeof shared, typeof other]; return msg;';
    cases[`function setup ${name}`] = { node: functionNode(func, { initialize }), give, env };
  }
  cases['function with a module'] = {
    node: functionNode(
      'msg.payload = [path.basename("/a/b"), typeof os2.EOL, Object.keys(zz).length > 3]; return msg;',
      {
        libs: [
          { var: 'path', module: 'path' },
          { var: 'os2', module: 'os' },
          { var: 'zz', module: 'node:fs' },
        ],
      },
    ),
    give,
  };
  cases['function with a time-out'] = {
    node: functionNode('if (msg.payload === "hello") for (;;) {} return msg;', { timeout: 0.05 }),
    give,
  };
  return cases;
}
