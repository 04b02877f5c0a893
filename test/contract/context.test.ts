import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpoint, tab } from '../support/flow-snippets.ts';
import { startServer, type TestServer } from '../support/server.ts';

const code = `
  global.set('n', 5, 'ram');
  global.set('list', [1, 2], 'ram');
  global.set('obj', { a: { b: 'deep' }, items: [1], 'odd key': 1 }, 'ram');
  global.set('kept', 'on disk', 'disk');
  flow.set('text', 'x'.repeat(2000), 'ram');
  context.set('mine', true, 'ram');
  return msg;
`;
const settings = {
  uiHost: '127.0.0.1',
  contextStorage: { default: 'ram', ram: { module: 'memory' }, disk: { module: 'localfilesystem' } },
};
const flows = [tab('t1'), ...endpoint('fill', 't1', '/fill', code)];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings, flows });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => expect((await server.get('/fill')).status).toBe(200));

describe('GET /context', () => {
  it.each([
    ['/context/global/n', { msg: '5', format: 'number' }],
    ['/context/global/list', { msg: '[1,2]', format: 'array[2]' }],
    ['/context/global/obj.a.b', { msg: 'deep', format: 'string[4]' }],
    ['/context/global/obj%5B%22odd%20key%22%5D', { msg: '1', format: 'number' }],
    ['/context/global/missing', { msg: '(undefined)', format: 'undefined' }],
    ['/context/global/kept?store=disk', { msg: 'on disk', format: 'string[7]', store: 'disk' }],
    ['/context/flow/t1/text', { msg: `${'x'.repeat(1000)}...`, format: 'string[2000]' }],
    ['/context/node/fill/mine', { msg: 'true', format: 'boolean' }],
    [
      '/context/flow/t1',
      { ram: { text: { msg: `${'x'.repeat(1000)}...`, format: 'string[2000]' } }, disk: {} },
    ],
    ['/context/global?store=disk', { disk: { kept: { msg: 'on disk', format: 'string[7]' } } }],
    ['/context/node/nope', {}],
    ['/context/flow/nope', { ram: {}, disk: {} }],
    ['/context/flow/t1?keysOnly', { ram: { keys: [{ key: 'text' }] }, disk: { keys: [] } }],
    ['/context/global/list?keysOnly', { ram: { format: 'array[2]' } }],
    ['/context/global/n?keysOnly', { ram: { keys: [] } }],
    [
      '/context/global/obj?keysOnly',
      {
        ram: {
          keys: [
            { key: 'a', format: 'object' },
            { key: 'items', format: 'array[1]', length: 1 },
            { key: 'odd key' },
          ],
          format: 'object',
        },
      },
    ],
  ])('%s', async (path, expected) => {
    const reply = await server.get(path);
    expect([reply.status, reply.body]).toEqual([200, expected]);
  });

  it('gives all values of all stores without a key', async () => {
    expect((await server.get('/context/global')).body).toEqual({
      ram: {
        n: { msg: '5', format: 'number' },
        list: { msg: '[1,2]', format: 'array[2]' },
        obj: { msg: '{"a":{"b":"deep"},"items":[1],"odd key":1}', format: 'Object' },
      },
      disk: { kept: { msg: 'on disk', format: 'string[7]' } },
    });
  });

  it.each(['GET', 'DELETE'])('%s of an unknown store is 404', async (method) => {
    const reply = await server.request(method, '/context/global/n?store=nope');
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  });
});

describe('DELETE /context', () => {
  it.each([
    ['/context/global/n', '/context/global/n'],
    ['/context/global/obj.a.b', '/context/global/obj.a.b'],
    ['/context/global/kept?store=disk', '/context/global/kept?store=disk'],
    ['/context/flow/t1/text', '/context/flow/t1/text'],
    ['/context/node/fill/mine', '/context/node/fill/mine'],
    ['/context/global/missing', '/context/global/missing'],
  ])('%s', async (path, read) => {
    const reply = await server.delete(path);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await server.get(read)).body).toMatchObject({ msg: '(undefined)' });
  });

  it.each(['/context/global', '/context/flow/t1', '/context/flow/t1/', '/context/node/fill'])(
    'of a whole context (%s) is 404',
    async (path) => {
      expect((await server.delete(path)).status).toBe(404);
      expect((await server.get('/context/global/n')).body.msg).toBe('5');
    },
  );
});

describe('/context', () => {
  it('asks context.read and context.write', async () => {
    const password = bcrypt('surf', { cost: 4 });
    const users = [
      { username: 'reader', password, permissions: 'context.read' },
      { username: 'writer', password, permissions: 'context.write' },
    ];
    await using guarded = await startServer({
      settings: { ...settings, adminAuth: { type: 'credentials', users } },
    });
    const reader = await guarded.login('reader', 'surf', '');
    const writer = await guarded.login('writer', 'surf', '');
    for (const path of ['/context/global/n', '/context/flow/t1/n', '/context/node/fill/n']) {
      const statuses = async (method: string) => [
        (await guarded.request(method, path)).status,
        (await guarded.request(method, path, { token: reader })).status,
        (await guarded.request(method, path, { token: writer })).status,
      ];
      expect(await statuses('GET')).toEqual([401, 200, 401]);
      expect(await statuses('DELETE')).toEqual([401, 401, 204]);
    }
  });

  it('is 503 while the engine does not respond', async () => {
    const engine = { heartbeatIntervalMs: 200, unresponsiveAfterMs: 1000 };
    await using blocked = await startServer({ settings: { ...settings, engine } });
    process.kill(await blocked.enginePid(), 'SIGSTOP');
    const reply = await blocked.get('/context/global');
    expect([reply.status, reply.body.code]).toEqual([503, 'engine.unresponsive']);
    expect((await blocked.delete('/context/global/n')).status).toBe(503);
  });
});
