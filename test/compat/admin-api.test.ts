import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { hashSync } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registers, writeModule } from '../support/node-module.ts';
import { startPeer } from '../support/peer.ts';
import { type Reply, type RequestOptions, startServer, type TestServer } from '../support/server.ts';
import { allowedDifferences, type Difference, type Pair, type Seen } from './allowed-differences.ts';

// The same requests to both, for every route of the admin API where the peer answers deterministically. Statuses, media
// types, bodies and entity tags are compared; the differences that are meant stand in allowed-differences.ts.

type Ask = readonly [method: string, path: string, options?: RequestOptions];

const json: RequestOptions = { headers: { accept: 'application/json' } };
const get = (...paths: string[]): Ask[] => paths.map((path) => ['GET', path]);
const getJson = (...paths: string[]): Ask[] => paths.map((path) => ['GET', path, json]);
const sends = (method: string, path: string, ...bodies: (string | object | null)[]): Ask[] =>
  bodies.map((body) => [
    method,
    path,
    {
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
  ]);
const calls = (method: string, ...paths: string[]): Ask[] => paths.map((path) => [method, path]);

const needed = new Set<Difference>();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A user directory with a module that brings everything a module can bring. */
function userDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-compat-'));
  folders.push(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'user',
      version: '0.0.1',
      private: true,
      dependencies: { '@acme/surf': '~1.0.0' },
    }),
  );
  const module = join(folder, 'node_modules', '@acme', 'surf');
  mkdirSync(module, { recursive: true });
  writeModule(module, {
    name: '@acme/surf',
    sets: { surf: registers('surf'), broken: 'throw new Error("no waves")' },
    manifest: {
      'node-red': { nodes: { surf: 'surf.js', broken: 'broken.js' }, plugins: { wave: 'wave.js' } },
    },
    files: {
      'wave.js': 'module.exports = (RED) => RED.plugins.registerPlugin("w", { type: "wave-type" });',
      'wave.html': '<b>wave</b>',
      'icons/wave.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'icons/wave.png': 'png',
      'icons/other.png': 'png',
      'resources/a/b.js': 'b()',
      'resources/c.css': 'c {}',
      'locales/en-US/surf.json': '{"surf":"surf","deep":{"x":"y"}}',
      'locales/de/surf.json': '{"surf":"Brandung"}',
      'examples/one.json': '[]',
      'examples/more/two.json': '[{"id":"x"}]',
    },
  });
  return folder;
}

function seen({ status, headers, body, text }: Reply): Seen {
  return {
    status,
    type:
      headers.get('content-type')?.split(';')[0]?.replace('application/javascript', 'text/javascript') ??
      null,
    tagged: headers.has('etag'),
    body: body ?? text,
  };
}

/** What is left of a pair when the differences are evened out. */
function evened(pair: Pair, differences: readonly Difference[]): Pair {
  return differences.reduce((now, difference) => difference.even(now), pair);
}

const same = ({ ours, theirs }: Pair): boolean => differing(ours, theirs).length === 0;

/** Where two values differ, in words. */
function differing(ours: unknown, theirs: unknown, at = 'answer'): string[] {
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) {
    return Object.is(ours, theirs) ? [] : [`${at}: ${show(ours)}, not ${show(theirs)}`];
  }
  const [own, other] = [new Map(Object.entries(ours)), new Map(Object.entries(theirs))];
  return [...new Set([...own.keys(), ...other.keys()])].flatMap((name) =>
    differing(own.get(name), other.get(name), `${at}.${name}`),
  );
}

const packed = (encoding: string, body: string | Uint8Array<ArrayBuffer>): Ask => [
  'POST',
  '/flows',
  { headers: { 'content-type': 'application/json', 'content-encoding': encoding }, body },
];
const written = (charset: string, body: string | Uint8Array<ArrayBuffer>): Ask => [
  'POST',
  '/flows',
  { headers: { 'content-type': `application/json; charset=${charset}` }, body },
];

const show = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);

function compared(settings: object, areas: { readonly [area: string]: readonly Ask[] }): void {
  let ours: TestServer;
  let theirs: TestServer;
  beforeAll(async () => {
    ours = await startServer({ settings, userDir: userDir() });
    theirs = await startPeer({ settings, userDir: userDir() });
  });
  afterAll(() => Promise.all([ours?.stop(), theirs?.stop()]));

  it.each(Object.entries(areas))('%s', async (_area, asks) => {
    const failures: string[] = [];
    for (const [method, path, options] of asks) {
      const [own, other] = [
        await ours.request(method, path, options),
        await theirs.request(method, path, options),
      ];
      const pair = { ours: seen(own), theirs: seen(other) };
      const differences = allowedDifferences.filter(({ where }) => where.test(`${method} ${path}`));
      const left = evened(pair, differences);
      for (const what of differing(left.ours, left.theirs))
        failures.push(`${method} ${path} ${options?.body ?? ''} ${what}`);
      for (const difference of differences) {
        if (needed.has(difference)) continue;
        if (
          !same(
            evened(
              pair,
              differences.filter((one) => one !== difference),
            ),
          )
        )
          needed.add(difference);
      }
    }
    expect(failures).toEqual([]);
  });
}

const settings = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  credentialSecret: 'a secret',
  diagnostics: { enabled: true, ui: true },
  runtimeState: { enabled: true, ui: true },
  telemetry: { enabled: false },
  logging: { console: { level: 'warn' } },
};
const v = (version: string): RequestOptions => ({ headers: { 'node-red-api-version': version } });

describe('without adminAuth', () => {
  compared(settings, {
    'the log-in': [
      ...get('/auth/login', '/auth/login/', '/AUTH/LOGIN', '/auth/token', '/auth/strategy', '/auth/none'),
      ...calls('HEAD', '/auth/login'),
      ...calls('OPTIONS', '/auth/login'),
      ...calls('POST', '/auth/login'),
      ...sends('POST', '/auth/token', {}),
      ...sends('POST', '/auth/revoke', { token: 'x' }),
    ],
    'the flows': [
      ...get('/flows', '/flows/', '/Flows', '/flows/state', '/flows?_=1', '/flows/none'),
      ['GET', '/flows', v('v2')],
      ['GET', '/flows', v('v3')],
      ...calls('HEAD', '/flows', '/flows/state'),
      ...calls(
        'OPTIONS',
        '/flows',
        '/Flows/',
        '/flows/state',
        '/flow/t1',
        '/flow',
        '/none',
        '/settings/user',
        '/',
      ),
      ...calls('PUT', '/flows', '/flows/state'),
      ...calls('DELETE', '/flows'),
      ...sends('POST', '/flows', '{', { a: 1 }, 'null', '"x"'),
      packed('gzip', gzipSync('[]')),
      packed('deflate', deflateSync('[]')),
      packed('gzip', '[]'),
      packed('br', brotliCompressSync('[]')),
      packed('surf', '[]'),
      packed('identity', '[]'),
      written('utf-8', '[]'),
      written('UTF-16LE', Buffer.from('[]', 'utf16le')),
      written('iso-8859-1', '[]'),
      ['POST', '/flows', { body: new TextEncoder().encode('[]') }],
      ['POST', '/flows', { json: {}, ...v('v2') }],
      ['POST', '/flows', { json: { flows: 5 }, ...v('v2') }],
      ['POST', '/flows', { json: { flows: [], rev: 'no' }, ...v('v2') }],
      ...sends('POST', '/flows/state', { state: 'x' }, {}, '{'),
    ],
    'one tab': [
      ...get('/flow', '/flow/', '/flow/none', '/flow/global', '/flow/%00'),
      ...sends('POST', '/flow', {}, [], { label: 'x' }, '{'),
      ...sends('PUT', '/flow/none', {}, { nodes: [] }),
      ...sends('PUT', '/flow', {}),
      ...calls('DELETE', '/flow', '/flow/none', '/flow/global'),
      ...sends('POST', '/flow', { nodes: 5 }),
    ],
    'modules and sets': [
      ...getJson('/nodes', '/nodes/', '/NODES', '/nodes/node-red', '/nodes/node-red/inject', '/nodes/none'),
      ...getJson('/nodes/node-red/none', '/nodes/@a/b', '/nodes/@a/b/c', '/nodes/a/b/c', '/nodes/a/b/c/d'),
      ...getJson(
        '/nodes/@acme/surf/surf',
        '/nodes/@acme/surf/broken',
        '/nodes/@acme/surf/none',
        '/nodes/@acme',
      ),
      ...get(
        '/nodes',
        '/nodes/node-red/inject',
        '/nodes/none',
        '/nodes/@acme/surf/surf',
        '/nodes/node-red/none',
      ),
      ['GET', '/nodes', { headers: { 'accept-language': 'de' } }],
      ['GET', '/nodes/node-red/inject', { headers: { 'accept-language': 'ja' } }],
      ['GET', '/nodes', { headers: { accept: 'application/json, text/plain, */*' } }],
      ...get('/nodes/messages?lng=en-US', '/nodes/messages?lng=de', '/nodes/@acme/surf/surf/messages?lng=de'),
      ...get('/nodes/@acme/surf/surf/messages?lng=fr', '/nodes/node-red/inject/messages?lng=de'),
      ...get('/nodes/none/none/messages?lng=de', '/nodes/node-red/inject/messages', '/nodes/messages/x'),
      ...calls('HEAD', '/nodes', '/nodes/node-red/inject'),
      ...calls('OPTIONS', '/nodes'),
      ...calls('PUT', '/nodes'),
      ...calls('DELETE', '/nodes'),
    ],
    'changing modules': [
      ...sends('PUT', '/nodes/node-red', {}),
      ...sends('PUT', '/nodes/none', { enabled: true }),
      ...sends('PUT', '/nodes/node-red/none', { enabled: true }),
      ...sends('PUT', '/nodes/node-red/inject', {}, { enabled: true }, '{'),
      ...sends('PUT', '/nodes/node-red/exec', { enabled: false }, { enabled: false }),
      ...getJson('/nodes/node-red/exec', '/nodes'),
      ...get('/nodes/node-red/exec'),
      ...sends('PUT', '/nodes/node-red/exec', { enabled: true }),
      ...getJson('/nodes'),
      ...calls(
        'DELETE',
        '/nodes/none',
        '/nodes/node-red',
        '/nodes/node-red/inject',
        '/nodes/@a/b',
        '/nodes/a/b/c',
      ),
      ...sends('POST', '/nodes', {}, { module: '' }, { module: 'a@1.0.0' }, { module: '--x' }, '{'),
      ...sends('POST', '/nodes', { module: 'x', url: 'ftp://x' }, { module: '@acme/surf' }),
    ],
    plugins: [
      ...getJson('/plugins', '/plugins/none', '/plugins/node-red', '/plugins/none/none', '/plugins/@a/b/c'),
      ...getJson('/plugins/@acme/surf/wave', '/plugins/@acme/surf/surf'),
      ...get(
        '/plugins',
        '/plugins/messages?lng=de',
        '/plugins/none',
        '/plugins/none/none',
        '/plugins/@a/b/c',
      ),
      ...get('/plugins/@acme/surf/wave', '/plugins/@acme/surf/none'),
      ...calls('POST', '/plugins'),
    ],
    settings: [
      ...get('/settings', '/settings/', '/settings/user', '/settings/none'),
      ...calls('HEAD', '/settings', '/settings/user'),
      ...calls('POST', '/settings'),
      ...sends('POST', '/settings/user', {}, '[', [], { editor: { view: { a: 1 } } }),
      ...get('/settings/user', '/settings/user/keys', '/settings/user/keys/x'),
      ...sends('POST', '/settings/user/keys', {}),
      ...calls('DELETE', '/settings/user/keys/x', '/settings/user'),
    ],
    context: [
      ...get(
        '/context',
        '/context/x',
        '/context/flow',
        '/context/node',
        '/context/global',
        '/context/global/x',
      ),
      ...get('/context/flow/x', '/context/node/x', '/context/flow/x/y', '/context/node/x/y'),
      ...get('/context/global?store=x', '/context/global?store=memory', '/context/global?keysOnly'),
      ...calls('DELETE', '/context/global', '/context/global/x', '/context/node/x/', '/context/node/x/y'),
      ...calls('POST', '/context/global'),
    ],
    'the library': [
      ...get(
        '/library',
        '/library/local',
        '/library/local/flows',
        '/library/local/flows/',
        '/library/local/functions/',
      ),
      ...get(
        '/library/local/templates/',
        '/library/local/x/',
        '/library/x/flows/',
        '/library/local/flows/none',
      ),
      ...get('/library/local/flows/..%2fx', '/library/examples/flows/', '/library/examples/flows/none/'),
      ...get('/library/examples/flows/@acme/surf/', '/library/examples/flows/@acme/surf/one'),
      ...get('/library/examples/flows/@acme/surf/more', '/library/examples/flows/@acme/surf/more/two'),
      ...get('/library/examples/flows/@acme/surf/none', '/library/examples/functions/'),
      ...sends('POST', '/library/examples/flows/x', []),
      ...sends('POST', '/library/x/flows/x', []),
      ...calls('DELETE', '/library/local/flows/none'),
    ],
    'icons and resources': [
      ...get(
        '/icons',
        '/icons/',
        '/icons/node-red/inject.svg',
        '/icons/none/none.svg',
        '/icons/node-red/none.svg',
      ),
      ...get('/icons/@acme/surf/wave.svg', '/icons/@acme/surf/other.png', '/icons/@acme/surf/none.svg'),
      ...get('/icons/node-red/..%2f..%2fpackage.json', '/icons/node-red', '/icons/@a/b/c.svg'),
      ...get(
        '/resources',
        '/resources/',
        '/resources/none/x',
        '/resources/@acme/surf/a/b.js',
        '/resources/@acme/surf/a',
      ),
      ...get('/resources/@acme/surf/c.css', '/resources/@acme/surf/..%2fpackage.json', '/resources/%zz'),
      ...calls('POST', '/icons', '/resources/@acme/surf/c.css'),
    ],
    texts: [
      ...get('/locales', '/locales/', '/locales/editor', '/locales/editor.json', '/locales/editor?lng=de'),
      ...get('/locales/editor?lng=de-AT', '/locales/editor?lng=xx', '/locales/editor?lng=..%2f'),
      ...get('/locales/jsonata', '/locales/jsonata?lng=ja', '/locales/infotips', '/locales/node-red?lng=de'),
      ...get(
        '/locales/@acme/surf/surf',
        '/locales/@acme/surf/surf?lng=de',
        '/locales/@acme/surf/surf?lng=fr',
      ),
      ...get('/locales/none', '/locales/none?lng=de', '/locales/..%2fx', '/locales/runtime'),
    ],
    credentials: [
      ...get('/credentials', '/credentials/none', '/credentials/none/none', '/credentials/inject/none'),
      ...get('/credentials/tab/none', '/credentials/mqtt-broker/none', '/credentials/global-config/none'),
      ...calls('POST', '/credentials/none/none'),
    ],
    'the report': [...get('/diagnostics', '/diagnostics/'), ...calls('POST', '/diagnostics')],
    'the editor': [
      ...get(
        '/',
        '/?x=1',
        '/theme',
        '/theme/',
        '/theme/none',
        '/favicon.ico',
        '/red/red.min.js',
        '/red/none.js',
      ),
      ...get(
        '/vendor/vendor.js',
        '/types/node/none',
        '/red/images/node-red.svg',
        '/red/..%2fx',
        '/red/',
        '/none',
      ),
      ...calls('POST', '/', '/theme', '/red/red.min.js'),
      ...get('/projects', '/projects/x'),
      ...sends('POST', '/projects', {}),
    ],
    'routes of core nodes': [
      ...get('/debug/view', '/debug/view/debug.js', '/debug/view/debug-utils.js', '/debug/view/view.html'),
      ...get('/debug/view/none', '/inject/none', '/udp-ports/x', '/debug'),
      ...calls('POST', '/debug', '/debug/none', '/debug/none/enable', '/debug/none/disable', '/debug/none/x'),
      ...sends('POST', '/debug/enable', { nodes: ['none'] }, {}),
      ...sends('POST', '/debug/disable', { nodes: ['none'] }, {}),
      ...sends('POST', '/inject/none', {}, '{'),
    ],
    'paths that are none': [...get('/%', '/%zz', '/flow/%zz', '/%00', '/none/none', '//flows', '/flows//')],
  });
});

const users = ['admin', 'reader'].map((username) => ({
  username,
  password: hashSync('surf', { cost: 4 }),
  permissions: username === 'admin' ? '*' : 'flows.read',
}));
const token = (changes: object): object => ({
  client_id: 'node-red-admin',
  grant_type: 'password',
  scope: '*',
  username: 'admin',
  password: 'surf',
  ...changes,
});

describe('with adminAuth', () => {
  compared(
    { ...settings, adminAuth: { type: 'credentials', users } },
    {
      'the log-in': [
        ...get('/auth/login', '/auth/token', '/auth/strategy'),
        ...sends(
          'POST',
          '/auth/token',
          {},
          '{',
          { client_id: 'node-red-admin' },
          token({ password: undefined }),
        ),
        ...sends('POST', '/auth/token', token({ client_id: 'x' }), token({ grant_type: 'x' })),
        ...sends('POST', '/auth/token', token({ password: 'x' }), token({ username: 'x' })),
        ...sends('POST', '/auth/token', token({ username: 'reader' })),
        ...sends('POST', '/auth/revoke', {}, { token: 'x' }),
      ],
      'what needs a token': [
        ...get(
          '/flows',
          '/flows/state',
          '/flow/x',
          '/nodes',
          '/nodes/node-red',
          '/nodes/messages',
          '/plugins',
        ),
        ...get(
          '/settings',
          '/settings/user',
          '/context/global',
          '/library/local/flows/',
          '/icons',
          '/diagnostics',
        ),
        ...get('/credentials/inject/x', '/plugins/messages', '/nodes/none', '/context/flow/x'),
        ...sends('POST', '/flows', []),
        ...sends('POST', '/nodes', { module: 'x' }),
        ...sends('POST', '/inject/x', {}),
        ...sends('PUT', '/nodes/node-red/inject', { enabled: false }),
        ...calls('DELETE', '/nodes/node-red', '/flow/x', '/context/global/x'),
        ...calls('POST', '/debug/x/enable', '/flows/state', '/settings/user'),
      ],
      'what does not': [
        ...get(
          '/',
          '/theme',
          '/icons/node-red/inject.svg',
          '/locales/editor',
          '/red/red.min.js',
          '/debug/view/debug.js',
        ),
        ...get('/resources/@acme/surf/c.css', '/favicon.ico'),
      ],
    },
  );
});

it('every allowed difference is needed', () => {
  const unneeded = allowedDifferences.filter((difference) => !needed.has(difference));
  expect(unneeded.map(({ reason }) => reason)).toEqual([]);
});
