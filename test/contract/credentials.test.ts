import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint, tab } from '../support/flow-snippets.ts';
import { startServer, type TestServer } from '../support/server.ts';

const secret = 'a credential secret';
const broker = {
  id: 'b1',
  type: 'mqtt-broker',
  name: '',
  broker: '127.0.0.1',
  port: '1',
  autoConnect: false,
};
const reading = 'msg.payload = env.get("TAB_SECRET") || "none"; return msg;';
const flows = [
  tab('t1', { env: [{ name: 'TAB_SECRET', type: 'cred', value: '' }] }),
  broker,
  ...endpoint('f', 't1', '/tab-secret', reading),
];
const withCredentials = flows.map((item) => {
  if (item.id === 'b1') return { ...item, credentials: { user: 'fred', password: 'broker password' } };
  return item.id === 't1' ? { ...item, credentials: { TAB_SECRET: 'tab secret' } } : item;
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { uiHost: '127.0.0.1', credentialSecret: secret } });
  await server.deploy(withCredentials);
});
afterAll(() => server[Symbol.asyncDispose]());

const shown = async (type: string, id: string, from = server) =>
  (await from.get(`/credentials/${type}/${id}`)).body;
const deployBroker = (credentials: object) =>
  server.deploy(flows.map((item) => (item.id === 'b1' ? { ...item, credentials } : item)));

describe('credentials', () => {
  it('are used by the flows', async () => {
    expect((await server.get('/tab-secret')).text).toBe('tab secret');
  });

  it('are shown as texts, and as whether a password is set', async () => {
    expect(await shown('mqtt-broker', 'b1')).toEqual({ user: 'fred', has_password: true });
    expect(await shown('tab', 't1')).toEqual({ has_TAB_SECRET: true });
    expect(await shown('mqtt-broker', 'nope')).toEqual({});
    expect(await shown('inject', 'b1')).toEqual({});
    expect(await shown('global-config', 'b1')).toEqual({});
  });

  it('of a type with blanks are found under its dashed name', async () => {
    const request = { id: 'r1', type: 'http request', z: 't1', x: 1, y: 1, wires: [[]] };
    await server.deploy([...flows, { ...request, credentials: { user: 'jane', password: 'x', other: 'y' } }]);
    expect(await shown('http-request', 'r1')).toEqual({ user: 'jane', has_password: true });
    await server.deploy(flows);
    expect(await shown('http-request', 'r1')).toEqual({});
  });

  it('change by what a deploy brings along', async () => {
    await deployBroker({ user: 'jane', password: '__PWRD__' });
    expect(await shown('mqtt-broker', 'b1')).toEqual({ user: 'jane', has_password: true });
    await deployBroker({ password: ' ' });
    expect(await shown('mqtt-broker', 'b1')).toEqual({ user: 'jane', has_password: false });
    await deployBroker({ user: 'fred', password: 'broker password' });
    await server.deploy(flows);
    expect(await shown('mqtt-broker', 'b1')).toEqual({ user: 'fred', has_password: true });
    expect((await server.get('/tab-secret')).text).toBe('tab secret');
  });

  it('leave through no answer, no log and no flow file, and are encrypted on disk', async () => {
    const paths = [
      '/flows',
      '/flow/t1',
      '/flow/global',
      '/settings',
      '/diagnostics?scope=full',
      '/credentials/tab/t1',
    ];
    const answers = await Promise.all(paths.map(async (path) => (await server.get(path)).text));
    const bad = await server.post('/flows', {
      json: [{ id: 'x', credentials: { password: 'broker password' } }],
    });
    const files = await Promise.all(
      ['flows.json', 'flows_cred.json', '.flows.json.backup'].map((name) =>
        readFile(join(server.userDir, name), 'utf8'),
      ),
    );
    for (const text of [...answers, bad.text, ...files, server.log()]) {
      expect(text).not.toContain('broker password');
      expect(text).not.toContain('tab secret');
      expect(text).not.toContain(secret);
    }
    expect(Object.keys(JSON.parse(files[1] ?? ''))).toEqual(['$']);
  });

  it('survive a restart, and go with their node', async () => {
    await using other = await startServer({
      settings: { uiHost: '127.0.0.1', credentialSecret: secret },
      until: 'ready',
    });
    await other.deploy(withCredentials);
    await other.stop();
    await using again = await startServer({ userDir: other.userDir });
    expect(await shown('mqtt-broker', 'b1', again)).toEqual({ user: 'fred', has_password: true });
    await again.deploy(flows.filter((item) => item.id !== 'b1'));
    await again.deploy(flows);
    expect(await shown('mqtt-broker', 'b1', again)).toEqual({});
    expect(await shown('tab', 't1', again)).toEqual({ has_TAB_SECRET: true });
  });

  it('are not taken for missing while the engine has yet to load the types', async () => {
    await using other = await startServer({ settings: { uiHost: '127.0.0.1', credentialSecret: secret } });
    await other.deploy(withCredentials);
    await other.stop();
    const folder = join(other.userDir, 'nodes');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'slow.js'),
      'module.exports = () => new Promise((go) => setTimeout(go, 2000));',
    );
    await writeFile(
      join(folder, 'slow.html'),
      '<script type="text/html" data-template-name="slow"></script>',
    );
    await using again = await startServer({ userDir: other.userDir, until: 'live' });
    // Asked all through the start: some sets are loaded earlier than others.
    const answers: Promise<unknown>[] = [];
    for (let isReady = false; !isReady; ) {
      answers.push(shown('mqtt-broker', 'b1', again));
      isReady = (await again.get('/health/ready')).status === 200;
      await sleep(10);
    }
    for (const answer of answers) expect(await answer).toEqual({ user: 'fred', has_password: true });
  });

  it('that cannot be decrypted are reported, and nothing is overwritten', async () => {
    await using other = await startServer({ settings: { uiHost: '127.0.0.1', credentialSecret: secret } });
    await other.deploy(withCredentials);
    await other.stop();
    const file = join(other.userDir, 'flows_cred.json');
    const before = await readFile(file, 'utf8');
    const restart = async (credentialSecret: string) => {
      await writeFile(
        join(other.userDir, 'settings.js'),
        `module.exports = ${JSON.stringify({ uiHost: '127.0.0.1', credentialSecret })};`,
      );
      return startServer({ userDir: other.userDir });
    };
    {
      await using locked = await restart('another secret');
      expect(locked.log()).toContain('it was not encrypted with the present credentialSecret setting');
      expect((await locked.get('/tab-secret')).text).toBe('none');
      await locked.deploy(flows);
      expect(await shown('mqtt-broker', 'b1', locked)).toEqual({});
    }
    expect(await readFile(file, 'utf8')).toBe(before);
    await using opened = await restart(secret);
    expect((await opened.get('/tab-secret')).text).toBe('tab secret');
  });

  it('need credentials.read', async () => {
    const password = bcrypt('surf', { cost: 4 });
    const users = [
      { username: 'reader', password, permissions: 'credentials.read' },
      { username: 'other', password, permissions: ['flows.read', 'settings.read'] },
    ];
    const settings = { uiHost: '127.0.0.1', adminAuth: { type: 'credentials', users } };
    await using guarded = await startServer({ settings, until: 'live' });
    const ask = async (token?: string) =>
      (await guarded.get('/credentials/mqtt-broker/b1', token === undefined ? {} : { token })).status;
    expect(await ask()).toBe(401);
    expect(await ask(await guarded.login('reader', 'surf', ''))).toBe(200);
    expect(await ask(await guarded.login('other', 'surf', ''))).toBe(401);
  });
});
