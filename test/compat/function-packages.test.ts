import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hello, route } from '../support/engine-faults.ts';
import { writeModule } from '../support/node-module.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeWith } from '../support/services.ts';

const settings = { runtimeState: { enabled: true }, credentialSecret: 'x' };
const using = (name: string, module: string, func: string) =>
  route(name, `${func} return msg;`, { libs: [{ var: 'lib', module }] });

/** What an editor that connects now hears of the state of the flows. */
async function runtimeState(server: TestServer): Promise<unknown> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/comms`);
  try {
    await once(socket, 'open');
    socket.send('{"subscribe":"notification/#"}');
    for (;;) {
      const [frame] = await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
      const messages = JSON.parse(String(frame)) as { topic: string; data: unknown }[];
      const state = messages.find(({ topic }) => topic === 'notification/runtime-state');
      if (state) return state.data;
    }
  } finally {
    socket.terminate();
  }
}

await describeWith('the npm registry', 'packages of function nodes', () => {
  it('are installed in the version that the node names, and are there after a restart', async () => {
    const userDir = mkdtempSync(join(tmpdir(), 'sluice-libs-'));
    const flows = using('ms', 'ms@2.1.3', 'msg.payload = String(lib("2 days"));');
    try {
      for (const deploys of [true, false]) {
        await using server = await startServer({ userDir, settings, ...(deploys ? { flows: [] } : {}) });
        if (deploys) await server.deploy(flows);
        await server.waitFor(async () => (await server.get('/ms')).text === '172800000', 'the flow', 60_000);
        const { dependencies } = JSON.parse(readFileSync(join(userDir, 'package.json'), 'utf8'));
        expect(dependencies.ms).toMatch(/^[~^]?2\.1\.3$/);
      }
    } finally {
      rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

describe('a package that may not be installed', () => {
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-libs-'));
  let server: TestServer;
  beforeAll(async () => {
    const externalModules = { modules: { allowInstall: false } };
    server = await startServer({ userDir, settings: { ...settings, externalModules }, flows: [] });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
  });

  const flows = [...hello, ...using('triple', 'triples', 'msg.payload = String(lib(14));')];
  it('keeps the flows waiting, and editors are told what is missing', async () => {
    await server.deploy(flows);
    expect(await runtimeState(server)).toMatchObject({
      state: 'stop',
      error: 'missing-modules',
      type: 'warning',
      modules: [{ module: 'triples' }],
    });
    expect((await server.get('/hello')).status).toBe(404);
  });

  it('is used once somebody has put it there', async () => {
    writeModule(join(userDir, 'node_modules', 'triples'), {
      name: 'triples',
      sets: {},
      files: { 'index.js': 'module.exports = (n) => 3 * n;' },
      manifest: { 'node-red': undefined },
    });
    writeFileSync(join(userDir, 'package.json'), '{"dependencies":{"triples":"1.0.0"}}');
    await server.deploy(flows);
    await server.waitFor(async () => (await server.get('/triple')).text === '42', 'the flow');
    expect((await server.get('/hello')).text).toBe('hello');
    expect(await runtimeState(server)).toMatchObject({ state: 'start' });
  });
});

it('functionExternalModules: false refuses packages to function nodes, and the other flows run', async () => {
  await using server = await startServer({
    settings: { ...settings, functionExternalModules: false },
    flows: [...hello, ...using('path', 'path', 'msg.payload = lib.sep;')],
  });
  await server.waitFor(async () => (await server.get('/hello')).text === 'hello');
  await server.waitFor(() => /f-path.*(not allowed|externalModule)/i.test(server.log()), 'the reason');
});
