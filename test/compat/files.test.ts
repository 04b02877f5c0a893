import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endpoint, node, tab } from '../support/flow-snippets.ts';
import { startPeer } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';

// Flow files and credential files, taken over from one by the other.

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-files-'));
  folders.push(folder);
  return folder;
}

const settings = { flowFile: 'flows.json', uiHost: '127.0.0.1', telemetry: { enabled: false } };
const reading = 'msg.payload = [env.get("S"), env.get("G")].join(); return msg;';
const flows = [
  { ...tab('t', { env: [{ name: 'S', type: 'cred', value: '' }] }), credentials: { S: 'tab secret ü' } },
  {
    ...{ id: 'gc', type: 'global-config', env: [{ name: 'G', type: 'cred', value: '' }], modules: {} },
    credentials: { map: { G: 'global secret', has_G: true } },
  },
  ...endpoint('f', 't', '/f', reading),
  { ...node('h', 'http request', 't', []), credentials: { user: 'u', password: 'p' } },
];
const used = 'tab secret ü,global secret';

/** What the flows read of their credentials, once they run. */
async function read(server: TestServer): Promise<string> {
  const reply = await server.waitFor(async () => {
    const answer = await server.get('/f');
    return answer.status === 200 && answer;
  }, 'flows that run');
  return reply.text;
}

const secrets: readonly (readonly [string, object])[] = [
  ['a generated secret', {}],
  ['a secret of the user', { credentialSecret: 'own' }],
  ['no encryption', { credentialSecret: false }],
];
describe.each(secrets)('credentials with %s', (name, secret) => {
  it.each([
    ['the peer', startPeer, startServer],
    ['us', startServer, startPeer],
  ])('written by %s are used by the other', async (_, writes, reads) => {
    const userDir = newFolder();
    await using first = await writes({ userDir, settings: { ...settings, ...secret } });
    await first.deploy(flows);
    expect(await read(first)).toBe(used);
    const stored = (await first.get('/flows')).body;
    await first.stop();
    expect(readFileSync(join(userDir, 'flows_cred.json'), 'utf8').includes('global secret')).toBe(
      name === 'no encryption',
    );

    await using second = await reads({ userDir });
    expect(await read(second)).toBe(used);
    expect((await second.get('/flows')).body).toEqual(stored);
    expect((await second.get('/credentials/http-request/h')).body).toEqual({ user: 'u', has_password: true });
  });
});

it('a generated secret gives way to one of the user, and the peer reads what was written', async () => {
  const userDir = newFolder();
  await using first = await startPeer({ userDir, settings });
  await first.deploy(flows);
  await read(first);
  await first.stop();
  const before = readFileSync(join(userDir, 'flows_cred.json'), 'utf8');
  await using second = await startServer({ userDir, settings: { ...settings, credentialSecret: 'new' } });
  expect(await read(second)).toBe(used);
  await second.deploy([...(await second.get('/flows')).body, node('c', 'comment', 't', [])]);
  await second.stop();
  expect(readFileSync(join(userDir, 'flows_cred.json'), 'utf8')).not.toBe(before);
  expect(readFileSync(join(userDir, '.config.runtime.json'), 'utf8')).not.toContain('_credentialSecret');
  await using third = await startPeer({ userDir });
  expect(await read(third)).toBe(used);
});

it('the generated secret of a user directory from before Node-RED 1.2 is found in its one configuration file', async () => {
  const userDir = newFolder();
  await using first = await startPeer({ userDir, settings });
  await first.deploy(flows);
  await read(first);
  await first.stop();
  const of = (name: string) => join(userDir, `.config.${name}.json`);
  const nodes = { 'node-red': { nodes: { exec: { enabled: false } } } };
  const single = { ...JSON.parse(readFileSync(of('runtime'), 'utf8')), nodes, users: { _: { a: 1 } } };
  for (const name of readdirSync(userDir)) if (name.startsWith('.config.')) rmSync(join(userDir, name));
  writeFileSync(join(userDir, '.config.json'), JSON.stringify(single));

  await using second = await startServer({ userDir });
  expect(await read(second)).toBe(used);
  expect((await second.get('/settings/user')).body).toEqual({ a: 1 });
  const exec = await second.get('/nodes/node-red/exec', { headers: { accept: 'application/json' } });
  expect(exec.body.enabled).toBe(false);
});

describe('the files of a deploy have the names that the peer gives them', () => {
  const written = async (start: typeof startServer, flowFile: string) => {
    const userDir = newFolder();
    const file = flowFile.replace('<userDir>', userDir);
    mkdirSync(join(userDir, 'else', 'where'), { recursive: true });
    await using server = await start({ userDir, settings: { ...settings, flowFile: file } });
    await server.deploy(flows);
    await read(server);
    await server.deploy(flows.slice(0, -1));
    const all = readdirSync(userDir, { recursive: true }).map(String);
    return all.filter((path) => /flows|place/.test(path) && !path.startsWith('lib')).sort();
  };
  it.each(['<userDir>/else/where/place.json', 'else/where/place.json', 'noflows', 'flöws 1.flows.json'])(
    '%s',
    async (flowFile) => {
      const [ours, theirs] = await Promise.all([
        written(startServer, flowFile),
        written(startPeer, flowFile),
      ]);
      expect(ours).toEqual(theirs);
      expect(ours.length).toBeGreaterThan(1);
    },
  );
});
