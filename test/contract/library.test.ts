import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { uiHost: '127.0.0.1', flowFilePretty: true } });
});
afterAll(() => server[Symbol.asyncDispose]());

const brief = ({ status, headers, text }: Reply) => [
  status,
  headers.get('content-type')?.split(';')[0],
  text,
];

describe('the local library', () => {
  it('keeps flows', async () => {
    const flows = [{ id: 'a', type: 'tab' }];
    expect((await server.post('/library/local/flows/folder/one', { json: flows })).status).toBe(204);
    expect(await readFile(join(server.userDir, 'lib/flows/folder/one.json'), 'utf8')).toBe(
      JSON.stringify(flows, null, 4),
    );
    for (const path of ['one', 'one.json']) {
      const reply = await server.get(`/library/local/flows/folder/${path}`);
      expect(brief(reply)).toEqual([200, 'application/json', JSON.stringify(flows, null, 4)]);
    }
    expect((await server.get('/library/local/flows/')).body).toEqual(['folder']);
    expect((await server.get('/library/local/flows')).body).toEqual(['folder']);
    expect((await server.get('/library/local/flows/folder')).body).toEqual([{ fn: 'one.json' }]);
  });

  it('keeps texts with what is known of them', async () => {
    const json = { text: 'return 1;\n', name: 'a\nname', outputs: '2' };
    expect((await server.post('/library/local/functions/deep/er/f.js', { json })).status).toBe(204);
    // Listed as soon as it is answered.
    expect((await server.get('/library/local/functions/deep/er/')).body).toEqual([
      { name: 'a\nname', outputs: '2', fn: 'f.js' },
    ]);
    const reply = await server.get('/library/local/functions/deep/er/f.js');
    expect(brief(reply)).toEqual([200, 'text/plain', 'return 1;\n']);
    expect(await readdir(join(server.userDir, 'lib/functions/deep/er'))).toEqual(['f.js']);
  });

  it('takes what is not there for an empty folder, or for an error', async () => {
    expect((await server.get('/library/local/templates/')).body).toEqual([]);
    expect((await server.get('/library/local/flows/nope/')).body).toEqual([]);
    const reply = await server.get('/library/local/flows/nope');
    expect([reply.status, reply.body.code]).toEqual([400, 'unexpected_error']);
    expect(reply.text).not.toContain(server.userDir);
  });

  it.each([
    ['a type', '/library/local/surprises/', 'Unknown library type: surprises'],
    ['a type that is a path', '/library/local/..%2f..%2f/', 'Unknown library type: ../../'],
    ['a library', '/library/remote/flows/', 'Unknown library: remote'],
  ])('refuses %s that it does not know', async (_, path, message) => {
    const reply = await server.get(path);
    expect([reply.status, reply.body]).toEqual([400, { code: 'unexpected_error', message }]);
  });

  it.each(['GET', 'POST'])('%s refuses paths that leave it', async (method) => {
    await writeFile(join(server.userDir, 'secret.json'), '[]');
    for (const path of [
      '%2e%2e%2f%2e%2e%2fsecret',
      '..%2f..%2fsecret.json',
      'a%2f..%2f..%2f..%2fsecret',
      '..%5c..%5csecret',
    ]) {
      const reply = await server.request(
        method,
        `/library/local/flows/${path}`,
        method === 'POST' ? { json: [] } : {},
      );
      expect([path, reply.status, reply.body]).toEqual([
        path,
        403,
        { code: 'forbidden', message: 'Forbidden' },
      ]);
    }
  });

  it.each([
    ['a member that is no text', { text: '', outputs: 1 }],
    ['no text', { name: 'x' }],
    ['a text that is none', { text: 1 }],
    ['an odd name', { text: '', 'a\nb': 'x' }],
    ['an array', []],
  ])('refuses %s', async (_, json) => {
    const reply = await server.post('/library/local/functions/x.js', { json });
    expect([reply.status, reply.body.code]).toEqual([400, 'unexpected_error']);
    expect((await server.get('/library/local/functions/x.js')).status).toBe(400);
  });
});

describe('the examples', () => {
  it('are those of the modules, and read-only', async () => {
    const path = join(server.userDir, 'node_modules/@acme/node-red-surf');
    await mkdir(join(path, 'examples/more'), { recursive: true });
    await writeFile(
      join(path, 'package.json'),
      JSON.stringify({ name: '@acme/node-red-surf', version: '1.0.0', 'node-red': { nodes: {} } }),
    );
    await writeFile(join(path, 'examples/first.json'), '[{"id":"first"}]');
    await writeFile(join(path, 'examples/more/second.json'), '[]');
    await using other = await startServer({ userDir: server.userDir, until: 'live' });
    const get = async (rest: string) => other.get(`/library/examples/flows/${rest}`);
    expect((await get('')).body).toEqual(expect.arrayContaining(['node-red', '@acme/node-red-surf']));
    expect((await get('node-red/')).body).toContain('function');
    expect((await get('@acme/node-red-surf')).body).toEqual(['more', { fn: 'first' }]);
    expect((await get('@acme/node-red-surf/more/')).body).toEqual([{ fn: 'second' }]);
    expect(brief(await get('@acme/node-red-surf/first'))).toEqual([
      200,
      'application/json',
      '[{"id":"first"}]',
    ]);
    for (const missing of ['nope', '@acme/node-red-surf/nope']) {
      expect((await get(missing)).body).toEqual({ code: 'not_found', message: 'Not found' });
    }
    expect((await get('@acme/node-red-surf/..%2fpackage')).status).toBe(403);
    const reply = await other.post('/library/examples/flows/x', { json: [] });
    expect([reply.status, reply.body]).toEqual([
      400,
      { code: 'unexpected_error', message: 'Library examples is read-only' },
    ]);
  });
});

it('the library asks library.read and library.write', async () => {
  const password = bcrypt('surf', { cost: 4 });
  const users = [
    { username: 'reader', password, permissions: 'library.read' },
    { username: 'writer', password, permissions: 'library.write' },
  ];
  const settings = { uiHost: '127.0.0.1', adminAuth: { type: 'credentials', users } };
  await using guarded = await startServer({ settings, until: 'live' });
  const tokens = [
    undefined,
    await guarded.login('reader', 'surf', ''),
    await guarded.login('writer', 'surf', ''),
  ];
  const statuses = async (method: string, json?: unknown) => {
    const replies = tokens.map((token) =>
      guarded.request(method, '/library/local/flows/x/', {
        ...(token === undefined ? {} : { token }),
        ...(json === undefined ? {} : { json }),
      }),
    );
    return (await Promise.all(replies)).map((reply) => reply.status);
  };
  expect(await statuses('GET')).toEqual([401, 200, 401]);
  expect(await statuses('POST', [])).toEqual([401, 401, 204]);
});
