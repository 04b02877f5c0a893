// The harder cases of the decisions 16 to 21, over HTTP: odd names, odd forms and archives, addresses, what is brought back.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ModuleFixture,
  packModule,
  registers,
  uploadForm,
  writeModule,
} from '../support/node-module.ts';
import { registryAnswers } from '../support/registry.ts';
import { type Reply, startServer, type TestServer } from '../support/server.ts';
import { scratchModules } from '../support/suite.ts';

const withRegistry = await registryAnswers();
const { scratch, folderOf } = scratchModules();

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    settings: { externalModules: { palette: { maxUploadSize: 200_000, maxUnpackedSize: 1_000_000 } } },
  });
});
afterAll(() => server?.[Symbol.asyncDispose]());

const acceptJson = { headers: { accept: 'application/json' } };
const install = (body: object) => server.post('/nodes', { json: body });
const send = (form: FormData) => server.post('/nodes', { body: form });
const onDisk = () => {
  const list = (path: string) => {
    const folder = join(server.userDir, path);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  return { modules: list('node_modules'), kept: list('nodes'), uploads: list('.sluice/upload') };
};
const setIds = async (): Promise<string[]> =>
  (await server.get('/nodes', acceptJson)).body.map(({ id }: { id: string }) => id);

/** Refused with this code, and nothing is left behind. */
async function expectRefused(request: () => Promise<Reply>, code: string): Promise<void> {
  const before = [onDisk(), await setIds()];
  const reply = await request();
  expect([reply.status, reply.body], reply.text).toEqual([400, { code, message: expect.any(String) }]);
  expect(reply.text).not.toContain(server.userDir);
  expect([onDisk(), await setIds()]).toEqual(before);
}

describe('decision 16: `module`', () => {
  it.each([
    ['an option with a value', '--registry=http://127.0.0.1:1'],
    ['spaces around', ' node-red-node-random '],
    ['a space inside', 'node-red node'],
    ['a line break', 'a\nb'],
    ['a NUL', 'a\u0000b'],
    ['letters beyond ASCII', 'wéllen'],
    ['an escaped slash', 'a%2fb'],
    ['an alias', 'npm:ms'],
    ['a home folder', '~/surf'],
    ['a drive', 'C:\\surf'],
    ['a file address', 'file:///tmp'],
    ['a bare scope', '@acme'],
    ['a scope of a scope', '@acme/a/b'],
    ['a folder of npm', 'node_modules'],
    ['a member of every object', '__proto__'],
    ['a name that is too long', 'a'.repeat(215)],
  ])('refuses %s', async (_what, module) => {
    await expectRefused(() => install({ module }), 'invalid_module_name');
  });

  it('refuses a folder whose package.json is not JSON, or names another place', async () => {
    const broken = folderOf({ name: 'broken' });
    writeFileSync(join(broken, 'package.json'), '{');
    await expectRefused(() => install({ module: broken }), 'invalid_package');
    const climbing = folderOf({ name: '../climbing' });
    await expectRefused(() => install({ module: climbing }), 'invalid_package');
  });

  it('takes a form as well', async () => {
    expect((await server.post('/nodes', { form: { module: '/no/such/folder' } })).status).toBe(404);
  });
});

describe('the field `url`, as the palette manager sends it', () => {
  it('installs a package file from an address and from a path', async () => {
    const data = await packModule({ name: 'from-url', sets: { 'from-url': registers('from-url') } });
    const host = createServer((_req, res) => res.end(data)).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => host.once('listening', resolve));
      const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/from-url-1.0.0.tgz`;
      const reply = await install({ module: 'from-url', url });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body).toMatchObject({ name: 'from-url', version: '1.0.0', nodes: [{ loaded: true }] });
      expect((await server.delete('/nodes/from-url')).status).toBe(204);
    } finally {
      host.close();
      host.closeAllConnections();
    }
    const file = join(scratch, 'from-path-1.0.0.tgz');
    writeFileSync(file, await packModule({ name: 'from-path', sets: { p: registers('from-path') } }));
    const reply = await install({ module: 'from-path', url: file });
    expect(reply.body, reply.text).toMatchObject({ name: 'from-path', nodes: [{ loaded: true }] });
    expect((await server.delete('/nodes/from-path')).status).toBe(204);
  });

  it.each([
    '',
    '--global',
    'file:///tmp/a.tgz',
    'ftp://example.org/a.tgz',
    '/etc/passwd',
    'a.tgz',
    'https://',
    'http://a b/',
  ])('refuses %j', async (url) => {
    await expectRefused(() => install({ module: 'from-url', url }), 'invalid_module_url');
  });

  it('refuses a package that is not there, or is no node module', async () => {
    await expectRefused(() => install({ module: 'gone', url: '/no/such/file.tgz' }), 'install_failed');
    const file = join(scratch, 'plain-1.0.0.tgz');
    writeFileSync(file, await packModule({ name: 'plain', manifest: { 'node-red': undefined } }));
    await expectRefused(() => install({ module: 'plain', url: file }), 'invalid_package');
  });
});

describe('decision 18: a form', () => {
  it('with several files: the first one counts', async () => {
    const form = new FormData();
    form.append('note', 'a field that nobody knows');
    form.append(
      'a',
      new Blob([await packModule({ name: 'first', sets: { f: registers('first') } })]),
      'first.tgz',
    );
    form.append('b', new Blob([await packModule({ name: 'second' })]), 'second.tgz');
    const reply = await send(form);
    expect(reply.body, reply.text).toMatchObject({ name: 'first', nodes: [{ loaded: true }] });
    expect((await setIds()).some((id) => id.startsWith('second/'))).toBe(false);
    expect(onDisk().kept).toEqual(['first-1.0.0.tgz']);
  });

  it('with a first file of another kind: 400, whatever follows', async () => {
    const form = new FormData();
    form.append('a', new Blob(['x']), 'x.txt');
    form.append('b', new Blob([await packModule({ name: 'after' })]), 'after.tgz');
    await expectRefused(() => send(form), 'invalid_tarball');
  });

  it('with a file name that is a path: only its end matters', async () => {
    const form = uploadForm(Buffer.from('x') as Buffer<ArrayBuffer>, '../../../etc/evil.tgz');
    await expectRefused(() => send(form), 'invalid_tarball');
    expect(existsSync(join(server.userDir, '../../../etc/evil.tgz'))).toBe(false);
  });

  it('over the size limit, packed or unpacked: 400', async () => {
    const noise = randomBytes(250_000).toString('base64');
    await expectRefused(
      async () => send(uploadForm(await packModule({ name: 'large', files: { noise } }))),
      'invalid_tarball',
    );
    const bomb = await packModule({ name: 'bomb', files: { zeros: '\0'.repeat(3_000_000) } });
    expect(bomb.length).toBeLessThan(200_000);
    await expectRefused(() => send(uploadForm(bomb)), 'invalid_tarball');
    const padding = gzipSync(Buffer.alloc(40_000_000)) as Buffer<ArrayBuffer>;
    await expectRefused(() => send(uploadForm(padding)), 'invalid_tarball');
  });

  it.each([
    ['/etc/passwd', 'an absolute path'],
    ['../../outside', 'a path upwards'],
    ['a/../../..', 'a path down and upwards'],
  ])('with a link to %s (%s): 400', async (target) => {
    const folder = mkdtempSync(join(scratch, 'link-'));
    writeModule(join(folder, 'package'), { name: 'linked' });
    symlinkSync(target, join(folder, 'package', 'link'));
    const file = join(folder, 'x.tgz');
    await create({ gzip: true, cwd: folder, file, preservePaths: true }, ['package']);
    await expectRefused(() => send(uploadForm(readFileSync(file) as Buffer<ArrayBuffer>)), 'invalid_tarball');
  });

  it('cut short: 400', async () => {
    const data = await packModule({ name: 'cut', sets: { cut: registers('cut') } });
    await expectRefused(() => send(uploadForm(data.subarray(0, data.length - 20))), 'invalid_tarball');
  });
});

describe('decision 20: installs at once', () => {
  it('run one after the other, uploads and directories too; others wait', async () => {
    const name = (i: number) => `queued-${i}`;
    const fixture = (i: number): ModuleFixture => ({ name: name(i), sets: { set: registers(name(i)) } });
    const replies = await Promise.all([
      install({ module: folderOf(fixture(1)) }),
      send(uploadForm(await packModule(fixture(2)))),
      install({ module: folderOf(fixture(3)) }),
      send(uploadForm(await packModule({ name: 'not-a-module', manifest: { 'node-red': undefined } }))),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    const ids = await setIds();
    for (const i of [1, 2, 3]) expect(ids).toContain(`${name(i)}/set`);
    const { dependencies } = JSON.parse(readFileSync(join(server.userDir, 'package.json'), 'utf8'));
    for (const i of [1, 2, 3]) expect(dependencies).toHaveProperty([name(i)]);
  });

  it('of the same module: one has it, the other is told so', async () => {
    const data = await packModule({ name: 'twice', sets: { twice: registers('twice') } });
    const replies = await Promise.all([send(uploadForm(data)), send(uploadForm(data))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('whose client does not wait are done all the same', async () => {
    const module = folderOf({ name: 'impatient', sets: { i: registers('impatient') } });
    await server.post('/nodes', { json: { module }, timeoutMs: 50 }).catch(() => {});
    await server.waitFor(async () => (await setIds()).includes('impatient/i'), 'the module');
  });
});

describe('decision 21: a plugin set that ends the engine', () => {
  it('is left out from then on, and says why', async () => {
    const reply = await install({
      module: folderOf({
        name: 'deadly-plugin',
        sets: { fine: registers('fine-beside') },
        files: { 'wave.js': 'module.exports = () => process.exit(9);' },
        manifest: { 'node-red': { nodes: { fine: 'fine.js' }, plugins: { wave: 'wave.js' } } },
      }),
    });
    expect(reply.status, reply.text).toBe(200);
    const found = await server.waitFor(async () => {
      const { nodes, plugins } = (await server.get('/nodes/deadly-plugin')).body;
      return nodes[0]?.loaded && plugins[0]?.err ? plugins[0] : undefined;
    }, 'the engine without the plugin');
    expect(found).toMatchObject({ id: 'deadly-plugin/wave', err: expect.stringContaining('9') });
    expect((await server.delete('/nodes/deadly-plugin')).status).toBe(204);
  });
});

describe('decision 19: externalModules.palette.installScripts', () => {
  const marks = "node -e \"require('fs').writeFileSync('mark.js', '')\"";
  const module = (name: string, script: string): ModuleFixture => ({
    name,
    sets: { needs: 'require("./mark.js");' },
    manifest: { scripts: { postinstall: script } },
  });

  it.each([
    ['all', [true, true]],
    ['none', [false, false]],
    [['plain-one'], [true, false]],
  ])('%j', async (installScripts, expected) => {
    await using one = await startServer({ settings: { externalModules: { palette: { installScripts } } } });
    const loaded = [];
    for (const fixture of [module('plain-one', marks), module('native-one', `node-gyp-build || ${marks}`)]) {
      const reply = await one.post('/nodes', { body: uploadForm(await packModule(fixture)) });
      expect(reply.status, reply.text).toBe(200);
      loaded.push(reply.body.nodes[0].loaded);
    }
    expect(loaded).toEqual(expected);
  });
});

describe('where installing is switched off', () => {
  it('POST /nodes is 404, for who may as for who may not only after the token was asked for', async () => {
    const users = [
      {
        username: 'admin',
        password: '$2a$08$zZWtXTja0fB1pzD4sHCMyOCMYz2Z6dNbM6tl8sJogENOMcxWV9DN.',
        permissions: '*',
      },
    ];
    await using closed = await startServer({
      settings: {
        externalModules: { palette: { allowInstall: false } },
        adminAuth: { type: 'credentials', users },
      },
      until: 'live',
    });
    const json = { module: 'node-red-node-random' };
    expect((await closed.post('/nodes', { json })).status).toBe(401);
    const reply = await closed.post('/nodes', { json, token: await closed.login('admin', 'password') });
    expect([reply.status, reply.text]).toEqual([404, '']);
  });
});

describe('externalModules.autoInstall', () => {
  const remembered = {
    'node-red-node-random': {
      name: 'node-red-node-random',
      version: '0.4.1',
      local: true,
      user: true,
      nodes: { random: { name: 'random', types: ['random'], enabled: true, file: 'gone' } },
    },
  };
  const userDir = () => {
    const folder = mkdtempSync(join(scratch, 'auto-'));
    writeFileSync(join(folder, '.config.nodes.json'), JSON.stringify(remembered));
    return folder;
  };

  it.runIf(withRegistry)('brings back at start what is remembered and missing, in its version', async () => {
    const flows = [
      { id: 't', type: 'tab', label: 'T' },
      {
        id: 'r',
        type: 'random',
        z: 't',
        x: 1,
        y: 1,
        low: 1,
        high: 2,
        inte: 'true',
        property: 'payload',
        wires: [['o']],
      },
      { id: 'i', type: 'http in', z: 't', x: 1, y: 1, url: '/random', method: 'get', wires: [['r']] },
      { id: 'f', type: 'http response', z: 't', x: 1, y: 1, statusCode: '', wires: [] },
      {
        id: 'o',
        type: 'function',
        z: 't',
        x: 1,
        y: 1,
        func: 'msg.payload = String(msg.payload); return msg;',
        outputs: 1,
        wires: [['f']],
      },
    ];
    await using back = await startServer({
      userDir: userDir(),
      settings: { externalModules: { autoInstall: true }, flowFile: 'flows.json' },
      flows,
    });
    const set = await back.waitFor(async () => {
      const reply = await back.get('/nodes/node-red-node-random/random', acceptJson);
      return reply.body?.loaded && reply.body;
    }, 'the module');
    expect(set).toMatchObject({ version: '0.4.1', types: ['random'] });
    // Flows that waited for its type run.
    await back.waitFor(async () => /^[12]$/.test((await back.get('/random')).text), 'the flow');
  });

  it('that is off only names them', async () => {
    await using plain = await startServer({ userDir: userDir(), settings: {} });
    await plain.waitFor(() => plain.log().includes('node-red-node-random'), 'its name in the log');
    expect((await plain.get('/nodes/node-red-node-random')).status).toBe(404);
  });
});
