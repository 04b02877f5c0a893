import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hello, startFaulty } from '../support/engine-faults.ts';
import { registers, writeModule } from '../support/node-module.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-bad-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true, maxRetries: 3 }));

function install(name: string, sets: { readonly [set: string]: string }): void {
  writeModule(join(userDir, 'node_modules', name), { name, sets });
}

interface Bad {
  readonly code: string;
  readonly err: RegExp;
}

/** What a module's code does while it is loaded, and what is said of it. */
const killers: { readonly [name: string]: Bad } = {
  'never ends': { code: 'for (;;);', err: /did not finish loading/ },
  'ends the process': { code: 'process.exit(0);', err: /ended itself with exit code 0/ },
  aborts: { code: 'process.abort();', err: /was killed by SIGABRT/ },
  'ends the process a little later': {
    code: 'setTimeout(() => process.exit(1), 50);',
    err: /ended itself with exit code 1/,
  },
};

describe('a module whose code, when loaded,', () => {
  it.each(Object.entries(killers))('%s is left out, and the others run', async (_, { code, err }) => {
    install('aaa-good', { good: registers('good') });
    install('bad-module', { bad: code, fine: registers('fine') });
    install('zzz-good', { last: registers('last') });
    await using faulty = await startFaulty({ userDir, flows: hello });
    const { server, token } = faulty;
    await server.waitFor(
      async () => (await faulty.report()).state === 'running' && /left out from now on/.test(server.log()),
      'an engine without the culprit',
    );
    const nodes = await server.get('/nodes', { token, headers: { accept: 'application/json' } });
    const set = (id: string) => nodes.body.find((one: { id: string }) => one.id === id);
    expect(set('bad-module/bad')).toMatchObject({ loaded: false, err: expect.stringMatching(err) });
    for (const id of ['aaa-good/good', 'bad-module/fine', 'zzz-good/last', 'node-red/function']) {
      expect(set(id), id).toMatchObject({ loaded: true });
    }
    expect((await server.get('/hello')).text).toBe('hello');
    expect(await faulty.flowState()).toBe('start');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('throws, or never resolves, fails alone', async () => {
    install('bad-module', {
      throws: 'throw new Error("not today");',
      never: 'return new Promise(() => {});',
      rejects: 'return Promise.reject(new Error("nor tomorrow"));',
      late: 'setTimeout(() => { throw new Error("too late"); }, 10);',
    });
    await using faulty = await startFaulty({ userDir, flows: hello });
    const { server, token } = faulty;
    const report = await faulty.until('running');
    expect(report.restarts).toBe(0);
    const nodes = await server.get('/nodes', { token, headers: { accept: 'application/json' } });
    const set = (id: string) => nodes.body.find((one: { id: string }) => one.id === id);
    expect(set('bad-module/throws')).toMatchObject({
      loaded: false,
      err: expect.stringContaining('not today'),
    });
    expect(set('bad-module/rejects')).toMatchObject({
      loaded: false,
      err: expect.stringContaining('nor tomorrow'),
    });
    expect(set('bad-module/never')).toMatchObject({ loaded: false, err: expect.stringContaining('5 s') });
    expect(set('bad-module/late')).toMatchObject({ loaded: true });
    expect((await server.get('/hello')).text).toBe('hello');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });
});

describe('a handler of the hooks around npm that', () => {
  it.each([
    ['never answers', 'return new Promise(() => {});'],
    ['blocks the engine', 'for (;;);'],
    ['ends the engine', 'process.exit(3);'],
  ])('%s holds neither an installation nor a removal', async (_, body) => {
    const hooks = ['preInstall', 'postInstall', 'preUninstall', 'postUninstall'];
    install('keeper', {
      keeper: `for (const hook of ${JSON.stringify(hooks)}) RED.hooks.add(hook, (event) => { ${body} });`,
    });
    const extra = writeModule(join(userDir, 'extra'), { name: 'extra', sets: { extra: registers('extra') } });
    await using faulty = await startFaulty({ userDir, flows: hello, engine: { callTimeoutMs: 1000 } });
    const { server, token } = faulty;
    await faulty.until('running');
    expect((await server.post('/nodes', { token, json: { module: extra } })).status).toBe(200);
    expect((await server.delete('/nodes/extra', { token })).status).toBe(204);
    expect((await server.get('/nodes/extra', { token })).status).toBe(404);
    expect(server.log()).toMatch(/Handlers of preInstall could not be asked about extra/);
    expect((await faulty.answered()).unanswered).toEqual([]);
  });
});
