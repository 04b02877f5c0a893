import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyServer, hello, route, startFaulty } from '../support/engine-faults.ts';
import { type ModuleFixture, registers, writeModule } from '../support/node-module.ts';

interface Bad extends Omit<ModuleFixture, 'name'> {
  /** What is said of its set `bad`. */
  readonly err: RegExp;
}

const bad = (body: string, err: RegExp): Bad => ({ sets: { bad: body, fine: registers('fine') }, err });
/** A module whose set `bad` is this file. */
const file = (text: string, err: RegExp, name = 'bad.js'): Bad => ({
  sets: { fine: '' },
  files: { [name]: text, 'fine.js': 'module.exports = () => {};' },
  manifest: { 'node-red': { nodes: { bad: name, fine: 'fine.js' } } },
  err,
});

/** Modules with a set that does not load, by what is wrong with it; none of them brings the engine down. */
const modules: { readonly [wrong: string]: Bad } = {
  'throws an error': bad('throw new Error("not today");', /not today/),
  'throws a text': bad('throw "only words";', /only words/),
  'throws nothing': bad('throw undefined;', /./),
  'rejects with nothing': bad('return Promise.reject();', /./),
  'rejects after a while': bad(
    'return new Promise((_, no) => setTimeout(() => no(new Error("a while")), 100));',
    /a while/,
  ),
  'never resolves': bad('return new Promise(() => {});', /did not finish loading/),
  'needs a package that is absent': bad('require("a-package-that-is-absent");', /a-package-that-is-absent/),
  'needs a file that is absent': bad('require("./absent.js");', /absent\.js/),
  'registers a type twice': bad(`${registers('twice')}${registers('twice')}`, /'twice' is registered twice/),
  'registers a type of the core': bad(registers('inject'), /inject.*already registered/),
  'registers a type of another module': bad(registers('taken'), /taken.*already registered/),
  'registers no constructor': bad('RED.nodes.registerType("no-constructor", 42);', /constructor|function/),
  'uses what RED does not have': bad('RED.nodes.conjure("x");', /conjure/),
  'can not be parsed': file('module.exports = function (RED) { let let = 1; };', /SyntaxError|let/),
  'can not be parsed as an ES module': file('export default (RED) => { await 1 +; };', /./, 'bad.mjs'),
  'throws while it is required': file('throw new TypeError("too early");', /too early/),
  'has a getter that throws': file(
    'Object.defineProperty(module, "exports", { get() { throw new Error("trap"); } });',
    /trap/,
  ),
  'names a file that is absent': {
    sets: { fine: '' },
    manifest: { 'node-red': { nodes: { bad: 'nowhere.js', fine: 'fine.js' } } },
    err: /nowhere\.js/,
  },
  'names a folder': {
    ...file('', /./, 'folder/x.js'),
    manifest: { 'node-red': { nodes: { bad: 'folder' } } },
  },
};

const nameOf = (wrong: string) => `node-red-${wrong.toLowerCase().replaceAll(' ', '-')}`;

describe('a module that', () => {
  let faulty: FaultyServer;
  let sets: { id: string; loaded: boolean; err?: string }[];
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-load-'));

  beforeAll(async () => {
    const folder = (name: string) => join(userDir, 'node_modules', name);
    writeModule(folder('aaa-first'), { name: 'aaa-first', sets: { taken: registers('taken') } });
    writeModule(folder('zzz-last'), { name: 'zzz-last', sets: { last: registers('last') } });
    for (const [wrong, { err: _, ...fixture }] of Object.entries(modules)) {
      // Each has a type of its own that is fine.
      const own = fixture.sets?.['fine']
        ? { ...fixture.sets, fine: registers(`${wrong} fine`) }
        : fixture.sets;
      writeModule(folder(nameOf(wrong)), { ...fixture, name: nameOf(wrong), ...(own ? { sets: own } : {}) });
    }
    faulty = await startFaulty({ userDir, flows: hello });
    await faulty.until('running');
    const { body } = await faulty.server.get('/nodes', {
      token: faulty.token,
      headers: { accept: 'application/json' },
    });
    sets = body;
  });
  afterAll(async () => {
    await faulty?.[Symbol.asyncDispose]();
    rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
  });

  it.each(Object.entries(modules))('%s: says so in `err`', (wrong, { err }) => {
    const set = sets.find(({ id }) => id === `${nameOf(wrong)}/bad`);
    expect(set).toMatchObject({ loaded: false, err: expect.stringMatching(err) });
    expect(set?.err, 'no stack, no path of the server').not.toMatch(/\n\s+at |\/tmp\//);
  });

  it('fails leaves all others alone', async () => {
    const failed = sets.filter(({ loaded }) => !loaded).map(({ id }) => id);
    expect(failed.sort()).toEqual(
      Object.keys(modules)
        .map((wrong) => `${nameOf(wrong)}/bad`)
        .sort(),
    );
    expect((await faulty.server.get('/hello')).text).toBe('hello');
    expect((await faulty.report()).restarts).toBe(0);
    expect((await faulty.answered()).unanswered).toEqual([]);
  });
});

const inject = { id: 'i', type: 'inject', z: 't', once: true, onceDelay: 0.1, props: [], wires: [['b']] };
const nodes: { readonly [fault: string]: { body: string; logged: RegExp; atClose?: boolean } } = {
  'throw in their constructor': { body: 'throw new Error("no such luck");', logged: /no such luck/ },
  'throw nothing in their constructor': { body: 'throw undefined;', logged: /bad:b/ },
  'throw on a message': {
    body: 'this.on("input", () => { throw new Error("bad news"); });',
    logged: /bad news/,
  },
  'throw when they are closed': {
    body: 'this.on("close", () => { throw new Error("let me"); });',
    logged: /Error stopping node: Error: let me/,
    atClose: true,
  },
  'throw when they are closed, with a callback': {
    body: 'this.on("close", (done) => { throw new Error("let me"); });',
    logged: /Error stopping node: Error: let me/,
    atClose: true,
  },
  'reject when they are closed': {
    body: 'this.on("close", () => Promise.reject(new Error("let me too")));',
    logged: /let me too/,
    atClose: true,
  },
};

describe('nodes that', () => {
  it.each(Object.entries(nodes))('%s leave the flows running', async (_, { body, logged, atClose }) => {
    const userDir = mkdtempSync(join(tmpdir(), 'sluice-node-'));
    const set = `RED.nodes.registerType('bad', function (config) {
      RED.nodes.createNode(this, config);
      ${body}
    });`;
    writeModule(join(userDir, 'node_modules', 'bad-nodes'), { name: 'bad-nodes', sets: { bad: set } });
    try {
      const tab = [{ id: 't', type: 'tab', label: 't' }, inject, { id: 'b', type: 'bad', z: 't', wires: [] }];
      await using faulty = await startFaulty({ userDir, flows: [...hello, ...tab] });
      const { server } = faulty;
      const isLogged = () => server.waitFor(() => logged.test(server.log()), `${logged} in the log`);
      await server.waitFor(async () => (await server.get('/hello')).text === 'hello');
      if (atClose !== true) await isLogged();
      await faulty.deploy([...hello, ...route('next', 'msg.payload = "next"; return msg;')]);
      await isLogged();
      await server.waitFor(async () => (await server.get('/next')).text === 'next');
      expect((await faulty.report()).restarts).toBe(0);
      expect((await faulty.answered()).unanswered).toEqual([]);
    } finally {
      rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

describe('what a module does to its process', () => {
  it.each([
    [
      'takes every request',
      'RED.httpAdmin.use((q, r) => r.end("mine")); RED.httpAdmin._router.stack.reverse();',
    ],
    [
      'says what it likes to the other plane',
      'process.send?.("ready"); require("fs").writeSync(3, "ready\\nnull\\n");',
    ],
    ['changes what all objects have', 'Object.prototype.extra = 1; Array.prototype.extra = 2;'],
    ['leaves the other plane', 'process.disconnect?.();'],
    ['closes the server', 'RED.server.close(); RED.server.closeAllConnections();'],
  ])('%s: stays in the engine', async (_, body) => {
    const userDir = mkdtempSync(join(tmpdir(), 'sluice-own-'));
    writeModule(join(userDir, 'node_modules', 'rude'), { name: 'rude', sets: { rude: body } });
    try {
      await using faulty = await startFaulty({ userDir, flows: hello });
      const { server, token } = faulty;
      const headers = { accept: 'application/json' };
      await server.waitFor(async () => {
        const { body } = await server.get('/nodes/rude', { token, headers });
        return body.nodes[0].loaded || body.nodes[0].err;
      }, 'the set has been tried');
      await faulty.until('running');
      expect((await server.get('/flows', { token })).body).toMatchObject(hello);
      expect((await server.get('/nodes')).status).toBe(401);
      expect((await faulty.answered()).unanswered).toEqual([]);
    } finally {
      rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it('takes the listeners off: the engine hears the control plane all the same', async () => {
    const userDir = mkdtempSync(join(tmpdir(), 'sluice-deaf-'));
    const body = 'for (const name of ["message", "disconnect", undefined]) process.removeAllListeners(name);';
    writeModule(join(userDir, 'node_modules', 'deaf'), { name: 'deaf', sets: { deaf: body } });
    try {
      await using faulty = await startFaulty({ userDir, flows: hello });
      const { server } = faulty;
      await faulty.until('running');
      await faulty.deploy([...hello, ...route('next', 'msg.payload = "next"; return msg;')]);
      await server.waitFor(async () => (await server.get('/next')).text === 'next');
      expect((await faulty.report()).restarts).toBe(0);
    } finally {
      rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});
