// node-red-admin, as published, as a client: every command of it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hashSync, verifySync } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, runCommand } from '../support/command.ts';
import { registers, writeModule } from '../support/node-module.ts';
import { registryAnswers } from '../support/registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

const require = createRequire(import.meta.url);
const script = join(dirname(require.resolve('node-red-admin/package.json')), 'node-red-admin.js');
const withRegistry = await registryAnswers();
const scratch = mkdtempSync(join(tmpdir(), 'sluice-admin-client-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The client with a folder of its own for what it remembers. */
function client(server: () => TestServer) {
  const home = mkdtempSync(join(scratch, 'home-'));
  /** Runs a command; whenever a prompt is printed that is in `answers`, its answer is typed. */
  const admin = (
    args: readonly string[],
    answers: { readonly [prompt: string]: string } = {},
  ): Promise<Ended> => {
    const open = Object.entries(answers);
    return runCommand(process.execPath, [script, ...args, '--userDir', home], {
      env: { HOME: home, NODE_PATH: undefined },
      keepInput: open.length > 0,
      onOutput: (printed, child) => {
        if (open[0] === undefined || !printed.includes(open[0][0])) return;
        child.stdin?.write(`${open[0][1]}\n`);
        open.shift();
        // With its input open the client does not end.
        if (open.length === 0) child.stdin?.end();
      },
    });
  };
  return {
    home,
    admin,
    logIn: (username: string, password: string) =>
      admin(['login'], { 'Username:': username, 'Password:': password }),
    target: () => admin(['target', `${server().url}/`]),
  };
}

const said = ({ code, stdout, stderr }: Ended) => ({ code, out: stdout.trim(), err: stderr.trim() });
/** The rows of a table, cells trimmed. */
const rows = (table: string): string[][] =>
  table.split('\n').map((line) =>
    line
      .trim()
      .split(/\s{3,}/)
      .map((cell) => cell.trim()),
  );

describe('node-red-admin without adminAuth', () => {
  let server: TestServer;
  const { admin, home, target } = client(() => server);
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('target: takes the address, and remembers it', async () => {
    expect(said(await target())).toEqual({ code: 0, out: `Target: ${server.url}`, err: '' });
    expect(said(await admin(['target'])).out).toBe(`Target: ${server.url}`);
    expect(JSON.parse((await admin(['target', '--json'])).stdout)).toEqual({ target: server.url });
    expect(JSON.parse(readFileSync(join(home, '.cli-config.json'), 'utf8')).target).toBe(server.url);
  });

  it('login: has nothing to ask for', async () => {
    expect(said(await admin(['login']))).toEqual({ code: 0, out: '', err: '' });
  });

  it('list: every set, its types and its state', async () => {
    const { code, stdout } = await admin(['list']);
    expect(code).toBe(0);
    expect(rows(stdout)).toContainEqual(['node-red/inject', 'inject', 'enabled']);
    expect(rows(stdout)).toContainEqual(['node-red/link', 'link in', 'enabled']);
    const sets: { id: string; enabled: boolean }[] = JSON.parse((await admin(['list', '--json'])).stdout);
    expect(sets.length).toBeGreaterThan(30);
    expect(sets.every(({ enabled }) => enabled)).toBe(true);
  });

  it('info: a module, a set, and what is not there', async () => {
    const module = await admin(['info', 'node-red']);
    expect([module.code, module.stdout]).toEqual([
      0,
      expect.stringMatching(/Module: +node-red\nVersion: +5\./),
    ]);
    const set = await admin(['info', 'node-red/inject']);
    expect(set.stdout).toMatch(
      /Name: +node-red\/inject *\nModule: +node-red *\nVersion: .*\nTypes: +inject *\nState: +enabled/,
    );
    expect(JSON.parse((await admin(['info', 'node-red/inject', '--json'])).stdout)).toMatchObject({
      id: 'node-red/inject',
    });
    expect(said(await admin(['info', 'none']))).toEqual({ code: 1, out: '', err: '404: Module not found' });
    expect(said(await admin(['info', 'none/none']))).toEqual({
      code: 1,
      out: '',
      err: '404: Node not found',
    });
    const asJson = await admin(['info', 'none', '--json']);
    expect(JSON.parse(asJson.stdout)).toEqual({ error: 'Module not found', status: 404 });
  });

  it.runIf(withRegistry)('install, disable, enable, remove: a module of the registry', async () => {
    const name = 'node-red-node-random';
    const installed = await admin(['install', name]);
    expect(installed.code, installed.stderr).toBe(0);
    expect(installed.stdout).toMatch(new RegExp(`Module: +${name}`));
    expect(rows(installed.stdout)).toContainEqual([`${name}/random`, 'random', 'enabled']);
    expect(said(await admin(['install', name]))).toMatchObject({
      code: 1,
      err: '400: Module already loaded',
    });

    for (const [command, state] of [
      ['disable', 'disabled'],
      ['enable', 'enabled'],
    ] as const) {
      for (const target of [name, `${name}/random`]) {
        const changed = await admin([command, target]);
        expect([command, target, changed.code, changed.stdout]).toEqual([
          command,
          target,
          0,
          expect.stringContaining(state),
        ]);
      }
      expect(rows((await admin(['list'])).stdout)).toContainEqual([`${name}/random`, 'random', state]);
    }
    const removed = await admin(['remove', name]);
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(name)]);
    expect((await admin(['info', name])).code).toBe(1);
    expect(said(await admin(['remove', name]))).toMatchObject({ code: 1, err: '404: Module not found' });
  });

  it.runIf(withRegistry)('install: a version, and then another', async () => {
    const old = JSON.parse((await admin(['install', 'node-red-node-random@0.4.0', '--json'])).stdout);
    expect(old).toMatchObject({ name: 'node-red-node-random', version: '0.4.0', nodes: [{ loaded: true }] });
    const newer = JSON.parse((await admin(['install', 'node-red-node-random@0.4.1', '--json'])).stdout);
    expect(newer.version).toBe('0.4.1');
    expect((await admin(['remove', 'node-red-node-random'])).code).toBe(0);
  });

  it('install: a directory; and says why not', async () => {
    const folder = writeModule(join(scratch, 'surf'), {
      name: '@acme/surf',
      sets: { surf: registers('surf') },
    });
    const installed = JSON.parse((await admin(['install', folder, '--json'])).stdout);
    expect(installed).toMatchObject({ name: '@acme/surf', nodes: [{ types: ['surf'] }] });
    expect((await admin(['remove', '@acme/surf'])).code).toBe(0);
    const refused = await admin(['install', 'a/b']);
    expect(said(refused)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('400: Field "module" must be'),
    });
    expect(said(await admin(['disable', 'none'])).err).toBe('400: Module not found');
  });

  it('projects: there are none', async () => {
    const { code } = await admin(['projects']);
    // Ours says that there is no such thing, in words that the client prints.
    expect(code).toBe(1);
  });

  it('hash-pw: a hash that the settings file takes', async () => {
    const { code, stdout } = await admin(['hash-pw'], { 'Password:': 'surf' });
    const hash = /\$2[aby]\$\d\d\$[./\w]{53}/.exec(stdout)?.[0] ?? '';
    expect([code, verifySync('surf', hash)]).toEqual([0, true]);
    expect(stdout).not.toContain('surf');
  });

  it('help, of itself and of each command', async () => {
    expect((await admin([])).stdout).toContain('Usage:');
    for (const command of [
      'target',
      'login',
      'list',
      'info',
      'enable',
      'disable',
      'search',
      'install',
      'remove',
      'hash-pw',
    ])
      expect((await admin([command, '--help'])).stdout, command).toContain('Usage:');
  });
});

describe('node-red-admin with adminAuth', () => {
  const password = hashSync('surf', { cost: 4 });
  const users = [
    { username: 'admin', password, permissions: '*' },
    { username: 'reader', password, permissions: ['nodes.read'] },
    { username: 'viewer', password, permissions: 'read' },
  ];
  let server: TestServer;
  const { admin, home, logIn, target } = client(() => server);
  const notLoggedIn = { code: 1, out: '', err: "Not logged in. Use 'login' to log in." };
  beforeAll(async () => {
    server = await startServer({ settings: { adminAuth: { type: 'credentials', users } } });
    await target();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('every command asks to log in first', async () => {
    for (const args of [
      ['list'],
      ['info', 'node-red'],
      ['install', 'x'],
      ['disable', 'x'],
      ['enable', 'x'],
      ['remove', 'x'],
    ]) {
      expect([args, said(await admin(args))]).toEqual([args, notLoggedIn]);
    }
    const asJson = JSON.parse((await admin(['list', '--json'])).stdout);
    expect(asJson).toMatchObject({ status: 401 });
  });

  it('login: a wrong password, an unknown user, a user who may not do everything', async () => {
    for (const [username, given] of [
      ['admin', 'sand'],
      ['nobody', 'surf'],
      ['reader', 'surf'],
      ['viewer', 'surf'],
    ] as const) {
      const refused = await logIn(username, given);
      expect([username, refused.code, refused.stderr]).toEqual([
        username,
        1,
        expect.stringContaining('Login failed'),
      ]);
    }
    expect(said(await admin(['list']))).toEqual(notLoggedIn);
  });

  it('login: asks for name and password, and stays logged in', async () => {
    const entered = await logIn('admin', 'surf');
    expect([entered.code, entered.stdout]).toEqual([0, expect.stringContaining('Logged in')]);
    expect(entered.stdout + entered.stderr).not.toContain('surf');
    const kept = JSON.parse(readFileSync(join(home, '.cli-config.json'), 'utf8'));
    expect(kept.tokens).toMatchObject({ token_type: 'Bearer', expires_in: 604_800 });
    expect((await admin(['list'])).stdout).toContain('node-red/inject');
    expect((await admin(['disable', 'node-red/exec'])).stdout).toContain('disabled');
    expect((await admin(['enable', 'node-red/exec'])).stdout).toContain('enabled');
  });

  it('a token that is revoked is one more log-in', async () => {
    await logIn('admin', 'surf');
    const { access_token: token } = JSON.parse(readFileSync(join(home, '.cli-config.json'), 'utf8')).tokens;
    expect((await server.post('/auth/revoke', { token, form: { token } })).status).toBe(200);
    expect(said(await admin(['list']))).toEqual(notLoggedIn);
  });

  it('a server that is not there is said to be so', async () => {
    const other = client(() => server);
    await other.admin(['target', 'http://127.0.0.1:1']);
    expect(said(await other.admin(['list']))).toMatchObject({ code: 1 });
  });
});
