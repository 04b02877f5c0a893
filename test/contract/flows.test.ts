import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countCalls, endpoint, type Item, node, tab } from '../support/flow-snippets.ts';
import { startServer, type TestServer } from '../support/server.ts';

const emptyRev = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
const v2 = { 'Node-RED-API-Version': 'v2' };
const revOf = (flows: readonly object[]) => createHash('sha256').update(JSON.stringify(flows)).digest('hex');

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    settings: {
      uiHost: '127.0.0.1',
      flowFile: 'flows.json',
      flowFilePretty: true,
      credentialSecret: 'a secret',
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const onDisk = async (name = 'flows.json') => JSON.parse(await readFile(join(server.userDir, name), 'utf8'));
const get2 = () => server.get('/flows', { headers: v2 });
const post2 = (json: unknown, type = 'full') =>
  server.post('/flows', { json, headers: { ...v2, 'Node-RED-Deployment-Type': type } });
const text = async (path: string) => {
  const reply = await server.get(path);
  return reply.status === 200 ? reply.text : reply.status;
};

describe('GET /flows', () => {
  beforeEach(() => server.deploy([]));

  it('gives the array in version 1, which is the default, and the array with its revision in version 2', async () => {
    for (const headers of [{}, { 'Node-RED-API-Version': 'v1' }]) {
      const reply = await server.get('/flows', { headers });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(reply.body).toEqual([]);
    }
    expect((await get2()).body).toEqual({ flows: [], rev: emptyRev });
  });

  it('gives items as they were deployed, unknown properties and order kept', async () => {
    const flows = [
      { type: 'tab', id: 't1', zz: [{ deep: null }], label: 'Ünï' },
      { id: 'c', type: 'comment', z: 't1', x: 1, y: 2, wires: [], info: 'a\n"b"' },
    ];
    await server.deploy(flows);
    const reply = await get2();
    expect(JSON.stringify(reply.body.flows)).toBe(JSON.stringify(flows));
    expect(reply.body.rev).toBe(revOf(flows));
  });

  it('answers 304 to a client that has the revision', async () => {
    const etag = (await get2()).headers.get('etag') ?? '';
    const again = await server.get('/flows', { headers: { ...v2, 'If-None-Match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await server.get('/flows', { headers: { 'If-None-Match': etag } })).status).toBe(200);
    await server.deploy([tab('t1')]);
    expect((await server.get('/flows', { headers: { ...v2, 'If-None-Match': etag } })).status).toBe(200);
  });

  it.each(['GET', 'POST'])('%s refuses another version', async (method) => {
    const reply = await server.request(method, '/flows', { headers: { 'Node-RED-API-Version': 'v3' } });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: 'invalid_api_version', message: 'Invalid API Version requested' });
  });
});

describe('POST /flows', () => {
  beforeEach(() => server.deploy([]));

  it('answers 204 in version 1, and the revision in version 2', async () => {
    const one = await server.post('/flows', { json: [tab('t1')] });
    expect([one.status, one.text]).toEqual([204, '']);
    const flows = [tab('t1'), tab('t2')];
    const two = await post2({ flows });
    expect([two.status, two.body]).toEqual([200, { rev: revOf(flows) }]);
  });

  it('has the flows on disk when it answers, pretty as set, the previous ones in the backup', async () => {
    await server.deploy([tab('t1')]);
    await server.deploy([tab('t2')]);
    expect(await readFile(join(server.userDir, 'flows.json'), 'utf8')).toBe(
      JSON.stringify([tab('t2')], null, 4),
    );
    expect(await onDisk('.flows.json.backup')).toEqual([tab('t1')]);
  });

  it('refuses a client that started from another revision with 409; without a revision it is forced', async () => {
    const rev = (await post2({ flows: [tab('t1')], rev: emptyRev })).body.rev;
    const late = await post2({ flows: [], rev: emptyRev });
    expect(late.status).toBe(409);
    expect(late.body.code).toBe('version_mismatch');
    expect((await get2()).body.rev).toBe(rev);
    expect((await post2({ flows: [tab('t1')], rev })).status).toBe(200);
    expect((await post2({ flows: [] })).body).toEqual({ rev: emptyRev });
  });

  it('lets one of several clients through that started from the same revision', async () => {
    const labels = Array.from({ length: 8 }, (_, i) => `client ${i}`);
    const replies = await Promise.all(
      labels.map((label) => post2({ flows: [tab('t1', { label })], rev: emptyRev })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...labels.slice(1).map(() => 409)]);
    const winner = labels[replies.findIndex((reply) => reply.status === 200)];
    expect(await onDisk()).toEqual([tab('t1', { label: winner })]);
  });

  it.each([
    ['an object', { nodes: [] }, 'the flows must be an array, not an object'],
    ['nothing', undefined, 'the flows must be an array, not an object'],
    ['an item that is no object', [tab('t1'), 'x'], 'item 1: must be an object, not a string'],
    ['an item without id', [tab('t1'), { type: 'x' }], 'item 1: id: must be a string, and is missing'],
    ['an id that is a number', [{ id: 1, type: 'tab' }], 'item 0: id: must be a string, not a number'],
    ['an item without type', [{ id: 'a' }], 'item 0 (id "a"): type: must be a string, and is missing'],
    [
      'wires that are no arrays',
      [{ id: 'a', type: 'x', wires: {} }],
      'item 0 (id "a"): wires: must be an array of arrays of node ids',
    ],
    ['one id twice', [tab('a'), tab('b'), tab('a')], 'item 2 (id "a"): id: is already the id of item 0'],
    [
      'a subflow within itself',
      [
        { id: 's', type: 'subflow' },
        { id: 'i', type: 'subflow:s', z: 's' },
      ],
      'subflows contain each other: s → s',
    ],
  ])('refuses %s and names it; what runs goes on running', async (_, json, problem) => {
    await server.deploy([tab('t1'), ...endpoint('f', 't1', '/alive', countCalls)]);
    expect(await text('/alive')).toBe('1');
    const before = (await get2()).body.rev;
    const reply = await server.post('/flows', json === undefined ? {} : { json });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: 'invalid_flow', message: `Invalid flows: ${problem}` });
    expect((await get2()).body.rev).toBe(before);
    expect(await text('/alive')).toBe('2');
  });

  it.each([
    ['a revision that is no text', { flows: [], rev: 7 }, 'invalid_request'],
    ['credentials that are no object', { flows: [], credentials: [] }, 'invalid_flow'],
    [
      'credentials of a node that are no object',
      { flows: [tab('a')], credentials: { a: 'x' } },
      'invalid_flow',
    ],
    [
      'credentials that it cannot decrypt',
      { flows: [], credentials: { $: 'ab'.repeat(40) } },
      'credentials_load_failed',
    ],
    ['no flows', {}, 'invalid_flow'],
    ['an array', [], 'invalid_flow'],
  ])('refuses in version 2 %s', async (_, json, code) => {
    const reply = await post2(json);
    expect([reply.status, reply.body.code]).toEqual([400, code]);
  });

  it('refuses what is no JSON, and what is too long', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await server.post('/flows', { body: '[{', headers })).status).toBe(400);
    expect((await server.post('/flows', { body: `["${'x'.repeat(6e6)}"]`, headers })).status).toBe(413);
  });

  it('takes ten thousand nodes', async () => {
    const many: Item[] = [tab('t1')];
    for (let i = 0; i < 10_000; i++) many.push(node(`n${i}`, 'junction', 't1', [`n${i + 1}`]));
    await server.deploy(many);
    expect((await server.get('/flows')).body).toEqual(many);
    expect(await onDisk()).toEqual(many);
  });

  it('reports types that are not there only to the editors', async () => {
    expect((await post2({ flows: [tab('t1'), node('n', 'no-such-type', 't1', [])] })).status).toBe(200);
    expect((await server.get('/flows/state')).body).toEqual({ state: 'start' });
  });
});

describe('what a deploy restarts', () => {
  const flows = (code = countCalls) => [
    tab('t1'),
    ...endpoint('a', 't1', '/a', countCalls),
    ...endpoint('b', 't1', '/b', code),
    tab('t2'),
    ...endpoint('c', 't2', '/c', countCalls),
  ];
  const changed = `// changed\n${countCalls}`;
  const counts = async () => [await text('/a'), await text('/b'), await text('/c')];
  const deploy = async (json: readonly Item[], type: string) =>
    expect((await post2({ flows: json }, type)).status).toBe(200);

  beforeEach(async () => {
    await deploy(flows(), 'full');
    expect(await counts()).toEqual(['1', '1', '1']);
  });

  it('full: everything', async () => {
    await deploy(flows(), 'full');
    expect(await counts()).toEqual(['1', '1', '1']);
  });

  it('an unknown type: everything', async () => {
    await deploy(flows(), 'surprise');
    expect(await counts()).toEqual(['1', '1', '1']);
  });

  it.each(['nodes', 'flows'])(
    '%s: nothing where nothing changed, and not for a new place on the canvas',
    async (type) => {
      await deploy(flows(), type);
      await deploy(
        flows().map((item) => ('x' in item ? { ...item, x: 500 } : item)),
        type,
      );
      expect(await counts()).toEqual(['3', '3', '3'].map(() => '2'));
    },
  );

  it('nodes: the nodes that changed', async () => {
    await deploy(flows(changed), 'nodes');
    expect(await counts()).toEqual(['2', '1', '2']);
  });

  it('flows: what is connected to what changed', async () => {
    const renamed = flows().map((item) => (item.id === 'b-in' ? { ...item, name: 'other' } : item));
    await deploy(renamed, 'flows');
    expect(await counts()).toEqual(['2', '1', '2']);
  });

  it('reload: everything, from what the file holds by now', async () => {
    const edited = [...flows(), ...endpoint('d', 't2', '/d', countCalls)];
    await writeFile(join(server.userDir, 'flows.json'), JSON.stringify(edited));
    expect((await server.get('/flows')).body).toEqual(flows());
    const reply = await server.post('/flows', { headers: { ...v2, 'Node-RED-Deployment-Type': 'reload' } });
    expect([reply.status, reply.body]).toEqual([200, { rev: revOf(edited) }]);
    expect([...(await counts()), await text('/d')]).toEqual(['1', '1', '1', '1']);
    expect((await server.get('/flows')).body).toEqual(edited);
  });

  it('reload of a broken file: nothing, and says where it is broken', async () => {
    await writeFile(join(server.userDir, 'flows.json'), '[\n  {"id": "a" "type": "tab"}\n]');
    const reply = await server.post('/flows', { headers: { 'Node-RED-Deployment-Type': 'reload' } });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      code: 'invalid_flow',
      message: 'The flow file is broken: it is not valid JSON, line 2, column 14: unexpected character',
    });
    expect(await counts()).toEqual(['2', '2', '2']);
    expect(await readFile(join(server.userDir, 'flows.json'), 'utf8')).toContain('"a" "type"');
  });
});

describe('/flow', () => {
  beforeEach(() => server.deploy([tab('t0'), { id: 'c0', type: 'tls-config' }]));

  it('adds, shows, replaces and removes a tab, which runs meanwhile', async () => {
    const added = await server.post('/flow', {
      json: { label: 'New', nodes: endpoint('f', 'ignored', '/single', 'msg.payload = "one"; return msg;') },
    });
    expect(added.status).toBe(200);
    const { id } = added.body;
    expect(added.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(await text('/single')).toBe('one');

    const nodes = endpoint('f', id, '/single', 'msg.payload = "two"; return msg;');
    expect((await server.get(`/flow/${id}`)).body).toMatchObject({
      id,
      label: 'New',
      nodes: [{ id: 'f-in', z: id }, {}, {}],
    });
    const replaced = await server.put(`/flow/${id}`, { json: { label: 'Changed', env: [], nodes } });
    expect([replaced.status, replaced.body]).toEqual([200, { id }]);
    expect((await server.get(`/flow/${id}`)).body).toEqual({ id, label: 'Changed', env: [], nodes });
    expect(await text('/single')).toBe('two');

    const removed = await server.delete(`/flow/${id}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await text('/single')).toBe(404);
    expect((await server.get('/flows')).body).toEqual([tab('t0'), { id: 'c0', type: 'tls-config' }]);
  });

  it('shows and replaces what is outside of tabs', async () => {
    expect((await server.get('/flow/global')).body).toEqual({
      id: 'global',
      configs: [{ id: 'c0', type: 'tls-config', _users: [] }],
    });
    const configs = [{ id: 'c1', type: 'tls-config' }];
    const subflows = [
      {
        id: 's1',
        type: 'subflow',
        name: 'S',
        in: [],
        out: [],
        nodes: [{ id: 'sn', type: 'comment', z: 's1', x: 1, y: 1, wires: [] }],
      },
    ];
    expect((await server.put('/flow/global', { json: { configs, subflows } })).body).toEqual({
      id: 'global',
    });
    const { nodes, ...subflow } = { ...subflows[0] };
    expect((await server.get('/flows')).body).toEqual([tab('t0'), ...configs, ...(nodes ?? []), subflow]);
  });

  it.each([
    ['GET', '/flow/nope'],
    ['PUT', '/flow/nope'],
    ['DELETE', '/flow/nope'],
    ['GET', '/flow/c0'],
  ])('%s %s is not found', async (method, path) => {
    const reply = await server.request(method, path, method === 'PUT' ? { json: { nodes: [] } } : {});
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['POST', '/flow', { label: 'x' }, 'missing nodes property'],
    ['POST', '/flow', { nodes: [{ id: 'c0', type: 'x' }] }, 'duplicate id'],
    ['POST', '/flow', { nodes: [{ id: 'x', type: 'tab' }] }, 'invalid node type: tab'],
    ['DELETE', '/flow/global', undefined, 'not allowed to remove global'],
  ])('%s %s %j: %s', async (method, path, json, message) => {
    const reply = await server.request(method, path, json === undefined ? {} : { json });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: 'unexpected_error', message });
  });

  it('names the item that has the wrong shape', async () => {
    const reply = await server.post('/flow', { json: { nodes: [{ id: 'x' }] } });
    expect([reply.status, reply.body.message]).toEqual([
      400,
      'Invalid flows: item 3 (id "x"): type: must be a string, and is missing',
    ]);
  });
});

describe('/flows/state', () => {
  it('cannot be changed unless the setting allows it', async () => {
    expect((await server.get('/flows/state')).body).toEqual({ state: 'start' });
    expect((await server.post('/flows/state', { json: { state: 'stop' } })).status).toBe(404);
  });

  it('stops and starts the flows, and is kept over a restart', async () => {
    const settings = { uiHost: '127.0.0.1', runtimeState: { enabled: true, ui: true } };
    const flows = [tab('t1'), ...endpoint('f', 't1', '/alive', countCalls)];
    await using first = await startServer({ settings, flows });
    const alive = async (one: TestServer) => (await one.get('/alive')).status;
    const change = (one: TestServer, state: string) => one.post('/flows/state', { form: { state } });
    expect(await alive(first)).toBe(200);
    const wrong = await change(first, 'pause');
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_run_state']);
    const stopped = await change(first, 'stop');
    expect([stopped.status, stopped.body]).toEqual([200, { state: 'stop' }]);
    expect(await alive(first)).toBe(404);
    await first.deploy(flows);
    expect([await alive(first), (await first.get('/flows/state')).body]).toEqual([404, { state: 'stop' }]);
    await first.stop();

    await using second = await startServer({ userDir: first.userDir });
    expect([await alive(second), (await second.get('/flows/state')).body]).toEqual([404, { state: 'stop' }]);
    expect((await change(second, 'start')).body).toEqual({ state: 'start' });
    expect(await alive(second)).toBe(200);
  });

  it('is safe after a start in safe mode, until a deploy', async () => {
    const flows = [tab('t1'), ...endpoint('f', 't1', '/alive', countCalls)];
    await using safe = await startServer({ settings: { uiHost: '127.0.0.1' }, flows, args: ['--safe'] });
    expect((await safe.get('/flows/state')).body).toEqual({ state: 'safe' });
    expect((await safe.get('/alive')).status).toBe(404);
    expect((await safe.get('/flows')).body).toEqual(flows);
    await safe.post('/flows', { json: flows, headers: { 'Node-RED-Deployment-Type': 'nodes' } });
    expect((await safe.get('/flows/state')).body).toEqual({ state: 'start' });
    expect((await safe.get('/alive')).status).toBe(200);
  });
});

describe('permissions', () => {
  it('asks flows.read for reading and flows.write for changing', async () => {
    const hash = '$2a$08$zZWtXTja0fB1pzD4sHCMyOCMYz2Z6dNbM6tl8sJogENOMcxWV9DN.'; // "password"
    const users = [
      { username: 'reader', password: hash, permissions: 'flows.read' },
      { username: 'writer', password: hash, permissions: 'flows.write' },
    ];
    const settings = {
      uiHost: '127.0.0.1',
      adminAuth: { type: 'credentials', users },
      runtimeState: { enabled: true },
    };
    await using guarded = await startServer({ settings, flows: [tab('t1')] });
    const tokens = {
      reader: await guarded.login('reader', 'password', 'flows.read'),
      writer: await guarded.login('writer', 'password', 'flows.write'),
    };
    const statuses = async (method: string, path: string, json?: unknown) => {
      const body = json === undefined ? {} : { json };
      const replies = [
        await guarded.request(method, path, body),
        await guarded.request(method, path, { ...body, token: tokens.reader }),
        await guarded.request(method, path, { ...body, token: tokens.writer }),
      ];
      return replies.map((reply) => reply.status);
    };
    expect(await statuses('GET', '/flows')).toEqual([401, 200, 401]);
    expect(await statuses('GET', '/flows/state')).toEqual([401, 200, 401]);
    expect(await statuses('GET', '/flow/t1')).toEqual([401, 200, 401]);
    expect(await statuses('POST', '/flows', [tab('t1')])).toEqual([401, 401, 204]);
    expect(await statuses('POST', '/flows/state', { state: 'start' })).toEqual([401, 401, 200]);
    expect(await statuses('POST', '/flow', { nodes: [] })).toEqual([401, 401, 200]);
    expect(await statuses('PUT', '/flow/t1', { nodes: [] })).toEqual([401, 401, 200]);
    expect(await statuses('DELETE', '/flow/t1')).toEqual([401, 401, 204]);
  });
});

describe('an engine that is blocked', () => {
  it('is replaced by a deploy', async () => {
    const settings = { uiHost: '127.0.0.1', engine: { heartbeatIntervalMs: 200, unresponsiveAfterMs: 1500 } };
    const fine = [tab('t1'), ...endpoint('f', 't1', '/alive', countCalls)];
    const looping = [tab('t1'), ...endpoint('f', 't1', '/alive', 'for (;;) {}')];
    await using blocked = await startServer({ settings, flows: looping });
    const engine = await blocked.enginePid();
    const hanging = blocked.get('/alive', { timeoutMs: 60_000 }).catch(() => {});
    // Asked at once: the engine becomes unresponsive while the deploy waits for it.
    const reply = await blocked.post('/flows', { json: fine });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(await blocked.enginePid(engine)).not.toBe(engine);
    expect((await blocked.get('/alive')).text).toBe('1');
    await hanging;
  });
});
