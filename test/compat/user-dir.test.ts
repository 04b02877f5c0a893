import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPeer } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeWith } from '../support/services.ts';
import { strands, userDirFlows } from './user-dir-flows.ts';

const recorder = fileURLToPath(new URL('../fixtures/recorder/', import.meta.url));

const settings = {
  flowFile: 'flows.json',
  flowFilePretty: true,
  credentialSecret: 'a secret of the user',
  contextStorage: {
    default: { module: 'memory' },
    file: { module: 'localfilesystem', config: { flushInterval: 1 } },
  },
  diagnostics: { enabled: true },
  telemetry: { enabled: false },
};

interface Recorded {
  readonly at: string;
  readonly msg: { readonly error?: { stack?: string; message: string } };
}

/** Presses every inject node, one after the other, and gives what the recorders saw. */
async function playAll(server: TestServer): Promise<unknown> {
  for (const id of strands) {
    // The peer answers a deploy before the flows run.
    await server.waitFor(
      async () => (await server.post(`/inject/${id}`, { json: {} })).status === 200,
      `${id} pressed`,
    );
    await quiet(server);
  }
  const recorded: Recorded[] = (await server.get('/recorded')).body;
  // Stacks name files of one's own, so they differ.
  return JSON.parse(JSON.stringify(recorded, (key, value) => (key === 'stack' ? undefined : value)));
}

/** Waits until no recorder has seen anything for a moment. */
async function quiet(server: TestServer): Promise<void> {
  let before = -1;
  await server.waitFor(async () => {
    const now = (await server.get('/recorded')).body.length;
    const settled = now === before;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return settled;
  });
}

await describeWith('the npm registry', 'a user directory made by the peer', () => {
  const folders: string[] = [];
  let theirs: TestServer;
  let ours: TestServer;
  let madeBy: string;

  beforeAll(async () => {
    madeBy = folder();
    cpSync(recorder, join(madeBy, 'nodes'), { recursive: true });
    await using peer = await startPeer({ userDir: madeBy, settings });
    await peer.waitFor(async () => (await peer.get('/recorded')).status === 200);
    await peer.deploy(userDirFlows, { headers: { 'Node-RED-Deployment-Type': 'full' } });
    expect((await peer.put('/nodes/node-red/batch', { json: { enabled: false } })).status).toBe(200);
    expect(
      (await peer.post('/settings/user', { json: { editor: { view: { 'view-grid-size': 40 } } } })).status,
    ).toBe(204);
    await playAll(peer);
    // The context store writes behind; it is flushed at the latest when the peer stops.
    await peer.stop();

    const [a, b] = [folder(), folder()];
    cpSync(madeBy, a, { recursive: true });
    cpSync(madeBy, b, { recursive: true });
    theirs = await startPeer({ userDir: a });
    ours = await startServer({ userDir: b });
    for (const server of [theirs, ours])
      await server.waitFor(async () => (await server.get('/recorded')).status === 200);
  });

  afterAll(async () => {
    await theirs?.stop();
    await ours?.stop();
    for (const name of folders) rmSync(name, { recursive: true, force: true });
  });

  function folder(): string {
    const name = mkdtempSync(join(tmpdir(), 'sluice-compat-'));
    folders.push(name);
    return name;
  }

  it('starts with the same flows and the same revision', async () => {
    const headers = { 'Node-RED-API-Version': 'v2' };
    expect((await ours.get('/flows', { headers })).body).toEqual(
      (await theirs.get('/flows', { headers })).body,
    );
  });

  it('gives the same outputs in the same order', async () => {
    const expected = await playAll(theirs);
    expect(await playAll(ours)).toEqual(expected);
    expect(JSON.stringify(expected)).toContain('top secret');
  });

  it('keeps the disabled set disabled', async () => {
    const batch = async (server: TestServer) =>
      (await server.get('/nodes/node-red/batch', { headers: { Accept: 'application/json' } })).body;
    expect((await batch(theirs)).enabled).toBe(false);
    expect(await batch(ours)).toMatchObject({ id: 'node-red/batch', enabled: false, loaded: false });
  });

  it('reads the credentials', async () => {
    for (const path of ['/credentials/recorder/r-cred', '/credentials/subflow:sf-inner/u-inner']) {
      expect((await ours.get(path)).body, path).toEqual((await theirs.get(path)).body);
    }
  });

  it('keeps the user settings', async () => {
    expect((await ours.get('/settings/user')).body).toEqual((await theirs.get('/settings/user')).body);
  });

  it('continues the context files', async () => {
    for (const path of [
      '/context/flow/one/count?store=file',
      '/context/global/last?store=file',
      '/context/node/f-ctx/own?store=file',
    ]) {
      expect((await ours.get(path)).body, path).toEqual((await theirs.get(path)).body);
    }
  });

  it('leaves files that the peer can start with again', async () => {
    await ours.deploy(userDirFlows.filter(({ id }) => id !== 'i-off'));
    const flows = (await ours.get('/flows')).body;
    await ours.stop();
    expect(readFileSync(join(ours.userDir, 'flows_cred.json'), 'utf8')).not.toContain('top secret');
    await using again = await startPeer({ userDir: ours.userDir });
    await again.waitFor(async () => (await again.get('/recorded')).status === 200);
    expect((await again.get('/flows')).body).toEqual(flows);
    expect((await again.get('/credentials/recorder/r-cred')).body).toEqual({
      user: 'fred',
      has_secret: true,
    });
  });
});
