// The specification's diagnostics sections and the decisions 22 to 24, over HTTP.
import { hashSync } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';
import { serverWith } from '../support/suite.ts';
import { unconfiguredSettings } from '../support/unconfigured.ts';

const enabled = { diagnostics: { enabled: true } };
const users = [{ username: 'admin', password: hashSync('surf', { cost: 4 }), permissions: '*' }];

const text = expect.any(String);
const flag = expect.any(Boolean);
const number = expect.any(Number);

/** Each field of the specification's tables, by its type. Where the type is a choice, what holds when nothing is configured. */
const unconfigured = {
  report: 'diagnostics',
  scope: 'basic',
  time: { utc: text, local: text },
  intl: { locale: text, timeZone: text },
  nodejs: {
    version: process.version,
    arch: process.arch,
    platform: process.platform,
    memoryUsage: { rss: number, heapTotal: number, heapUsed: number, external: number, arrayBuffers: number },
  },
  os: {
    containerised: flag,
    wsl: flag,
    totalmem: number,
    freemem: number,
    arch: process.arch,
    loadavg: [number, number, number],
    platform: process.platform,
    release: text,
    type: text,
    uptime: number,
    version: text,
  },
  runtime: {
    version: text,
    isStarted: true,
    flows: { state: 'start', started: true },
    modules: { 'node-red': expect.stringMatching(/^\d+\.\d+\.\d+/) },
    // Each test server has a port of its own.
    settings: { ...unconfiguredSettings, uiPort: text },
  },
};

describe('GET /diagnostics', () => {
  const it_ = serverWith(enabled);

  it('decision 23: has exactly the fields of the specification, each with its type, when nothing is configured', async () => {
    const reply = await it_.server.get('/diagnostics');
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect([reply.status, reply.body]).toStrictEqual([200, unconfigured]);
  });

  it('Diagnostics report: integers are integers', async () => {
    const { nodejs, os } = (await it_.server.get('/diagnostics')).body;
    for (const value of [...Object.values(nodejs.memoryUsage), os.totalmem, os.freemem]) {
      expect(Number.isInteger(value)).toBe(true);
    }
  });

  it('decision 24: memory is in bytes, uptime in seconds', async () => {
    const { nodejs, os } = (await it_.server.get('/diagnostics')).body;
    expect(nodejs.memoryUsage.rss).toBeGreaterThan(10 * 2 ** 20);
    expect(nodejs.memoryUsage.rss).toBeGreaterThanOrEqual(nodejs.memoryUsage.heapUsed / 2);
    const { totalmem, uptime } = process.getBuiltinModule('node:os');
    expect(os.totalmem).toBe(totalmem());
    expect(Math.abs(os.uptime - uptime())).toBeLessThan(60);
  });

  it('time: utc is an HTTP-date of now, local is text', async () => {
    const { time } = (await it_.server.get('/diagnostics')).body;
    expect(time.utc).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(Math.abs(Date.parse(time.utc) - Date.now())).toBeLessThan(60_000);
  });

  it('intl: a language tag and a time zone', async () => {
    const { intl } = (await it_.server.get('/diagnostics')).body;
    expect(Intl.getCanonicalLocales(intl.locale)).toEqual([intl.locale]);
    expect(() => new Intl.DateTimeFormat('en', { timeZone: intl.timeZone })).not.toThrow();
  });

  it('ignores unknown parameters, and is the same for scope=basic', async () => {
    for (const query of ['?_=1700000000000', '?scope=basic']) {
      expect((await it_.server.get(`/diagnostics${query}`)).body).toStrictEqual(unconfigured);
    }
  });

  it('an unknown scope is 400 and is named', async () => {
    const reply = await it_.server.get('/diagnostics?scope=everything');
    expect([reply.status, reply.body]).toEqual([
      400,
      { code: 'invalid_request', message: 'Field "scope" must be "basic" or "full"' },
    ]);
  });

  it('decision 23: scope=full adds the engine’s process, delays of the event loop, restarts', async () => {
    const { body } = await it_.server.get('/diagnostics?scope=full');
    const { controlPlane, engine, ...specified } = body;
    expect(specified).toStrictEqual({ ...unconfigured, scope: 'full' });
    expect(controlPlane).toEqual({
      pid: it_.server.pid,
      uptime: number,
      eventLoopDelay: { mean: number, p99: number, max: number },
    });
    expect(engine).toMatchObject({ state: 'running', pid: await it_.server.enginePid(), restarts: 0 });
    const { engine: later } = (
      await it_.server.waitFor(async () => {
        const report = await it_.server.get('/diagnostics?scope=full');
        return report.body.engine.stats && report;
      })
    ).body;
    expect(later.stats.eventLoopDelay).toEqual({ mean: number, p99: number, max: number });
  });

  it('Events: HEAD is answered as GET, without the body', async () => {
    const reply = await it_.server.request('HEAD', '/diagnostics');
    expect([reply.status, reply.text]).toEqual([200, '']);
  });
});

describe('runtime.settings', () => {
  /** Reported as they are. */
  const plain = {
    apiMaxLength: 1_000_000,
    disableEditor: true,
    contextStorage: { default: { module: 'memory' }, other: { module: 'memory' } },
    debugMaxLength: 500,
    editorTheme: {
      palette: { catalogues: ['https://example.com/catalogue.json'] },
      projects: { enabled: false, workflow: { mode: 'auto' } },
      codeEditor: { lib: 'ace', options: { theme: 'vs-dark' } },
    },
    flowFile: 'surf.json',
    mqttReconnectTime: 1001,
    serialReconnectTime: 1002,
    socketReconnectTime: 1003,
    socketTimeout: 1004,
    tcpMsgQueueSize: 1005,
    inboundWebSocketTimeout: 1006,
    runtimeState: { enabled: true, ui: true },
  };
  const it_ = serverWith({
    diagnostics: { enabled: true },
    adminAuth: { type: 'credentials', users },
    ...plain,
    httpAdminRoot: '/',
    httpAdminCors: { origin: 'https://secret.example' },
    httpNodeAuth: { user: 'secret', pass: users[0]?.password },
    httpNodeRoot: '/api',
    httpNodeCors: { origin: '*' },
    httpStatic: '/secret/folder',
    httpStaticRoot: '/static/',
    httpStaticCors: { origin: '*' },
    uiHost: '127.0.0.1',
    nodesDir: '/secret/nodes',
    credentialSecret: 'secret of the credentials',
  });

  it('reports what is configured; what is secret or a path only as SET', async () => {
    const token = await it_.server.login('admin', 'surf');
    const reply = await it_.server.get('/diagnostics', { token });
    expect(reply.body.runtime.settings).toEqual({
      available: true,
      ...plain,
      adminAuth: 'SET',
      httpAdminRoot: '/',
      httpAdminCors: 'SET',
      httpNodeAuth: 'SET',
      httpNodeRoot: '/api/',
      httpNodeCors: 'SET',
      httpStatic: 'SET',
      httpStaticRoot: 'SET',
      httpStaticCors: 'SET',
      uiHost: 'SET',
      uiPort: 'SET',
      userDir: 'SET',
      nodesDir: 'SET',
    });
    for (const secret of ['secret', users[0]?.password ?? '', it_.server.userDir]) {
      expect(reply.text).not.toContain(secret);
    }
  });

  it('Required permission: settings.read', async () => {
    const server = it_.server;
    const withScope = async (scope: string) =>
      (await server.get('/diagnostics', { token: await server.login('admin', 'surf', scope) })).status;
    expect(await withScope('settings.read')).toBe(200);
    expect(await withScope('read')).toBe(200);
    expect(await withScope('settings.write nodes.read flows.read')).toBe(401);
  });
});

describe('decision 22: diagnostics that are not enabled', () => {
  it.each([{ diagnostics: { enabled: false } }, { diagnostics: { enabled: false, ui: true } }])(
    '%j: 403 diagnostics.disabled',
    async (settings) => {
      await using server = await startServer({ settings, until: 'live' });
      for (const path of ['/diagnostics', '/diagnostics?scope=full']) {
        const reply = await server.get(path);
        expect([reply.status, reply.body]).toEqual([
          403,
          { code: 'diagnostics.disabled', message: 'Diagnostics are disabled' },
        ]);
      }
    },
  );

  it('are 401 for who may not even ask', async () => {
    const settings = { diagnostics: { enabled: false }, adminAuth: { type: 'credentials', users } };
    await using server = await startServer({ settings, until: 'live' });
    expect((await server.get('/diagnostics')).status).toBe(401);
  });

  it('are enabled by the settings file that the first start writes', async () => {
    await using server = await startServer({ until: 'live' });
    expect((await server.get('/diagnostics')).status).toBe(200);
  });
});

describe('runtime.flows and runtime.isStarted', () => {
  it('decision 24: say stop and start as the flows are stopped and started', async () => {
    await using server = await startServer({ settings: { ...enabled, runtimeState: { enabled: true } } });
    const flows = async () => (await server.get('/diagnostics')).body.runtime.flows;
    expect(await flows()).toEqual({ state: 'start', started: true });
    await server.post('/flows/state', { json: { state: 'stop' } });
    expect(await flows()).toEqual({ state: 'stop', started: false });
    await server.post('/flows/state', { json: { state: 'start' } });
    expect(await flows()).toEqual({ state: 'start', started: true });
  });

  it('decision 24: say safe after a start with --safe', async () => {
    await using server = await startServer({ settings: enabled, args: ['--safe'] });
    const { flows, isStarted } = (await server.get('/diagnostics')).body.runtime;
    expect([flows, isStarted]).toEqual([{ state: 'safe', started: false }, true]);
  });

  it('say that nothing runs while the flows miss a node type', async () => {
    await using server = await startServer({
      settings: enabled,
      flows: [
        { id: 't1', type: 'tab', label: 'T' },
        { id: 'n1', type: 'no-such-type', z: 't1', x: 1, y: 1, wires: [] },
      ],
    });
    expect((await server.get('/diagnostics')).body.runtime.flows).toEqual({ state: 'start', started: false });
  });
});

describe('health', () => {
  const it_ = serverWith({ adminAuth: { type: 'credentials', users } });

  it('live and ready need no token and give no details', async () => {
    for (const [path, status] of [
      ['/health/live', 'live'],
      ['/health/ready', 'ready'],
    ] as const) {
      const reply = await it_.server.get(path);
      expect([reply.status, reply.body]).toEqual([200, { status }]);
    }
  });

  it('ready is 503 while there is no engine, and live stays 200', async () => {
    process.kill(await it_.server.enginePid(), 'SIGKILL');
    await it_.server.waitFor(async () => (await it_.server.get('/health/ready')).status === 503);
    expect((await it_.server.get('/health/live')).status).toBe(200);
    await it_.server.waitFor(async () => (await it_.server.get('/health/ready')).status === 200);
  });
});
