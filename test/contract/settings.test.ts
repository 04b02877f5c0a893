import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const password = bcrypt('surf', { cost: 4 });
const secrets = {
  uiHost: '127.0.0.1',
  credentialSecret: 'the credential secret',
  diagnostics: { enabled: true },
  httpNodeAuth: { user: 'noder', pass: bcrypt('surf', { cost: 4 }) },
  adminAuth: {
    type: 'credentials',
    users: [
      { username: 'admin', password, permissions: '*', image: 'admin.png', mail: 'admin@example.org' },
      { username: 'reader', password, permissions: ['settings.read', 'flows.read'] },
      { username: 'outsider', password, permissions: 'flows.read' },
    ],
    default: { permissions: 'settings.read' },
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: secrets });
});
afterAll(() => server[Symbol.asyncDispose]());

describe('GET /settings', () => {
  it('describes the runtime', async () => {
    const token = await server.login('admin', 'surf');
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const reply = await server.get('/settings', { token });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      httpNodeRoot: '/',
      version: '5.0.7',
      sluiceVersion: version,
      user: { username: 'admin', permissions: '*', image: 'admin.png' },
      context: { default: 'memory', stores: ['memory'] },
      codeEditor: { lib: 'monaco', options: {} },
      libraries: [
        { id: 'local', label: 'editor:library.types.local', user: false, icon: 'font-awesome/fa-hdd-o' },
        { id: 'examples', types: ['flows'], readOnly: true },
      ],
      flowEncryptionType: 'user',
      diagnostics: { enabled: true, ui: true },
      telemetryEnabled: false,
      runtimeState: { enabled: false, ui: false },
      // Of node types.
      functionExternalModules: true,
      functionTimeout: 0,
      tlsConfigDisableLocalFiles: false,
    });
    expect(reply.body.editorTheme.projects).toEqual({ enabled: false });
  });

  it('holds nothing that is secret, and of the user only what a client needs', async () => {
    const { text } = await server.get('/settings', { token: await server.login('admin', 'surf') });
    for (const secret of [
      'the credential secret',
      password,
      'httpNodeAuth',
      'adminAuth',
      'example.org',
      server.userDir,
    ])
      expect(text).not.toContain(secret);
  });

  it('names the anonymous user, and several permissions as a list', async () => {
    expect((await server.get('/settings')).body.user).toEqual({
      anonymous: true,
      permissions: 'settings.read',
    });
    const token = await server.login('reader', 'surf', '');
    expect((await server.get('/settings', { token })).body.user).toEqual({
      username: 'reader',
      permissions: ['settings.read', 'flows.read'],
    });
  });

  it('asks settings.read', async () => {
    const token = await server.login('outsider', 'surf', '');
    expect((await server.get('/settings', { token })).status).toBe(401);
    expect((await server.get('/settings/user', { token })).status).toBe(401);
  });

  it('follows the settings', async () => {
    await using other = await startServer({
      settings: {
        uiHost: '127.0.0.1',
        httpNodeRoot: '/api',
        credentialSecret: false,
        flowFilePretty: true,
        paletteCategories: ['function', 'common'],
        nodeDefaults: { debug: { name: 'x' } },
        diagnostics: { enabled: false, ui: true },
        runtimeState: { enabled: true, ui: true },
        functionTimeout: 5,
        contextStorage: { default: 'ram', ram: { module: 'memory' }, disk: { module: 'localfilesystem' } },
        externalModules: { palette: { allowInstall: false } },
        editorTheme: { codeEditor: { lib: 'ace' } },
      },
    });
    const { body } = await other.get('/settings');
    expect(body).toMatchObject({
      httpNodeRoot: '/api/',
      flowFilePretty: true,
      paletteCategories: ['function', 'common'],
      nodeDefaults: { debug: { name: 'x' } },
      flowEncryptionType: 'disabled',
      diagnostics: { enabled: false, ui: false },
      runtimeState: { enabled: true, ui: true },
      functionTimeout: 5,
      context: { default: 'ram', stores: ['ram', 'disk'] },
      externalModules: { palette: { allowInstall: false, allowUpload: false } },
      codeEditor: { lib: 'ace' },
    });
    expect(body).not.toHaveProperty('user');
  });

  it('is short where there is no editor', async () => {
    await using other = await startServer({
      settings: { uiHost: '127.0.0.1', disableEditor: true },
      until: 'live',
    });
    expect(Object.keys((await other.get('/settings')).body).sort()).toEqual([
      'httpNodeRoot',
      'sluiceVersion',
      'version',
    ]);
  });

  it('is answered while the engine is blocked', async () => {
    await using other = await startServer({
      settings: { uiHost: '127.0.0.1', contextStorage: { disk: { module: 'localfilesystem' } } },
    });
    await other.get('/settings');
    process.kill(await other.enginePid(), 'SIGSTOP');
    expect((await other.get('/settings', { timeoutMs: 5000 })).body).toMatchObject({
      context: { default: 'disk', stores: ['disk'] },
      functionTimeout: 0,
    });
  });
});

describe('/settings/user', () => {
  it('merges what a user stores, apart from others, and keeps it over a restart', async () => {
    await using first = await startServer({ settings: secrets });
    const admin = await first.login('admin', 'surf');
    const read = async (one: TestServer, token: string) => (await one.get('/settings/user', { token })).body;
    const write = async (json: unknown) =>
      (await first.post('/settings/user', { json, token: admin })).status;
    expect(await read(first, admin)).toEqual({});
    expect(await write({ editor: { view: { grid: true, size: 20 } }, list: [1, 2], gone: 1 })).toBe(204);
    expect(
      await write({ editor: { view: { size: 30 } }, list: [3], gone: null, telemetryEnabled: true }),
    ).toBe(204);
    const stored = { editor: { view: { grid: true, size: 30 } }, list: [3] };
    expect(await read(first, admin)).toEqual(stored);
    expect(await read(first, await first.login('reader', 'surf', ''))).toEqual({});
    const file = join(first.userDir, '.config.users.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ admin: stored });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await first.stop();

    await using second = await startServer({ userDir: first.userDir, until: 'live' });
    expect(await read(second, await second.login('admin', 'surf'))).toEqual(stored);
  });

  it('is kept under _ where nobody is logged in', async () => {
    await using open = await startServer({ settings: { uiHost: '127.0.0.1' }, until: 'live' });
    expect((await open.post('/settings/user', { json: { a: 1 } })).status).toBe(204);
    expect(JSON.parse(await readFile(join(open.userDir, '.config.users.json'), 'utf8'))).toEqual({
      _: { a: 1 },
    });
  });

  it('asks settings.write, and an object', async () => {
    const reader = await server.login('reader', 'surf', '');
    expect((await server.post('/settings/user', { json: {}, token: reader })).status).toBe(401);
    expect((await server.post('/settings/user', { json: {} })).status).toBe(401);
    const reply = await server.post('/settings/user', {
      json: [1],
      token: await server.login('admin', 'surf'),
    });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  });
});
