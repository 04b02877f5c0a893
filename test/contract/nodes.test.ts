import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
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
const acceptJson = { accept: 'application/json' };

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const install = (module: unknown, more: object = {}) => server.post('/nodes', { json: { module, ...more } });
const upload = async (fixture: ModuleFixture, fileName?: string) =>
  server.post('/nodes', { body: uploadForm(await packModule(fixture), fileName) });
const listed = async (): Promise<{ id: string; loaded: boolean; err?: string }[]> =>
  (await server.get('/nodes', { headers: acceptJson })).body;

/** What an installation may leave behind, and a refused one may not. */
function onDisk() {
  const read = (path: string) => {
    const file = join(server.userDir, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const list = (path: string) => {
    const folder = join(server.userDir, path);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  return {
    manifest: read('package.json'),
    lock: read('package-lock.json'),
    hiddenLock: read('node_modules/.package-lock.json'),
    modules: list('node_modules'),
    tarballs: list('nodes'),
    uploads: list('.sluice/upload'),
    remembered: read('.config.nodes.json'),
  };
}

/** The request is refused so, and nothing is left behind. */
async function expectRefused(request: () => Promise<Reply>, status: number, code?: string): Promise<Reply> {
  const before = { disk: onDisk(), sets: await listed() };
  const reply = await request();
  expect(reply.status, reply.text).toBe(status);
  if (code === undefined) {
    expect(reply.text).toBe('');
    expect(reply.headers.get('content-type')).toBeNull();
  } else {
    expect(reply.body).toEqual({ code, message: expect.any(String) });
    expect(reply.body.message).not.toContain(scratch);
    expect(reply.body.message).not.toContain(server.userDir);
  }
  expect({ disk: onDisk(), sets: await listed() }).toEqual(before);
  return reply;
}

describe('POST /nodes from the registry', () => {
  it.runIf(withRegistry)(
    'installs a module and answers with the Node Module object (node-red-node-random)',
    async () => {
      const reply = await install('node-red-node-random');
      expect(reply.status, reply.text).toBe(200);
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.body).toMatchObject({
        name: 'node-red-node-random',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        local: true,
        user: true,
        nodes: [
          {
            id: 'node-red-node-random/random',
            name: 'random',
            types: ['random'],
            enabled: true,
            loaded: true,
            module: 'node-red-node-random',
          },
        ],
        plugins: [],
      });
      expect(await listed()).toContainEqual(reply.body.nodes[0]);
      const manifest = JSON.parse(readFileSync(join(server.userDir, 'package.json'), 'utf8'));
      expect(manifest.dependencies['node-red-node-random']).toMatch(/^~/);
    },
  );

  it.runIf(withRegistry)('installs a scoped module (@node-red-contrib-themes/theme-collection)', async () => {
    const name = '@node-red-contrib-themes/theme-collection';
    const reply = await install(name);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ name, nodes: [] });
    expect(reply.body.plugins[0]).toMatchObject({ module: name, runtime: true, enabled: true });
    const described = await server.get(`/nodes/${name}`);
    expect(described.body).toEqual(reply.body);
    expect((await server.delete(`/nodes/${name}`)).status).toBe(204);
    expect((await server.get(`/nodes/${name}`)).status).toBe(404);
  });

  it.runIf(withRegistry)(
    'refuses a module that is installed already: 400 module_already_loaded',
    async () => {
      await expectRefused(() => install('node-red-node-random'), 400, 'module_already_loaded');
    },
  );

  it.runIf(withRegistry)('changes an installed module to the version in the field of its own', async () => {
    const reply = await install('node-red-node-random', { version: '0.4.0' });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ version: '0.4.0', nodes: [{ version: '0.4.0', loaded: true }] });
    await expectRefused(
      () => install('node-red-node-random', { version: '0.4.0' }),
      400,
      'module_already_loaded',
    );
  });

  it.runIf(withRegistry)('answers 404 without a body for an unknown module, scope or version', async () => {
    await expectRefused(() => install('no-such-node-module-7261'), 404);
    await expectRefused(() => install('@no-such-scope-7261/no-such-module'), 404);
    await expectRefused(() => install('node-red-node-random', { version: '999.0.0' }), 404);
  });

  it.runIf(withRegistry)(
    'refuses a package that is not a node module: 400, nothing left behind',
    async () => {
      await expectRefused(() => install('ms'), 400, 'invalid_package');
    },
  );

  it.runIf(withRegistry)('installs two modules that are asked for at once, one after the other', async () => {
    const [one, other] = await Promise.all([
      install('node-red-node-smooth'),
      install('node-red-node-base64'),
    ]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body.nodes[0]).toMatchObject({ types: ['smooth'], loaded: true });
    expect(other.body.nodes[0]).toMatchObject({ types: ['base64'], loaded: true });
    const twice = await Promise.all([install('node-red-node-suncalc'), install('node-red-node-suncalc')]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(twice.find(({ status }) => status === 400)?.body.code).toBe('module_already_loaded');
  });

  it.each([
    ['a version qualifier', 'node-red-node-random@0.4.0'],
    ['a tag', 'node-red-node-random@latest'],
    ['a URL', 'https://example.org/a.tgz'],
    ['a git reference', 'git+https://example.org/a.git'],
    ['a repository', 'acme/surf'],
    ['a file reference', 'file:../surf'],
    ['a package file', '/tmp/surf-1.0.0.tgz'],
    ['a relative path', './surf'],
    ['an option', '--global'],
    ['a short option', '-g'],
    ['nothing', ''],
  ])('refuses %s in `module`: %j', async (_what, module) => {
    await expectRefused(() => install(module), 400, 'invalid_module_name');
  });

  it.each([
    ['no module', {}],
    ['a module of another type', { module: 7 }],
    ['a list', { module: ['a'] }],
    ['null', { module: null }],
    ['a version range', { module: 'node-red-node-random', version: '^1.0.0' }],
    ['a version tag', { module: 'node-red-node-random', version: 'latest' }],
    ['a version of another type', { module: 'node-red-node-random', version: 1 }],
  ])('refuses a body with %s', async (_what, json) => {
    await expectRefused(() => server.post('/nodes', { json }), 400, 'invalid_request');
  });

  it('refuses a body that is not JSON, and one that is too large', async () => {
    const headers = { 'content-type': 'application/json' };
    await expectRefused(() => server.post('/nodes', { headers, body: '{"module":' }), 400, 'bad_request');
    const large = JSON.stringify({ module: 'a', filler: 'x'.repeat(6_000_000) });
    await expectRefused(() => server.post('/nodes', { headers, body: large }), 413, 'body_too_large');
  });
});

describe('POST /nodes from a directory', () => {
  it('installs it, and ignores fields that it does not know', async () => {
    const folder = folderOf({ name: '@acme/dir', version: '2.0.1', sets: { dir: registers('dir') } });
    const reply = await install(`${folder}/`, { surprise: true });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({
      name: '@acme/dir',
      version: '2.0.1',
      nodes: [
        {
          id: '@acme/dir/dir',
          name: 'dir',
          types: ['dir'],
          enabled: true,
          loaded: true,
          module: '@acme/dir',
        },
      ],
    });
    await expectRefused(() => install(folder), 400, 'module_already_loaded');
  });

  it('answers 404 without a body where there is no such directory', async () => {
    await expectRefused(() => install(join(scratch, 'not-there')), 404);
    await expectRefused(() => install(`/${'x'.repeat(300)}`), 404);
  });

  it('refuses a directory that is not a node module', async () => {
    const empty = join(scratch, 'empty');
    mkdirSync(empty);
    await expectRefused(() => install(empty), 400, 'invalid_package');
    await expectRefused(
      () => install(folderOf({ name: 'plain', manifest: { 'node-red': undefined } })),
      400,
      'invalid_package',
    );
    await expectRefused(() => install(folderOf({ name: 'bare', sets: {} })), 400, 'invalid_package');
    await expectRefused(() => install(folderOf({ name: '--global' })), 400, 'invalid_package');
    const file = join(scratch, 'a-file');
    writeFileSync(file, '');
    await expectRefused(() => install(file), 400, 'invalid_module_name');
  });

  it('refuses a module that does not work with this version', async () => {
    const manifest = { 'node-red': { version: '>=99', nodes: { main: 'main.js' } } };
    await expectRefused(() => install(folderOf({ name: 'future', manifest })), 400, 'invalid_package');
  });

  it('is 200 where the code of a set throws, with the error in `err`; other sets load', async () => {
    const sets = {
      good: registers('good'),
      throws: 'throw new Error("no waves today");',
      rejects: 'return Promise.reject(new Error("too cold"));',
      lacks: 'require("not-there-at-all");',
    };
    const reply = await install(folderOf({ name: 'half', sets }));
    expect(reply.status, reply.text).toBe(200);
    const [good, throws, rejects, lacks] = reply.body.nodes;
    expect(good).toMatchObject({ loaded: true });
    expect(good).not.toHaveProperty('err');
    expect(throws).toMatchObject({
      enabled: true,
      loaded: false,
      err: expect.stringContaining('no waves today'),
    });
    expect(rejects).toMatchObject({ loaded: false, err: expect.stringContaining('too cold') });
    expect(lacks).toMatchObject({ loaded: false, err: expect.stringContaining('not-there-at-all') });
    const page = (await server.get('/nodes')).text;
    expect(page).toContain('[red-module:half/good]');
    expect(page).not.toContain('[red-module:half/throws]');
  });

  it('leaves out, for good, a set that ends the engine while it loads', async () => {
    const before = await server.enginePid();
    const reply = await install(
      folderOf({ name: 'deadly', sets: { fine: registers('fine'), exits: 'process.exit(7);' } }),
    );
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.nodes.find(({ name }: { name: string }) => name === 'exits')).toMatchObject({
      loaded: false,
    });
    await server.enginePid(before);
    const sets = await server.waitFor(async () => {
      const all = await listed();
      return all.find(({ id }) => id === 'deadly/fine')?.loaded ? all : undefined;
    }, 'the engine without the deadly set');
    const exits = sets.find(({ id }) => id === 'deadly/exits');
    expect(exits).toMatchObject({ enabled: true, loaded: false, err: expect.stringContaining('7') });
    expect(sets.filter(({ id }) => id.startsWith('node-red/')).every(({ loaded }) => loaded)).toBe(true);
    expect((await server.delete('/nodes/deadly')).status).toBe(204);
  });
});

describe('POST /nodes with an upload', () => {
  it('installs the package, whatever the part is called, and keeps it', async () => {
    const data = await packModule({ name: '@acme/up', sets: { up: registers('up') } });
    const reply = await server.post('/nodes', { body: uploadForm(data, 'some-name.tgz', 'whatever') });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({
      name: '@acme/up',
      version: '1.0.0',
      nodes: [{ types: ['up'], loaded: true }],
    });
    expect(onDisk().tarballs).toContain('acme-up-1.0.0.tgz');
    await expectRefused(() => upload({ name: '@acme/up' }), 400, 'module_already_loaded');
  });

  it('changes an installed module to the uploaded version, whose code then runs', async () => {
    const version = (number: string) => ({
      name: 'versioned',
      version: number,
      sets: {
        versioned: `RED.httpAdmin.get('/which-version', (_, res) => res.send(${JSON.stringify(number)}));`,
      },
    });
    expect((await upload(version('1.0.0'))).status).toBe(200);
    expect((await server.get('/which-version')).text).toBe('1.0.0');
    const reply = await upload(version('1.1.0'));
    expect(reply.body, reply.text).toMatchObject({
      version: '1.1.0',
      nodes: [{ version: '1.1.0', loaded: true }],
    });
    expect((await server.get('/which-version')).text).toBe('1.1.0');
    expect(onDisk().tarballs.filter((name) => name.startsWith('versioned'))).toEqual(['versioned-1.1.0.tgz']);
    expect((await server.delete('/nodes/versioned')).status).toBe(204);
    expect(onDisk().tarballs.filter((name) => name.startsWith('versioned'))).toEqual([]);
  });

  it('refuses a file that is not named .tgz', async () => {
    await expectRefused(() => upload({ name: 'named' }, 'named.tar.gz'), 400, 'invalid_tarball');
    await expectRefused(() => upload({ name: 'named' }, 'named.zip'), 400, 'invalid_tarball');
  });

  it('refuses what is not gzip, not tar, or has no package/package.json', async () => {
    const bodies = [Buffer.from('hello'), Buffer.alloc(0), gzipSync('hello'), gzipSync(Buffer.alloc(1024))];
    for (const data of bodies) {
      await expectRefused(
        () => server.post('/nodes', { body: uploadForm(data as Buffer<ArrayBuffer>) }),
        400,
        'invalid_tarball',
      );
    }
    const folder = writeModule(join(scratch, 'elsewhere', 'other'), { name: 'elsewhere' });
    const file = join(scratch, 'elsewhere.tgz');
    await create({ gzip: true, cwd: join(folder, '..'), file }, ['other']);
    const data = readFileSync(file) as Buffer<ArrayBuffer>;
    await expectRefused(() => server.post('/nodes', { body: uploadForm(data) }), 400, 'invalid_tarball');
  });

  it('refuses a path that leaves the folder', async () => {
    writeModule(join(scratch, 'evil', 'package'), { name: 'evil' });
    writeFileSync(join(scratch, 'outside.js'), '');
    const file = join(scratch, 'evil.tgz');
    const cwd = join(scratch, 'evil');
    await create({ gzip: true, cwd, file, preservePaths: true }, ['package', '../outside.js']);
    const data = readFileSync(file) as Buffer<ArrayBuffer>;
    await expectRefused(() => server.post('/nodes', { body: uploadForm(data) }), 400, 'invalid_tarball');
  });

  it('refuses a package that is not a node module', async () => {
    await expectRefused(
      () => upload({ name: 'plain', manifest: { 'node-red': undefined } }),
      400,
      'invalid_package',
    );
  });

  it('refuses a form without a file, with fields of another installation, and one that is broken', async () => {
    const form = new FormData();
    form.append('surprise', 'x');
    await expectRefused(() => server.post('/nodes', { body: form }), 400, 'invalid_request');
    const mixed = new FormData();
    mixed.append('module', 'node-red-node-random');
    mixed.append('tarball', new Blob(['x']), 'x.tgz');
    await expectRefused(() => server.post('/nodes', { body: mixed }), 400, 'invalid_request');
    const headers = { 'content-type': 'multipart/form-data' };
    await expectRefused(() => server.post('/nodes', { headers }), 400, 'bad_request');
    await expectRefused(() => server.post('/nodes', { headers, body: 'x' }), 400, 'bad_request');
    const cut = { 'content-type': 'multipart/form-data; boundary=b' };
    const body = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.tgz"\r\n\r\nhalf';
    await expectRefused(() => server.post('/nodes', { headers: cut, body }), 400, 'bad_request');
  });
});

describe('the other routes of /nodes', () => {
  beforeAll(async () => {
    const icons = {
      'icons/wave.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'resources/a/b.js': 'b()',
    };
    const texts = {
      'locales/en-US/surf.json': '{"surf":"surf"}',
      'locales/de/surf.json': '{"surf":"Brandung"}',
    };
    const plugin = {
      'wave.js': 'module.exports = (RED) => RED.plugins.registerPlugin("w", { type: "wave-type" });',
    };
    const section = { nodes: { surf: 'surf.js', other: 'other.js' }, plugins: { wave: 'wave.js' } };
    const sets = { surf: registers('surf'), other: registers('other') };
    const files = { ...icons, ...texts, ...plugin, 'wave.html': '<b>wave</b>' };
    const reply = await install(
      folderOf({ name: '@acme/surf', sets, files, manifest: { 'node-red': section } }),
    );
    expect(reply.status, reply.text).toBe(200);
  });

  it('list every set as JSON where Accept is exactly application/json, else as html', async () => {
    const json = await server.get('/nodes', { headers: acceptJson });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json.body[0]).toMatchObject({ id: 'node-red/junction', types: ['junction'], loaded: true });
    expect(json.body.slice(0, 37).every(({ id }: { id: string }) => id.startsWith('node-red/'))).toBe(true);
    for (const accept of ['application/json, text/plain, */*', '*/*', 'text/html']) {
      const html = await server.get('/nodes', { headers: { accept } });
      expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(html.text).toContain('\n<!-- --- [red-module:@acme/surf/surf] --- -->\n');
    }
  });

  it('describe modules and sets, scoped or not', async () => {
    const core = await server.get('/nodes/node-red');
    expect(core.body).toMatchObject({ name: 'node-red', plugins: [] });
    expect(core.body).not.toHaveProperty('path');
    for (const path of ['/nodes/@acme/surf', '/nodes/%40acme%2Fsurf']) {
      expect((await server.get(path)).body).toMatchObject({ name: '@acme/surf', local: true, user: true });
    }
    const set = await server.get('/nodes/@acme/surf/surf', { headers: acceptJson });
    expect(set.body).toMatchObject({ id: '@acme/surf/surf', loaded: true, version: '1.0.0', user: false });
    const html = await server.get('/nodes/@acme/surf/surf');
    expect(html.text.startsWith('<!-- --- [red-module:@acme/surf/surf] --- -->\n')).toBe(true);
    const inject = await server.get('/nodes/node-red/inject', { headers: { 'accept-language': 'de' } });
    expect(inject.text).toContain('data-help-name="inject"');
  });

  it.each([
    ['/nodes/no-such-module', 'Module not found'],
    ['/nodes/@acme/no-such', 'Module not found'],
    ['/nodes/node-red/no-such', 'Node not found'],
    ['/nodes/@acme/surf/no-such', 'Node not found'],
    ['/nodes/@acme/surf/wave', 'Node not found'],
    ['/plugins/no-such-module', 'Module not found'],
  ])('GET %s: 404 %s', async (path, message) => {
    const reply = await server.get(path, { headers: acceptJson });
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({ code: 'not_found', message });
  });

  it('give the texts of the sets', async () => {
    expect((await server.get('/nodes/@acme/surf/surf/messages?lng=de')).body).toEqual({ surf: 'Brandung' });
    expect((await server.get('/nodes/@acme/surf/surf/messages')).body).toEqual({ surf: 'surf' });
    expect((await server.get('/nodes/node-red/inject/messages?lng=de')).body).toEqual({});
    expect((await server.get('/nodes/no/such/messages')).body).toEqual({});
    const all = await server.get('/nodes/messages?lng=de&_=1');
    expect(all.body['@acme/surf/surf']).toEqual({ surf: 'Brandung' });
    expect(Object.keys(all.body).some((id) => id.startsWith('node-red/'))).toBe(false);
    expect((await server.get('/plugins/messages?lng=de')).body).toMatchObject({ '@acme/surf/wave': {} });
  });

  it('list and describe plugins', async () => {
    const wave = {
      id: '@acme/surf/wave',
      name: 'wave',
      enabled: true,
      local: true,
      user: false,
      module: '@acme/surf',
      plugins: [{ id: 'w', type: 'wave-type', module: '@acme/surf' }],
      editor: true,
      runtime: true,
      version: '1.0.0',
    };
    expect((await server.get('/plugins', { headers: acceptJson })).body).toEqual([wave]);
    const html = '\n<!-- --- [red-plugin:@acme/surf/wave] --- -->\n<b>wave</b>';
    expect((await server.get('/plugins')).text).toBe(html);
    expect((await server.get('/plugins/@acme/surf/wave', { headers: acceptJson })).body).toEqual(wave);
    expect((await server.get('/plugins/@acme/surf/wave')).text).toBe(html);
    const unknown = await server.get('/plugins/@acme/surf/surf');
    expect([unknown.status, unknown.text]).toEqual([200, '']);
    const asJson = await server.get('/plugins/@acme/surf/surf', { headers: acceptJson });
    expect(asJson.body).toEqual({ code: 'not_found', message: 'Plugin not found' });
  });

  it('serve icons and resources', async () => {
    expect((await server.get('/icons')).body).toMatchObject({ '@acme/surf': ['wave.svg'] });
    const icon = await server.get('/icons/@acme/surf/wave.svg');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect((await server.get('/icons/node-red/inject.svg')).text).toContain('<svg');
    const none = await server.get('/icons/no-such/no-such.svg');
    expect([none.status, none.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const resource = await server.get('/resources/@acme/surf/a/b.js');
    expect(resource.text).toBe('b()');
    expect(resource.headers.get('content-type')).toMatch(/javascript/);
    expect(resource.headers.get('etag')).toMatch(/^W\/"/);
    for (const path of ['a', 'no', '../package.json', '%2e%2e/package.json', '..%2fpackage.json', '']) {
      const reply = await server.get(`/resources/@acme/surf/${path}`);
      expect([path, reply.status, reply.text]).toEqual([path, 404, '']);
    }
  });

  it('disable and enable a set and a module', async () => {
    const put = (path: string, json: object) => server.put(path, { json });
    const disabled = await put('/nodes/@acme/surf/surf', { enabled: false });
    expect(disabled.status, disabled.text).toBe(200);
    expect(disabled.body).toMatchObject({ id: '@acme/surf/surf', enabled: false, loaded: false });
    expect((await server.get('/nodes')).text).not.toContain('[red-module:@acme/surf/surf]');
    const enabled = await put('/nodes/@acme/surf/surf', { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, loaded: true, types: ['surf'] });
    const off = await put('/nodes/@acme/surf', { enabled: false });
    expect(off.body.nodes.map((set: { enabled: boolean }) => set.enabled)).toEqual([false, false]);
    const on = await put('/nodes/@acme/surf', { enabled: true });
    expect(on.body.nodes.map((set: { loaded: boolean }) => set.loaded)).toEqual([true, true]);
  });

  it('refuse to change what is not there (400, as the peer does), or without saying how', async () => {
    const put = (path: string, json: object) => expectRefused(() => server.put(path, { json }), 400, code);
    let code = 'not_found';
    await put('/nodes/no-such-module', { enabled: true });
    await put('/nodes/node-red/no-such', { enabled: true });
    await put('/nodes/@acme/surf/wave', { enabled: false });
    code = 'invalid_request';
    await put('/nodes/@acme/surf/surf', {});
    await put('/nodes/@acme/surf/surf', { enabled: 'no' });
  });

  it('refuse to disable or remove what the flows use', async () => {
    await server.deploy([
      { id: 't', type: 'tab', label: 't' },
      { id: 'n', type: 'surf', z: 't', x: 1, y: 1, wires: [] },
    ]);
    const inUse = { code: 'type_in_use', message: 'Type in use: surf' };
    const replies = [
      await server.put('/nodes/@acme/surf/surf', { json: { enabled: false } }),
      await server.put('/nodes/@acme/surf', { json: { enabled: false } }),
      await server.delete('/nodes/@acme/surf'),
    ];
    for (const reply of replies) expect([reply.status, reply.body]).toEqual([400, inUse]);
    expect((await server.put('/nodes/@acme/surf/other', { json: { enabled: false } })).status).toBe(200);
    await server.deploy([]);
  });

  it('remove a module: 204; 404 for an unknown one, 400 for the core', async () => {
    expect((await server.delete('/nodes/@acme/surf')).status).toBe(204);
    expect((await server.get('/nodes/@acme/surf')).status).toBe(404);
    expect(existsSync(join(server.userDir, 'node_modules/@acme/surf'))).toBe(false);
    await expectRefused(() => server.delete('/nodes/@acme/surf'), 404, 'not_found');
    const core = await expectRefused(() => server.delete('/nodes/node-red'), 400, 'unexpected_error');
    expect(core.body.message).toBe('Unrecognised module: node-red');
  });
});

describe('an installation', () => {
  it('leaves running flows alone, and its types can be deployed at once', async () => {
    await server.deploy([
      { id: 't', type: 'tab', label: 't' },
      { id: 'i', type: 'http in', z: 't', x: 1, y: 1, url: '/before', method: 'get', wires: [['o']] },
      { id: 'o', type: 'http response', z: 't', x: 1, y: 1, wires: [] },
    ]);
    const engine = await server.enginePid();
    await server.waitFor(async () => (await server.get('/before')).status === 200, 'the flow');
    let failures = 0;
    let asked = 0;
    let installing = true;
    const watching = (async () => {
      while (installing) {
        asked += 1;
        if ((await server.get('/before')).status !== 200) failures += 1;
      }
    })();
    const reply = await upload({ name: 'meanwhile', sets: { meanwhile: registers('meanwhile') } });
    installing = false;
    await watching;
    expect(reply.status, reply.text).toBe(200);
    expect([failures, asked > 5]).toEqual([0, true]);
    expect(await server.enginePid()).toBe(engine);
    await server.deploy([
      { id: 't', type: 'tab', label: 't' },
      { id: 'i', type: 'http in', z: 't', x: 1, y: 1, url: '/after', method: 'get', wires: [['m']] },
      { id: 'm', type: 'meanwhile', z: 't', x: 1, y: 1, wires: [['o']] },
      { id: 'o', type: 'http response', z: 't', x: 1, y: 1, wires: [] },
    ]);
    await server.waitFor(
      async () => (await server.get('/after')).status === 200,
      'the flow with the new node',
    );
    await server.deploy([]);
  });

  it('is told to open editors: its progress, and what came, changed and went', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/comms`);
    const messages: { topic: string; data: unknown }[] = [];
    socket.on('message', (text) => {
      const frame = JSON.parse(String(text));
      if (Array.isArray(frame)) messages.push(...frame);
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ subscribe: 'notification/#' }));
    const seen = (topic: string) =>
      server.waitFor(() => messages.find((one) => one.topic === topic)?.data, topic);
    await upload({ name: 'told', version: '1.0.0', sets: { told: registers('told') } });
    expect(await seen('notification/node/added')).toMatchObject([
      { id: 'told/told', types: ['told'], loaded: true },
    ]);
    const log = messages.filter(({ topic }) => /^event-log\/[0-9a-f]{16}$/.test(topic));
    expect(log[0]?.data).toMatchObject({
      ts: expect.any(Number),
      data: expect.stringContaining('npm install'),
    });
    expect(log.at(-1)?.data).toMatchObject({ data: 'rc=0', end: true });
    await server.put('/nodes/told/told', { json: { enabled: false } });
    expect(await seen('notification/node/disabled')).toMatchObject({ id: 'told/told', enabled: false });
    await server.put('/nodes/told/told', { json: { enabled: true } });
    expect(await seen('notification/node/enabled')).toMatchObject({ id: 'told/told', enabled: true });
    await upload({ name: 'told', version: '1.0.1', sets: { told: registers('told') } });
    expect(await seen('notification/node/upgraded')).toEqual({ module: 'told', version: '1.0.1' });
    await server.delete('/nodes/told');
    expect(await seen('notification/node/removed')).toMatchObject([{ id: 'told/told', enabled: false }]);
    socket.close();
  });

  it.runIf(withRegistry)('brings the packages that function nodes ask for', async () => {
    const libs = [{ var: 'ms', module: 'ms' }];
    await server.deploy([
      { id: 't', type: 'tab', label: 't' },
      { id: 'i', type: 'http in', z: 't', x: 1, y: 1, url: '/ms', method: 'get', wires: [['f']] },
      {
        id: 'f',
        type: 'function',
        z: 't',
        x: 1,
        y: 1,
        func: 'msg.payload = String(ms("2 days")); return msg;',
        outputs: 1,
        libs,
        wires: [['o']],
      },
      { id: 'o', type: 'http response', z: 't', x: 1, y: 1, wires: [] },
    ]);
    await server.waitFor(
      async () => (await server.get('/ms')).text === '172800000',
      'the flow with the package',
    );
    expect(JSON.parse(onDisk().manifest ?? '').dependencies.ms).toMatch(/^~2/);
    expect((await listed()).some(({ id }) => id.startsWith('ms/'))).toBe(false);
    await server.deploy([]);
  });

  it('runs only the install scripts that the policy allows, and names a skipped one where it is missed', async () => {
    const marks = "node -e \"require('fs').writeFileSync('mark.js', '')\"";
    const needs = { needs: 'require("./mark.js");' };
    const skipped = await upload({
      name: 'advert',
      sets: needs,
      manifest: { scripts: { postinstall: marks } },
    });
    expect(skipped.status, skipped.text).toBe(200);
    expect(skipped.body.nodes[0]).toMatchObject({
      loaded: false,
      err: expect.stringMatching(/mark\.js.*advert/s),
    });
    expect(server.log()).toContain('The install scripts of advert@1.0.0 were not run');
    const native = await upload({
      name: 'native',
      sets: needs,
      manifest: { scripts: { install: `node-gyp-build || ${marks}` } },
    });
    expect(native.body.nodes[0], native.text).toMatchObject({ loaded: true });
    const failing = {
      name: 'failing',
      manifest: { scripts: { install: 'node-gyp-build && exit 1 || exit 1' } },
    };
    await expectRefused(() => upload(failing), 400, 'install_failed');
  });
});

describe('who may', () => {
  it('needs nodes.read to look and nodes.write to change; 401 without a body', async () => {
    const user = {
      username: 'reader',
      password: '$2a$08$zZWtXTja0fB1pzD4sHCMyOCMYz2Z6dNbM6tl8sJogENOMcxWV9DN.',
      permissions: 'read',
    };
    await using guarded = await startServer({
      settings: { adminAuth: { type: 'credentials', users: [user] } },
      until: 'live',
    });
    const token = await guarded.login('reader', 'password', 'read');
    expect((await guarded.get('/nodes', { token })).status).toBe(200);
    const refused = [
      await guarded.get('/nodes'),
      await guarded.post('/nodes', { json: { module: 'node-red-node-random' } }),
      await guarded.post('/nodes', { token, json: { module: 'node-red-node-random' } }),
      await guarded.post('/nodes', { token, body: uploadForm(await packModule({ name: 'a' })) }),
      await guarded.put('/nodes/node-red/inject', { token, json: { enabled: false } }),
      await guarded.delete('/nodes/node-red', { token }),
      await guarded.get('/plugins'),
      await guarded.get('/icons'),
    ];
    for (const reply of refused) expect([reply.status, reply.text]).toEqual([401, '']);
    expect((await guarded.get('/icons/node-red/inject.svg')).status).toBe(200);
  });

  it('is limited by externalModules.palette', async () => {
    const palette = { denyList: ['denied', '@bad/*'], allowUpdate: false, allowUpload: false };
    await using limited = await startServer({ settings: { externalModules: { palette } } });
    const from = (fixture: ModuleFixture) => limited.post('/nodes', { json: { module: folderOf(fixture) } });
    expect((await from({ name: 'denied' })).body).toMatchObject({ code: 'install_not_allowed' });
    expect((await from({ name: '@bad/x' })).body).toMatchObject({ code: 'install_not_allowed' });
    const uploaded = await limited.post('/nodes', { body: uploadForm(await packModule({ name: 'up' })) });
    expect([uploaded.status, uploaded.body.code]).toEqual([400, 'install_not_allowed']);
    const allowed = await from({ name: 'allowed', sets: { allowed: registers('allowed') } });
    expect(allowed.status, allowed.text).toBe(200);
    const update = await limited.post('/nodes', { json: { module: 'allowed', version: '2.0.0' } });
    expect(update.body).toMatchObject({ code: 'update_not_allowed' });
  });

  it('leaves all out that a list of what is allowed does not name, where there is no other list', async () => {
    const rules = { allowList: ['allowed'] };
    await using limited = await startServer({ settings: { externalModules: { palette: rules } } });
    const from = (fixture: ModuleFixture) => limited.post('/nodes', { json: { module: folderOf(fixture) } });
    expect((await from({ name: 'other' })).body).toMatchObject({ code: 'install_not_allowed' });
    const allowed = await from({ name: 'allowed', sets: { allowed: registers('allowed') } });
    expect(allowed.status, allowed.text).toBe(200);
  });

  it('cannot be done at all where allowInstall is false', async () => {
    const palette = { allowInstall: false };
    await using closed = await startServer({ settings: { externalModules: { palette } } });
    const reply = await closed.post('/nodes', { json: { module: 'node-red-node-random' } });
    expect(reply.status).toBe(404);
    expect((await closed.get('/nodes', { headers: acceptJson })).status).toBe(200);
  });
});

describe('after a restart', () => {
  it('disabled sets stay disabled, and sets that ended the engine stay out', async () => {
    await using first = await startServer();
    const folder = folderOf({ name: 'deadly', sets: { fine: registers('fine'), exits: 'process.exit(3);' } });
    await first.post('/nodes', { json: { module: folder } });
    await first.put('/nodes/node-red/exec', { json: { enabled: false } });
    await first.stop();
    await using second = await startServer({ userDir: first.userDir });
    const sets: { id: string; enabled: boolean; loaded: boolean; err?: string }[] = (
      await second.get('/nodes', { headers: acceptJson })
    ).body;
    const find = (id: string) => sets.find((set) => set.id === id);
    expect(find('node-red/exec')).toMatchObject({ enabled: false, loaded: false });
    expect(find('deadly/fine')).toMatchObject({ loaded: true });
    expect(find('deadly/exits')).toMatchObject({ enabled: true, loaded: false, err: expect.any(String) });
    expect(find('node-red/inject')).toMatchObject({ enabled: true, loaded: true });
  });
});
