import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CommsClient } from '../support/comms.ts';
import { countCalls, endpoint, type Item, node, tab } from '../support/flow-snippets.ts';
import { registers, writeModule } from '../support/node-module.ts';
import { startServer, type TestServer } from '../support/server.ts';

// What flows rely on, across both processes.

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-engine-'));
  folders.push(folder);
  return folder;
}

const settings = { uiHost: '127.0.0.1', credentialSecret: 'a secret' };
const says = (text: string) => `msg.payload = ${JSON.stringify(text)}; return msg;`;
const post = (server: TestServer, json: unknown, type = 'full') =>
  server.post('/flows', { json, headers: { 'Node-RED-Deployment-Type': type } });
/** What the code of a function node says that was stored last, and what it says that runs. */
async function storedAndRunning(server: TestServer): Promise<[string, string]> {
  const stored: Item[] = JSON.parse(readFileSync(join(server.userDir, 'flows.json'), 'utf8'));
  const code = String(stored.find(({ id }) => id === 'a')?.['func']);
  return [/"(.*)"/.exec(code)?.[1] ?? '', (await server.get('/a')).text];
}

describe('deploys', () => {
  it('that come while the engine starts are taken one by one, and the last is what runs', async () => {
    const flows = (text: string) => [tab('t'), ...endpoint('a', 't', '/a', says(text))];
    await using server = await startServer({ settings, flows: flows('old'), until: 'live' });
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => post(server, flows(`new ${i}`))));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 204));
    const [stored, running] = await storedAndRunning(server);
    expect(stored).toMatch(/^new/);
    expect(running).toBe(stored);
  });

  it('of every type at once leave what is stored running', async () => {
    const flows = (text: string) => [tab('t'), tab('u'), ...endpoint('a', 't', '/a', says(text))];
    await using server = await startServer({ settings, flows: flows('old') });
    const types = ['full', 'nodes', 'flows', 'reload'] as const;
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        post(server, i % 5 === 3 ? [{ id: 1 }] : flows(`new ${i}`), types[i % 4]),
      ),
    );
    replies.forEach(({ status }, i) => {
      expect(status, `${i}`).toBe(i % 5 === 3 && i % 4 !== 3 ? 400 : 204);
    });
    const [stored, running] = await storedAndRunning(server);
    expect(running).toBe(stored);
  });

  it('run where the engine has not what was stored before, and where it has', async () => {
    const mended = [tab('t'), ...endpoint('a', 't', '/a', says('mended'))];
    // An id that occurs twice: stored as it was found, refused by the engine.
    await using server = await startServer({ settings, flows: [...mended, tab('t')] });
    expect((await server.get('/a')).status).toBe(404);
    expect((await post(server, mended, 'nodes')).status).toBe(204);
    expect((await server.get('/a')).text).toBe('mended');
    const changed = mended.map((item) => (item.id === 'a' ? { ...item, func: says('changed') } : item));
    expect((await post(server, [tab('u'), ...changed], 'nodes')).status).toBe(204);
    expect((await server.get('/a')).text).toBe('changed');
    expect((await server.get('/flows')).body).toEqual([tab('u'), ...changed]);
  });

  it('go on when a node never says that it has closed', async () => {
    const stuck = `RED.nodes.registerType('stuck', function (config) {
      RED.nodes.createNode(this, config);
      this.on('close', (removed, done) => {});
    });`;
    const module = writeModule(newFolder(), { name: 'stuck-module', sets: { stuck } });
    await using server = await startServer({ settings: { ...settings, nodeCloseTimeout: 500 } });
    expect((await server.post('/nodes', { json: { module } })).status).toBe(200);
    const rest = [tab('t'), ...endpoint('b', 't', '/b', countCalls)];
    await server.deploy([...rest, node('x', 'stuck', 't', [])]);
    expect((await server.get('/b')).text).toBe('1');
    expect((await post(server, rest, 'nodes')).status).toBe(204);
    expect((await server.get('/b')).text).toBe('2');
    expect(server.log()).toMatch(/\[error\] \[stuck:x\].*Close timed out/);
  });
});

describe('flows with types that are not there', () => {
  it('wait, say for which, and start by themselves once they are installed', async () => {
    const subflow = {
      ...{
        id: 'smod',
        type: 'subflow',
        name: 'Sub',
        info: '',
        meta: { type: 'sub-late', module: 'late-module' },
      },
      in: [{ x: 1, y: 1, wires: [{ id: 'fn' }] }],
      out: [{ x: 1, y: 1, wires: [{ id: 'fn', port: 0 }] }],
      env: [
        { name: 'PASS', type: 'cred' },
        { name: 'WORD', type: 'str', value: 'default' },
      ],
      flow: [
        node('fn', 'function', 'smod', [], {
          func: 'msg.payload = [env.get("PASS"), env.get("WORD")].join(); return msg;',
          outputs: 1,
          libs: [],
        }),
      ],
    };
    const module = writeModule(newFolder(), {
      name: 'late-module',
      sets: { late: registers('late'), sub: `RED.nodes.registerSubflow(${JSON.stringify(subflow)});` },
    });
    await using server = await startServer({
      settings: { ...settings, logging: { console: { level: 'trace', metrics: true, audit: true } } },
    });
    using editor = await CommsClient.open(server.url);
    editor.say({ subscribe: 'notification/#' });
    const flows = [
      tab('t'),
      node('i', 'http in', 't', ['l'], { url: '/go', method: 'get' }),
      node('l', 'late', 't', ['s']),
      node('s', 'sub-late', 't', ['o'], { WORD: 'own' }),
      { ...node('o', 'http response', 't', []), wires: [] },
    ];
    const withSecret = flows.map((item) =>
      item.id === 's' ? { ...item, credentials: { PASS: 'open sesame' } } : item,
    );
    expect((await post(server, withSecret)).status).toBe(204);
    expect((await server.get('/go')).status).toBe(404);
    await editor.until(
      () => editor.of('notification/runtime-state').some(({ types }) => types?.join() === 'late,sub-late'),
      'the types that are missing',
    );

    expect((await server.post('/nodes', { json: { module } })).status).toBe(200);
    await server.waitFor(async () => (await server.get('/go')).status === 200, 'flows that start');
    await editor.until(
      () => editor.of('notification/runtime-state').some((data) => JSON.stringify(data) === '{}'),
      'the all-clear',
    );
    // Credentials of a type that was not there yet are kept for it.
    expect((await server.get('/go')).text).toBe('open sesame,own');
    await server.deploy(flows);
    expect((await server.get('/go')).text).toBe('open sesame,own');

    expect(server.log()).toContain('"event":"node.late.receive"');
    for (const text of [
      server.log(),
      (await server.get('/flows')).text,
      (await server.get('/credentials/sub-late/s')).text,
    ]) {
      expect(text).not.toContain('open sesame');
    }
  });
});

describe('what nodes show', () => {
  it('is there for editors that come later, and is cleared when the node goes', async () => {
    const flows = [
      tab('t'),
      ...endpoint('f', 't', '/f', 'node.status({ fill: "red", text: "x " + msg.req.query.x }); return msg;'),
    ];
    await using server = await startServer({ settings, flows });
    await server.get('/f?x=1');
    using first = await CommsClient.open(server.url);
    first.say({ subscribe: 'status/#' });
    await first.until(() => first.of('status/f').length > 0, 'the retained status');
    await server.get('/f?x=2');
    await first.until(() => first.of('status/f').length > 1, 'the new status');
    await post(server, [tab('t')], 'nodes');
    await first.until(() => first.of('status/f').length > 2, 'the end of the status');
    expect(first.of('status/f')).toEqual([{ fill: 'red', text: 'x 1' }, { fill: 'red', text: 'x 2' }, {}]);
    using second = await CommsClient.open(server.url);
    second.say({ subscribe: 'status/#' });
    second.say({ subscribe: 'notification/#' });
    await second.until(() => second.of('notification/runtime-deploy').length > 0, 'what is retained');
    expect(second.of('status/f')).toEqual([]);
  });
});

describe('context of several stores', () => {
  const stores = {
    default: 'mem',
    mem: { module: 'memory' },
    file: { module: 'localfilesystem' },
    db: { module: 'sqlite' },
  };
  const fill = `flow.set("a", 1); flow.set("a", { n: 2 }, "file"); flow.set("a", { n: 3 }, "db");
    context.set("own", 5, "db"); global.set("g", 6, "db"); return msg;`;
  const rules = [
    { t: 'set', p: '#:(db)::x.y', pt: 'flow', to: '7', tot: 'num' },
    {
      ...{ t: 'set', p: 'payload', pt: 'msg', tot: 'jsonata' },
      to: '[$flowContext("a"), $flowContext("a.n", "file"), $flowContext("a.n", "db"), $globalContext("g", "db"), $flowContext("x.y", "db")]',
    },
  ];
  const flows = [
    tab('t'),
    ...endpoint('f', 't', '/f', fill),
    node('j-in', 'http in', 't', ['j'], { url: '/j', method: 'get' }),
    node('j', 'change', 't', ['j-out'], { rules }),
    { ...node('j-out', 'http response', 't', []), wires: [] },
  ];

  it('is reached by every kind of node, and ends with its node and its flow', async () => {
    await using server = await startServer({ settings: { ...settings, contextStorage: stores }, flows });
    await server.get('/f');
    expect((await server.get('/j')).body).toEqual([1, 2, 3, 6, 7]);
    expect((await server.get('/context/node/f')).body.db).toEqual({ own: { msg: '5', format: 'number' } });
    expect((await server.delete('/context/flow/t/x.y?store=db')).status).toBe(204);
    expect((await server.get('/j?again')).status).toBe(200);
    await post(
      server,
      flows.filter(({ id }) => !id.startsWith('f')),
      'nodes',
    );
    expect((await server.get('/context/node/f')).body).toEqual({});
    expect((await server.get('/context/flow/t/a.n?store=db')).body.msg).toBe('3');
    await server.deploy([tab('u')]);
    await server.deploy(flows);
    expect((await server.get('/context/flow/t')).body).toEqual({ mem: {}, file: {}, db: {} });
    expect((await server.get('/context/global?store=db')).body).toEqual({
      db: { g: { msg: '6', format: 'number' } },
    });
  });
});
