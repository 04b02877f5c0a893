// The editors' WebSocket, spoken to as an editor does.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CommsClient, type Heard } from '../support/comms.ts';
import { route, startFaulty } from '../support/engine-faults.ts';
import { packModule, registers, uploadForm, writeModule } from '../support/node-module.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { serverWith } from '../support/suite.ts';

const password = bcrypt('surf', { cost: 4 });
const users = [
  { username: 'admin', password, permissions: '*' },
  { username: 'outsider', password, permissions: 'flows.read' },
];
/** `GET /<path>` runs a function; its first output answers, its second goes to a debug node. */
const toDebug = (path: string, func: string) => [
  ...route(path, func, { outputs: 2, wires: [[`out-${path}`], [`debug-${path}`]] }),
  {
    id: `debug-${path}`,
    z: `tab-${path}`,
    type: 'debug',
    name: path,
    active: true,
    tosidebar: true,
    complete: 'payload',
    targetType: 'msg',
    wires: [],
  },
];
const many = toDebug('many', 'return [msg, Array.from({ length: 120 }, (_, n) => ({ payload: n }))];');
const long = toDebug('long', 'return [msg, { payload: "x".repeat(100) }];');
const slow = toDebug('slow', 'return [msg, Array.from({ length: 8000 }, (_, n) => ({ payload: n }))];');
const say = toDebug('say', 'node.status({ fill: "red", text: "busy" }); return [msg, null];');
const hush = toDebug('hush', 'node.status({}); return [msg, null];');

/** A server that asks for a log-in. */
const withLogIn = (adminAuth: object) =>
  serverWith({ uiHost: '127.0.0.1', adminAuth: { type: 'credentials', users, ...adminAuth } });

async function refused(client: CommsClient): Promise<void> {
  await client.until(() => client.isClosed, 'the end of the connection');
  expect(client.frames.at(-1)).toEqual({ auth: 'fail' });
}

describe('without authentication', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      settings: {
        uiHost: '127.0.0.1',
        debugMaxLength: 20,
        webSocketKeepAliveTime: 300,
        inboundWebSocketTimeout: 300,
      },
      flows: [...many, ...long, ...slow, ...say, ...hush],
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Runs the function behind a path. */
  const run = async (path: string) => expect((await server.get(path)).status).toBe(200);

  it('speaks at its path only, without compression', async () => {
    using client = await CommsClient.open(server.url);
    expect(client.socket.extensions).toBe('');
    expect(client.socket.protocol).toBe('');
    const url = server.url.replace('http', 'ws');
    const withQuery = new WebSocket(`${url}/comms?access_token=x`);
    await once(withQuery, 'open');
    withQuery.terminate();
    const elsewhere = new WebSocket(`${url}/comms/more`);
    await expect(once(elsewhere, 'open')).rejects.toThrow();
  });

  it('is active at once, also where a log-in comes, and ignores what it does not understand', async () => {
    using client = await CommsClient.open(server.url);
    for (const frame of ['no json', '[1,2]', '"text"', '{}', '{"subscribe":7}', '{"topic":{}}'])
      client.say(frame);
    client.say({ auth: 'whatever' });
    await client.until(() => client.frames.some((frame) => 'auth' in Object(frame)), 'the answer');
    expect(client.frames).toContainEqual({ auth: 'ok' });
    client.say({ subscribe: 'notification/#' });
    expect(await client.next('notification/runtime-state')).toEqual({ state: 'start' });
    expect(await client.next('notification/runtime-deploy')).toEqual({ revision: expect.any(String) });
  });

  it('gives what is retained under the subscribed topics, and nothing else', async () => {
    await run('/say');
    const retained = async (pattern: string) => {
      using client = await CommsClient.open(server.url);
      client.say({ subscribe: pattern });
      await sleep(200);
      return client.heard.map(({ topic }) => topic).filter((topic) => topic !== 'hb');
    };
    expect(await retained('status/#')).toEqual(['status/f-say']);
    expect(await retained('status/+')).toEqual(['status/f-say']);
    expect(await retained('status/f-say')).toEqual(['status/f-say']);
    expect(await retained('status')).toEqual([]);
    expect(await retained('#')).toEqual([]);
    expect(await retained('notification/#')).toEqual([
      'notification/runtime-state',
      'notification/runtime-deploy',
    ]);
  });

  it('tells of a status, and takes it back', async () => {
    using client = await CommsClient.open(server.url);
    await run('/say');
    expect(await client.next('status/f-say')).toEqual({ fill: 'red', text: 'busy' });
    await run('/hush');
    await run('/say');
    // A node that had none takes none back.
    await client.until(() => client.of('status/f-say').length >= 2, 'the status again');
    expect(client.of('status/f-hush')).toEqual([]);
    await server.deploy([...many, ...long, ...slow]);
    expect(await client.next('status/f-say', (data) => Object.keys(data).length === 0)).toEqual({});
  });

  it('sends in frames of at most 50, in order', async () => {
    using client = await CommsClient.open(server.url);
    await run('/many');
    await client.until(() => client.of('debug').length === 120, '120 messages');
    expect(client.of('debug').map(({ msg }) => Number(msg))).toEqual(
      Array.from({ length: 120 }, (_, n) => n),
    );
    for (const frame of client.frames) {
      expect(Array.isArray(frame)).toBe(true);
      expect((frame as Heard[]).length).toBeLessThanOrEqual(50);
    }
  });

  it('cuts debug messages at debugMaxLength', async () => {
    using client = await CommsClient.open(server.url);
    await run('/long');
    expect(await client.next('debug')).toEqual({
      id: 'debug-long',
      z: 'tab-long',
      path: 'tab-long',
      name: 'long',
      property: 'payload',
      msg: `${'x'.repeat(20)}...`,
      format: 'string[100]',
    });
  });

  it('sends a heartbeat', async () => {
    using client = await CommsClient.open(server.url);
    expect(await client.next('hb')).toEqual(expect.any(Number));
    await client.until(() => client.of('hb').length >= 3, 'more heartbeats');
  });

  it('keeps only so much for a reader that falls behind, and tells it of the gap', async () => {
    using client = await CommsClient.open(server.url);
    await run('/slow');
    const { msg } = await client.next('debug', (data) => String(data.msg).includes('were not'));
    const missed = Number(/\d+/.exec(String(msg))?.[0]);
    expect(missed).toBeGreaterThan(0);
    expect(client.of('debug').length - 1 + missed).toBe(8000);
  });

  it('passes on who else is there', async () => {
    using first = await CommsClient.open(server.url);
    first.say({ topic: 'multiplayer/connect', data: { session: 'one' } });
    const { session } = await first.next('multiplayer/init');
    const second = await CommsClient.open(server.url);
    second.say({ topic: 'multiplayer/connect', data: { session: 'two' } });
    expect((await second.next('multiplayer/init')).sessions).toHaveLength(2);
    const added = await first.next('multiplayer/connection-added');
    first.say({ topic: 'multiplayer/location', data: { workspace: 'tab1', cursor: { x: 1, y: 2 } } });
    expect(await second.next('multiplayer/location')).toEqual({
      session,
      workspace: 'tab1',
      cursor: { x: 1, y: 2 },
    });
    expect(first.of('multiplayer/location')).toEqual([]);
    second.socket.close();
    expect(await first.next('multiplayer/connection-removed')).toEqual({ session: added.session });
  });

  it('tells of an installation as it goes on, and of what comes and goes', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'sluice-comms-'));
    using client = await CommsClient.open(server.url);
    const module = writeModule(join(scratch, 'm'), {
      name: 'comms-probe',
      sets: { 'comms-probe': registers('comms-probe') },
    });
    expect((await server.post('/nodes', { json: { module } })).status).toBe(200);
    const added = await client.next('notification/node/added');
    expect(added).toMatchObject([{ id: 'comms-probe/comms-probe', types: ['comms-probe'], enabled: true }]);
    const log = client.heard.filter(({ topic }) => topic.startsWith('event-log/'));
    expect(new Set(log.map(({ topic }) => topic)).size).toBe(1);
    expect(log[0]?.topic).toMatch(/^event-log\/[0-9a-f]{16}$/);
    expect(log[0]?.data).toEqual({ ts: expect.any(Number), data: expect.stringMatching(/^npm install/) });
    expect(log.at(-1)?.data).toEqual({ ts: expect.any(Number), data: 'rc=0', end: true });
    await server.put('/nodes/comms-probe/comms-probe', { json: { enabled: false } });
    expect(await client.next('notification/node/disabled')).toMatchObject({
      id: 'comms-probe/comms-probe',
      enabled: false,
    });
    await server.put('/nodes/comms-probe/comms-probe', { json: { enabled: true } });
    expect(await client.next('notification/node/enabled')).toMatchObject({
      id: 'comms-probe/comms-probe',
      enabled: true,
    });
    expect((await server.delete('/nodes/comms-probe')).status).toBe(204);
    expect(await client.next('notification/node/removed')).toMatchObject([{ id: 'comms-probe/comms-probe' }]);
    const upload = uploadForm(
      await packModule({ name: 'comms-upload', sets: { 'comms-up': registers('comms-up') } }),
    );
    expect((await server.post('/nodes', { body: upload })).status).toBe(200);
    await client.next('notification/node/added', ([set]) => set.id === 'comms-upload/comms-up');
    rmSync(scratch, { recursive: true });
  });
});

describe('with authentication', () => {
  const it_ = withLogIn({
    sessionExpiryTime: 4,
    tokens: [{ token: 'a-static-token', user: 'admin', scope: '*' }],
  });

  it('lets a token in, and then speaks', async () => {
    const token = await it_.server.login('admin', 'surf');
    using client = await CommsClient.open(it_.server.url, { token });
    expect(client.frames).toEqual([{ auth: 'ok' }]);
    client.say({ subscribe: 'notification/#' });
    expect(await client.next('notification/runtime-state')).toEqual({ state: 'start' });
    using listed = await CommsClient.open(it_.server.url, { token: 'a-static-token' });
    expect(listed.frames).toEqual([{ auth: 'ok' }]);
  });

  it('refuses a token that is none, and one that may not listen', async () => {
    for (const token of ['nonsense', '', await it_.server.login('outsider', 'surf', '')]) {
      using client = await CommsClient.open(it_.server.url, { token });
      await refused(client);
    }
  });

  it('refuses whoever says anything else first, and tells those nothing that say nothing', async () => {
    using eager = await CommsClient.open(it_.server.url);
    eager.say({ subscribe: 'notification/#' });
    await refused(eager);
    expect(eager.frames).toHaveLength(1);
    using silent = await CommsClient.open(it_.server.url);
    await it_.server.deploy([], { token: await it_.server.login('admin', 'surf') });
    await sleep(200);
    expect(silent.frames).toEqual([]);
  });

  it('closes when the token is revoked', async () => {
    const token = await it_.server.login('admin', 'surf');
    const other = await it_.server.login('admin', 'surf');
    using client = await CommsClient.open(it_.server.url, { token });
    using bystander = await CommsClient.open(it_.server.url, { token: other });
    await it_.server.post('/auth/revoke', { token, json: { token } });
    await refused(client);
    expect(bystander.isClosed).toBe(false);
  });

  it('closes when the token expires', async () => {
    using client = await CommsClient.open(it_.server.url, { token: await it_.server.login('admin', 'surf') });
    await refused(client);
  });
});

describe('with an anonymous user, and a token header of its own', () => {
  const it_ = withLogIn({
    default: { permissions: 'read' },
    tokens: async (token: string) =>
      token === 'own'
        ? { username: 'proxy', permissions: '*' }
        : token === 'weak'
          ? { username: 'weak', permissions: 'flows.read' }
          : null,
    tokenHeader: 'x-my-token',
  });

  it('lets anybody listen, without a word', async () => {
    using client = await CommsClient.open(it_.server.url);
    client.say({ subscribe: 'notification/runtime-state' });
    await client.next('notification/runtime-state');
    expect(client.heard).toHaveLength(1);
    // Logging in later is answered; with a bad token it is the end.
    client.say({ auth: await it_.server.login('admin', 'surf') });
    await client.until(() => client.frames.some((frame) => 'auth' in Object(frame)), 'an answer');
    expect(client.frames.at(-1)).toEqual({ auth: 'ok' });
    client.say({ auth: 'nonsense' });
    await client.until(() => client.isClosed, 'the end');
    expect(client.frames.at(-1)).toEqual({ auth: 'fail' });
  });

  it('looks at the header before it answers the upgrade', async () => {
    using client = await CommsClient.open(it_.server.url, { headers: { 'x-my-token': 'own' } });
    client.say({ subscribe: 'notification/runtime-state' });
    await client.next('notification/runtime-state');
    for (const token of ['wrong', 'weak']) {
      const opening = CommsClient.open(it_.server.url, { headers: { 'x-my-token': token } });
      await expect(opening).rejects.toThrow();
    }
  });
});

describe('when the engine is in trouble', () => {
  const listening = (server: TestServer, token: string) => CommsClient.open(server.url, { token });
  const topic = 'notification/engine-state';

  it('says that it does not respond, also to those that come later, and that this is over', async () => {
    const loop = route(
      'loop',
      'node.status({ text: "looping" }); setTimeout(() => { for (;;) {} }, 50); return msg;',
    );
    await using faulty = await startFaulty({ flows: loop });
    const { server, token } = faulty;
    await faulty.until('running');
    using client = await listening(server, token);
    await server.get('/loop');
    expect(await client.next(topic)).toEqual({
      type: 'error',
      text: expect.stringMatching(/does not respond.*deploy/),
      defaultValue: expect.stringMatching(/does not respond.*deploy/),
    });
    using later = await listening(server, token);
    later.say({ subscribe: 'notification/#' });
    expect(await later.next(topic)).toMatchObject({ type: 'error' });
    await faulty.deploy(route('fine', 'return msg;'));
    await client.next(topic, (data) => !data.text);
    // What nodes of the old process said of themselves is gone as well.
    await client.next('status/f-loop', (data) => !data.text);
  });

  it('says that it crashed, and at last that the flows were left alone', async () => {
    const die = route('die', 'global.get("host").process.exit(7);');
    await using faulty = await startFaulty({ flows: die, engine: { crashLimit: 2 } });
    const { server, token } = faulty;
    await faulty.until('running');
    using client = await listening(server, token);
    await server.get('/die').catch(() => {});
    expect(await client.next(topic)).toMatchObject({
      type: 'warning',
      text: expect.stringContaining('restarted'),
    });
    await client.next(topic, (data) => !data.text);
    await faulty.afterRestart();
    await server.get('/die').catch(() => {});
    await faulty.until('safe');
    expect(await client.next('notification/runtime-state', ({ state }) => state === 'safe')).toEqual({
      state: 'safe',
      error: 'safe-mode',
      type: 'warning',
      text: 'notification.warnings.safe-mode',
    });
  });
});
