// The editor's page and files, as a browser asks for them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { route, startFaulty } from '../support/engine-faults.ts';
import { startServer, type TestServer } from '../support/server.ts';

const uiHost = '127.0.0.1';
/** The text of an address under the page, as the page asks for it. */
const addressIn = (page: string, start: string) => new RegExp(`"(${start}[^"]*)"`).exec(page)?.[1] ?? '';

/** Asks without taking the answer apart: `fetch` would undo the compression. */
async function raw(url: string, headers: { readonly [name: string]: string } = {}) {
  const reply = await request(url, { headers });
  return { ...reply, bytes: Buffer.from(await reply.body.arrayBuffer()) };
}

describe('the page and its files', () => {
  let server: TestServer;
  let page: string;
  beforeAll(async () => {
    server = await startServer({ settings: { uiHost } });
    page = (await server.get('/')).text;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('is found at the root, is asked for anew each time, and is not sent twice', async () => {
    const reply = await server.get('/');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    const etag = reply.headers.get('etag') ?? '';
    expect((await server.get('/', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(page).toContain('<title>Sluice</title>');
    // Only relative addresses: it may be anywhere.
    expect(page).not.toMatch(/(?:src|href)="\//);
  });

  it('has files that a browser keeps for as long as they stay the same', async () => {
    const script = addressIn(page, 'red/red.min.js');
    expect(script).toMatch(/\?v=[0-9a-f]{12}$/);
    const versioned = await raw(`${server.url}/${script}`);
    expect(versioned.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/javascript/),
    });
    const bare = await raw(`${server.url}/red/red.min.js?v=another`);
    expect(bare.headers['cache-control']).toBe('public, max-age=0');
    const again = await raw(`${server.url}/red/red.min.js`, {
      'if-none-match': String(bare.headers['etag']),
    });
    expect(again.statusCode).toBe(304);
    expect(again.bytes).toHaveLength(0);
  });

  it.each([
    ['red/red.min.js', 'br', brotliDecompressSync],
    ['red/red.min.js', 'gzip', gunzipSync],
    // Not among those that are compressed beforehand.
    ['vendor/ace/ace.js', 'br', brotliDecompressSync],
    ['locales/editor?lng=de', 'br', brotliDecompressSync],
    ['nodes', 'gzip', gunzipSync],
  ] as const)('compresses %s with %s where that is accepted', async (path, encoding, unpack) => {
    const url = `${server.url}/${path}`;
    const plain = await raw(url, { 'accept-encoding': 'identity' });
    const packed = await raw(url, { 'accept-encoding': encoding });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(String(packed.headers['vary']).toLowerCase()).toContain('accept-encoding');
    expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true);
  });

  it('keeps nothing in memory for another spelling of a path', async () => {
    const packed = { 'accept-encoding': 'br' };
    const one = await raw(`${server.url}/red/red.min.js`, packed);
    expect(one.headers['content-encoding']).toBe('br');
    for (const path of ['red//red.min.js', 'red/images%2f..%2fred.min.js']) {
      expect((await raw(`${server.url}/${path}`, packed)).headers['content-encoding']).toBeUndefined();
    }
  });

  it('gives nothing but its own files', async () => {
    for (const path of [
      '/red/../package.json',
      '/red/%2e%2e/%2e%2e/package.json',
      '/red/nothing.js',
      '/red',
      '/theme/css/nothing.css',
      '/theme/brand/about.md',
      '/debug/view/10-debug.js',
    ]) {
      expect([path, (await raw(server.url + path)).statusCode]).toEqual([path, 404]);
    }
    expect((await raw(`${server.url}/vendor/..%2f..%2fpackage.json`)).statusCode).toBe(400);
  });

  it('has parts of a file for whoever asks for parts', async () => {
    const part = await raw(`${server.url}/red/images/node-red.svg`, { range: 'bytes=0-9' });
    expect(part.statusCode).toBe(206);
    expect(part.bytes).toHaveLength(10);
  });

  it('describes its look', async () => {
    const { body } = await server.get('/theme');
    expect(body).toEqual({
      page: {
        title: 'Sluice',
        favicon: 'theme/brand/sluice.svg',
        tabicon: { icon: 'theme/brand/sluice.svg', colour: expect.stringMatching(/^#[0-9a-f]{6}$/) },
      },
      header: { title: 'Sluice', image: 'theme/brand/sluice.svg' },
      asset: {
        red: 'red/red.min.js',
        main: 'red/main.min.js',
        vendorMonaco: 'vendor/monaco/monaco-bootstrap.js',
        vendorAce: '',
      },
      themes: [],
    });
  });

  it('has the page of the debug window', async () => {
    const { text } = await server.get('/debug/view/view.html');
    expect(text).toContain('debug.js');
    expect((await server.get('/debug/view/debug-utils.js')).status).toBe(200);
  });
});

describe('settings', () => {
  it('httpAdminRoot: everything is below it, and its slash is put right', async () => {
    await using server = await startServer({
      settings: { uiHost, httpAdminRoot: '/a/b' },
      adminRoot: '/a/b',
    });
    const moved = await server.get('/a/b?x=1');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/a/b/?x=1']);
    expect((await server.get('/a/b/')).status).toBe(200);
    expect((await server.get('/a/b/locales/editor?lng=en-US')).status).toBe(200);
    expect((await server.get('/')).status).toBe(404);
    expect((await server.get('/red/red.min.js')).status).toBe(404);
  });

  it('httpAdminRoot false: there is neither an API nor an editor, and flows are served', async () => {
    await using server = await startServer({
      settings: { uiHost, httpAdminRoot: false },
      flows: route('hi', 'msg.payload = "hi"; return msg;'),
      until: 'spawned',
    });
    await server.waitFor(async () => (await server.get('/hi')).text === 'hi');
    for (const path of ['/', '/flows', '/settings', '/auth/login', '/red/red.min.js', '/theme'])
      expect([path, (await server.get(path)).status]).toEqual([path, 404]);
  });

  it('disableEditor: there is an API, but neither an editor nor its WebSocket', async () => {
    await using server = await startServer({
      settings: { uiHost, disableEditor: true, inboundWebSocketTimeout: 300 },
    });
    expect((await server.get('/flows')).status).toBe(200);
    const editors =
      '/ /red/red.min.js /theme /locales/editor /icons /resources/x /library/local/flows /settings/user';
    for (const path of [...editors.split(' '), '/credentials/inject/x'])
      expect([path, (await server.get(path)).status]).toEqual([path, 404]);
    expect(Object.keys((await server.get('/settings')).body)).toEqual([
      'httpNodeRoot',
      'version',
      'sluiceVersion',
    ]);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/comms`);
    const opened = await new Promise((resolve) => {
      socket.once('open', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    expect(opened).toBe(false);
  });

  it('requireHttps: the editor and its API send to https, but not behind a proxy that speaks it', async () => {
    const users = [{ username: 'admin', password: bcrypt('surf', { cost: 4 }), permissions: '*' }];
    await using server = await startServer({
      settings: { uiHost, requireHttps: true, adminAuth: { type: 'credentials', users } },
    });
    for (const path of [
      '/',
      '/red/red.min.js?v=1',
      '/theme',
      '/locales/editor',
      '/settings',
      '/settings/user',
      '/flows',
      '/nodes',
      '/plugins',
      '/diagnostics',
      '/context/global',
      '/icons',
      '/icons/node-red/inject.svg',
      '/resources/some/file.js',
      '/library/local/flows/',
      '/credentials/x/y',
    ]) {
      const reply = await server.get(path);
      expect([reply.status, reply.headers.get('location')]).toEqual([
        302,
        `https://127.0.0.1:${server.port}${path}`,
      ]);
      const proxied = await server.get(path, { headers: { 'x-forwarded-proto': 'https' } });
      expect(proxied.status).not.toBe(302);
    }
    expect((await server.post('/flows', { json: [] })).status).toBe(302);
    // Log-in, and what machines ask.
    expect((await server.get('/auth/login')).status).toBe(200);
    expect(await server.login('admin', 'surf')).toEqual(expect.any(String));
    expect((await server.get('/health/live')).status).toBe(200);
  });

  it('editorTheme: what is to be said at log-in and log-out, and to the editor', async () => {
    const files = mkdtempSync(join(tmpdir(), 'sluice-theme-'));
    writeFileSync(join(files, 'door.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const users = [{ username: 'admin', password: bcrypt('surf', { cost: 4 }), permissions: '*' }];
    await using server = await startServer({
      settings: {
        uiHost,
        adminAuth: { type: 'credentials', users },
        editorTheme: {
          login: { image: join(files, 'door.svg') },
          logout: { redirect: 'https://example.com/bye' },
          tours: true,
          userMenu: false,
          menu: { 'menu-item-help': false },
          codeEditor: { lib: 'monaco', options: { theme: 'vs-dark' } },
        },
      },
    });
    const { body: login } = await server.get('/auth/login');
    expect(login.image).toBe('theme/login/door.svg');
    expect((await server.get(`/${login.image}`)).headers.get('content-type')).toBe('image/svg+xml');
    const token = await server.login('admin', 'surf');
    expect((await server.get('/settings', { token })).body).toMatchObject({
      codeEditor: { lib: 'monaco', options: { theme: 'vs-dark' } },
      editorTheme: { tours: true, userMenu: false, menu: { 'menu-item-help': false } },
    });
    const revoked = await server.post('/auth/revoke', { token, json: { token } });
    expect(revoked.body).toEqual({ redirect: 'https://example.com/bye' });
    rmSync(files, { recursive: true });
  });

  it('httpStatic: folders of files, with a root, a password, other origins and middleware of their own', async () => {
    const files = mkdtempSync(join(tmpdir(), 'sluice-static-'));
    for (const name of ['one', 'two']) {
      mkdirSync(join(files, name));
      writeFileSync(join(files, name, 'file.txt'), name);
    }
    await using server = await startServer({
      settings: `module.exports = {
        uiHost: '127.0.0.1',
        httpStaticRoot: '/files/',
        httpStaticAuth: { user: 'u', pass: ${JSON.stringify(bcrypt('p', { cost: 4 }))} },
        httpStatic: [
          { path: ${JSON.stringify(join(files, 'one'))}, root: '/one/', cors: { origin: 'https://example.com' } },
          { path: ${JSON.stringify(join(files, 'two'))}, root: '/two/', middleware: (req, res, next) => { res.set('x-seen', 'yes'); next(); } },
        ],
      };`,
    });
    const headers = { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` };
    expect((await server.get('/files/one/file.txt')).status).toBe(401);
    const one = await server.get('/files/one/file.txt', { headers });
    expect([one.text, one.headers.get('access-control-allow-origin')]).toEqual([
      'one',
      'https://example.com',
    ]);
    const two = await server.get('/files/two/file.txt', { headers });
    expect([two.text, two.headers.get('x-seen')]).toEqual(['two', 'yes']);
    expect((await server.get('/one/file.txt', { headers })).status).toBe(404);
    expect((await server.get('/files/two/../one/none.txt', { headers })).status).toBe(404);
    // The editor stays where it is, and open.
    expect((await server.get('/')).status).toBe(200);
    rmSync(files, { recursive: true });
  });
});

describe('while the engine is blocked, or away', () => {
  it('answers everything that the editor loads at once', async () => {
    const loop = route('loop', 'for (;;) {}');
    await using faulty = await startFaulty({ flows: loop });
    const { server, token } = faulty;
    await faulty.until('running');
    const json = { accept: 'application/json' };
    const loading = async () => {
      for (const [path, headers] of [
        ['/', {}],
        ['/theme', {}],
        ['/locales/node-red?lng=en-US', {}],
        ['/settings', json],
        ['/settings/user', json],
        ['/plugins', json],
        ['/nodes', json],
        ['/nodes', { accept: 'text/html' }],
        ['/icons', json],
        ['/debug/view/debug-utils.js', {}],
        ['/flows', json],
      ] as const) {
        // Far below what it takes to find out that the engine hangs.
        const reply = await server.get(path, { token, headers, timeoutMs: 1200 });
        expect([path, reply.status]).toEqual([path, 200]);
      }
    };
    await loading();
    void server.get('/loop', { timeoutMs: 60_000 }).catch(() => {});
    await loading();
    await faulty.until('unresponsive');
    await loading();
    const { pid } = await faulty.report();
    await faulty.deploy(route('fine', 'return msg;'));
    expect((await faulty.report()).pid).not.toBe(pid);
  });
});
