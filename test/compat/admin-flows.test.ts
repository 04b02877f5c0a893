import { afterAll, beforeAll, expect, it } from 'vitest';
import { countCalls, endpoint, node, tab } from '../support/flow-snippets.ts';
import { startPeer } from '../support/peer.ts';
import { type Reply, type RequestOptions, startServer, type TestServer } from '../support/server.ts';

// The same requests to both, and the answers compared: flows, credentials, context, user settings, library.

const settings = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  flowFilePretty: true,
  credentialSecret: 'a secret',
  runtimeState: { enabled: true, ui: true },
  contextStorage: { default: 'ram', ram: { module: 'memory' }, disk: { module: 'localfilesystem' } },
  logging: { console: { level: 'warn' } },
};

let both: readonly TestServer[] = [];
beforeAll(async () => {
  both = [await startServer({ settings }), await startPeer({ settings })];
});
afterAll(() => Promise.all(both.map((server) => server[Symbol.asyncDispose]())));

type Step = readonly [method: string, path: string, options?: RequestOptions];

/** What a client sees of an answer. Words of errors are our own, and so is a 404 of what is not there. */
const seen = ({ status, headers, body, text }: Reply): unknown => {
  if (status === 404) return { status };
  if (status >= 400) return { status, code: body?.code };
  return { status, type: headers.get('content-type')?.split(';')[0] ?? null, body: body ?? text };
};

/** Runs the steps on both, one after the other, and compares each answer. */
function same(name: string, steps: readonly Step[]): void {
  it(name, async () => {
    const answers: unknown[][] = [];
    for (const server of both) {
      const all: unknown[] = [];
      for (const [method, path, options] of steps) {
        if (method === 'wait for') {
          await server.waitFor(async () => (await server.get(path)).status === 200, path);
          continue;
        }
        all.push([`${method} ${path}`, seen(await server.request(method, path, options))]);
      }
      answers.push(all);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
}

const v2 = { 'Node-RED-API-Version': 'v2' };
const json = (body: unknown, headers = {}): RequestOptions => ({ json: body, headers });

const flows = [
  tab('t1', { info: 'about', env: [{ name: 'A', value: 'b', type: 'str' }] }),
  { id: 'g1', type: 'group', z: 't1', name: '', style: {}, nodes: ['f'], x: 1, y: 1, w: 10, h: 10 },
  ...endpoint('f', 't1', '/f', countCalls),
  node('lo', 'link out', 't1', [], { mode: 'link', links: ['li'] }),
  node('li', 'link in', 't1', ['f'], { links: [] }),
  node('i1', 'subflow:s1', 't1', ['f']),
  { id: 'c1', type: 'tls-config', z: 't1', name: '' },
  { id: 'c0', type: 'mqtt-broker', broker: 'localhost', port: '1', autoConnect: false, tls: 'c2' },
  { id: 'c2', type: 'tls-config', name: '' },
  { id: 's1', type: 'subflow', name: 'S', info: '', in: [], out: [], env: [] },
  node('sn', 'comment', 's1', []),
  { id: 'sc', type: 'tls-config', z: 's1' },
  { id: 'sg', type: 'group', z: 's1', name: '', style: {}, nodes: [], x: 1, y: 1, w: 10, h: 10 },
  tab('t2', { disabled: true, label: '' }),
  node('m', 'mqtt in', 't2', [], { broker: 'c0', topic: 'x' }),
];

same('flows, both versions', [
  ['POST', '/flows', json([])],
  ['GET', '/flows'],
  ['GET', '/flows', { headers: v2 }],
  ['POST', '/flows', json(flows)],
  ['GET', '/flows'],
  ['GET', '/flows', { headers: v2 }],
  ['wait for', '/f'],
  ['POST', '/flows', json({ flows, rev: 'other' }, v2)],
  ['POST', '/flows', json({ flows: [...flows].reverse() }, v2)],
  ['GET', '/flows', { headers: v2 }],
  ['POST', '/flows', json({ flows }, { ...v2, 'Node-RED-Deployment-Type': 'nodes' })],
  ['POST', '/flows', { headers: { ...v2, 'Node-RED-Deployment-Type': 'reload' } }],
  ['POST', '/flows', { headers: { 'Node-RED-Deployment-Type': 'reload' } }],
  ['GET', '/flows', { headers: { 'Node-RED-API-Version': 'v9' } }],
  ['POST', '/flows', json(flows, { 'Node-RED-API-Version': '2' })],
  ['POST', '/flows', json({ flows, rev: null }, v2)],
  ['POST', '/flows', json(flows, { 'Node-RED-API-Version': '', 'Node-RED-Deployment-Type': 'unknown' })],
  ['GET', '/flows', { headers: { 'Node-RED-API-Version': '' } }],
  ['GET', '/flows/state'],
]);

same('the state of the flows', [
  ['POST', '/flows', json(flows)],
  ['POST', '/flows/state', { form: { state: 'stop' } }],
  ['GET', '/flows/state'],
  ['GET', '/f'],
  ['POST', '/flows', json(flows.slice(0, -1))],
  ['GET', '/flows/state'],
  ['GET', '/flows'],
  ['POST', '/flows/state', json({ state: 'start' })],
  ['GET', '/flows/state'],
  ['wait for', '/f'],
  ['POST', '/flows/state', json({ state: 'pause' })],
  ['POST', '/flows/state', json({})],
]);

same('one tab at a time', [
  ['POST', '/flows', json(flows)],
  ['GET', '/flow/t1'],
  ['GET', '/flow/t2'],
  ['GET', '/flow/global'],
  ['GET', '/flow/s1'],
  ['GET', '/flow/f'],
  ['GET', '/flow/nope'],
  [
    'PUT',
    '/flow/t2',
    json({
      label: 'New',
      info: 'i',
      env: [],
      nodes: [node('m2', 'comment', 'x', [])],
      configs: [{ id: 'c9', type: 'tls-config' }],
    }),
  ],
  ['GET', '/flow/t2'],
  ['GET', '/flows'],
  ['PUT', '/flow/nope', json({ nodes: [] })],
  [
    'PUT',
    '/flow/global',
    json({
      configs: [{ id: 'c5', type: 'tls-config' }],
      subflows: [
        {
          id: 's9',
          type: 'subflow',
          name: 'S9',
          in: [],
          out: [],
          nodes: [node('sn9', 'comment', 's9', [])],
          configs: [],
        },
      ],
    }),
  ],
  ['GET', '/flows'],
  ['GET', '/flow/global'],
  ['DELETE', '/flow/t2'],
  ['DELETE', '/flow/t2'],
  ['DELETE', '/flow/global'],
  ['GET', '/flows'],
  ['POST', '/flow', json({ label: 'x' })],
  ['POST', '/flow', json({ label: 'x', nodes: [{ id: 'c5', type: 'comment' }] })],
  ['POST', '/flow', json({ label: 'x', nodes: [{ id: 'new', type: 'tab' }] })],
]);

same('an empty configuration', [
  ['POST', '/flows', json([])],
  ['GET', '/flow/global'],
  ['GET', '/flow/t1'],
]);

const withCredentials = (id: string, credentials: object) =>
  flows.map((item) => (item.id === id ? { ...item, credentials } : item));
same('credentials', [
  ['POST', '/flows', json(withCredentials('c0', { user: 'fred', password: 'x', other: 'y' }))],
  ['GET', '/flows'],
  ['GET', '/credentials/mqtt-broker/c0'],
  ['GET', '/credentials/mqtt-broker/nope'],
  ['GET', '/credentials/inject/c0'],
  ['GET', '/credentials/tab/c0'],
  ['POST', '/flows', json(withCredentials('c0', { user: ' ', password: '__PWRD__' }))],
  ['GET', '/credentials/mqtt-broker/c0'],
  ['POST', '/flows', json(withCredentials('c0', { user: '__PWRD__', password: '' }))],
  ['GET', '/credentials/mqtt-broker/c0'],
  ['POST', '/flows', json(withCredentials('t1', { A: 'b', C: '__PWRD__', D: '' }))],
  ['GET', '/credentials/tab/t1'],
  ['POST', '/flows', json(withCredentials('s1', { A: 'b', B: 'c' }))],
  ['GET', '/credentials/subflow/s1'],
  ['POST', '/flows', json(withCredentials('s1', { B: '__PWRD__', E: 'f' }))],
  ['GET', '/credentials/subflow/s1'],
  ['POST', '/flows', json(withCredentials('i1', { A: 'b' }))],
  ['GET', '/credentials/subflow:s1/i1'],
  ['POST', '/flows', json(withCredentials('li', { A: 'b' }))],
  ['GET', '/credentials/link-in/li'],
  ['POST', '/flows', json({ flows, credentials: { c0: { user: 'jane', password: 'z' } } }, v2)],
  ['GET', '/credentials/mqtt-broker/c0'],
  ['PUT', '/flow/t1', json({ label: 't1', nodes: [], credentials: { Z: 'y' } })],
  ['GET', '/credentials/tab/t1'],
  ['GET', '/credentials/subflow:s1/i1'],
]);

const fill = `
  global.set('n', 5); global.set('list', [1, [2]]); global.set('obj', { a: { b: 'deep' }, items: [1], none: null, when: new Date(0) });
  global.set('kept', Buffer.from('abc'), 'disk'); flow.set('text', 'x'.repeat(2000)); context.set('mine', true);
  flow.set('set', new Set([1])); flow.set('nan', NaN); return msg;`;
same('context', [
  ['POST', '/flows', json([tab('t1'), ...endpoint('f', 't1', '/fill', fill)])],
  // The peer answers before flows have started.
  ['wait for', '/fill'],
  ...[
    'global',
    'global/n',
    'global/list',
    'global/list[1]',
    'global/obj',
    'global/obj.a',
    'global/obj.a.b',
    'global/obj.none',
    'global/obj.when',
    'global/kept',
    'global/kept?store=disk',
    'global/kept?store=nope',
    'global?store=disk',
    'global?store=nope',
    'global?keysOnly',
    'global/obj?keysOnly',
    'global/list?keysOnly',
    'global/n?keysOnly',
    'global/missing',
    'global/missing.deep',
    'flow/t1',
    'flow/t1/text',
    'flow/t1/set',
    'flow/t1/nan',
    'flow/nope',
    'flow/nope/x',
    'node/f',
    'node/f/mine',
    'node/nope',
    'node/nope/x',
    'node/f?keysOnly',
    'global/',
    'flow/t1/',
  ].map((path): Step => ['GET', `/context/${path}`]),
  ['DELETE', '/context/global/n'],
  ['DELETE', '/context/global/obj.a.b'],
  ['DELETE', '/context/global/kept?store=disk'],
  ['DELETE', '/context/global/kept?store=nope'],
  ['DELETE', '/context/flow/t1/text'],
  ['DELETE', '/context/node/f/mine'],
  ['DELETE', '/context/node/nope/mine'],
  ['DELETE', '/context/flow/t1/'],
  ['GET', '/context/global'],
  ['GET', '/context/flow/t1'],
  ['GET', '/context/node/f'],
]);

same('user settings', [
  ['GET', '/settings/user'],
  ['POST', '/settings/user', json({ a: { b: 1, c: [1] }, d: 'x', e: null, f: { g: null } })],
  ['GET', '/settings/user'],
  ['POST', '/settings/user', json({ a: { b: null, c: [2], h: true }, d: { i: 1 }, e: 1, f: null })],
  ['GET', '/settings/user'],
  ['POST', '/settings/user', { form: { x: 'y' } }],
  ['GET', '/settings/user'],
]);

same('the library', [
  ['GET', '/library/local/flows/'],
  ['GET', '/library/local/functions'],
  [
    'POST',
    '/library/local/functions/a/f.js',
    json({ text: '// x: y\nreturn 1;', name: 'a\n\\b', outputs: '1' }),
  ],
  ['POST', '/library/local/flows/sub/one', json([{ id: 'a' }])],
  // The peer answers before the file is in place.
  ['wait for', '/library/local/functions/a/f.js'],
  ['wait for', '/library/local/flows/sub/one.json'],
  ['GET', '/library/local/functions/'],
  ['GET', '/library/local/functions/a'],
  ['GET', '/library/local/functions/a/'],
  ['GET', '/library/local/functions/a/f.js'],
  ['GET', '/library/local/flows'],
  ['GET', '/library/local/flows/sub/one'],
  ['GET', '/library/local/flows/sub/one.json'],
  ['GET', '/library/local/flows/nope/'],
  ['GET', '/library/local/flows/%2e%2e%2fx'],
  ['POST', '/library/local/flows/a%2f..%2f..%2fx', json([])],
  ['POST', '/library/local/functions/x', json({ text: '', n: 1 })],
  ['GET', '/library/nope/flows/'],
  ['GET', '/library/local/nope/'],
  ['GET', '/library/examples/flows/'],
  ['GET', '/library/examples/flows/node-red/'],
  ['GET', '/library/examples/flows/node-red/function/'],
  ['GET', '/library/examples/flows/node-red/function/change/'],
  ['GET', '/library/examples/flows/nope'],
  ['POST', '/library/examples/flows/x', json([])],
]);
