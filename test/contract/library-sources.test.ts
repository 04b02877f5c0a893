// Libraries that plugins bring (`node-red-library-source`) and the settings file configures.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeModule } from '../support/node-module.ts';
import { startServer, type TestServer } from '../support/server.ts';

const plugin = `
  class Shelf {
    constructor(config) { this.config = config; this.entries = new Map([['flows/one.json', '[{"id":"x"}]']]); }
    async init() { if (this.config.broken) throw new Error('no shelf at /secret/place'); }
    async getEntry(type, path) {
      const key = type + '/' + path;
      if (path === 'fails') throw new Error('no such file /secret/place');
      if (this.entries.has(key)) return this.entries.get(key);
      if (path === '' || path.endsWith('/')) return ['folder', { fn: 'one.json', owner: this.config.owner }];
      throw Object.assign(new Error('gone'), { code: 'not_found' });
    }
    async saveEntry(type, path, meta, body) { this.entries.set(type + '/' + path, (type === 'flows' ? '' : JSON.stringify(meta)) + body); }
  }
  class Print extends Shelf {}
  Print.prototype.saveEntry = undefined;
  module.exports = (RED) => {
    RED.plugins.registerPlugin('shelf', { type: 'node-red-library-source', class: Shelf });
    RED.plugins.registerPlugin('print', { type: 'node-red-library-source', class: Print });
  };`;

const sources = [
  { id: 'team', type: 'shelf', label: 'Team shelf', icon: 'fa-book', owner: 'us', password: 'of the shelf' },
  { id: 'printed', type: 'print' },
  { id: 'broken', type: 'shelf', broken: true },
  { id: 'Not Valid', type: 'shelf' },
  { id: 'nobodys', type: 'no-such-plugin' },
];

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), 'sluice-shelf-'));
beforeAll(async () => {
  server = await startServer({
    settings: { diagnostics: { enabled: true }, editorTheme: { library: { sources } } },
  });
  const module = writeModule(folder, {
    name: 'shelves',
    sets: {},
    manifest: { 'node-red': { plugins: { shelf: 'shelf.js' } } },
    files: { 'shelf.js': plugin },
  });
  const reply = await server.post('/nodes', { json: { module } });
  expect(reply.status, reply.text).toBe(200);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it('are listed beside ours; those that fail are left out, and nothing of their configuration is told', async () => {
  const reply = await server.get('/settings');
  expect(reply.body.libraries.slice(2)).toEqual([
    { id: 'team', label: 'Team shelf', user: false, icon: 'fa-book', type: 'shelf' },
    { id: 'printed', label: 'printed', user: false, readOnly: true, type: 'print' },
  ]);
  expect(reply.text + (await server.get('/diagnostics')).text).not.toContain('of the shelf');
  expect(server.log()).toMatch(/The library broken could not be opened/);
  expect(server.log()).toMatch(/The library Not Valid could not be opened/);
});

it('are read and written', async () => {
  expect((await server.get('/library/team/flows/one.json')).body).toEqual([{ id: 'x' }]);
  expect((await server.get('/library/team/flows/')).body).toEqual([
    'folder',
    { fn: 'one.json', owner: 'us' },
  ]);
  const json = { text: 'return 1;', outputs: '2' };
  expect((await server.post('/library/team/functions/f.js', { json })).status).toBe(204);
  const stored = await server.get('/library/team/functions/f.js');
  expect([stored.text, stored.headers.get('content-type')]).toEqual([
    '{"outputs":"2"}return 1;',
    'text/plain',
  ]);
  expect((await server.post('/library/team/flows/two', { json: [{ id: 'y' }] })).status).toBe(204);
  expect((await server.get('/library/team/flows/two')).text).toBe('[{"id":"y"}]');
});

it('refuse in our words', async () => {
  const replies = [
    await server.get('/library/team/flows/none'),
    await server.get('/library/team/flows/fails'),
    await server.get('/library/team/no-such-type/x'),
    await server.get('/library/broken/flows/'),
    await server.post('/library/printed/flows/x', { json: [] }),
  ];
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
    [404, 'not_found'],
    [400, 'unexpected_error'],
    [400, 'unexpected_error'],
    [400, 'unexpected_error'],
    [400, 'unexpected_error'],
  ]);
  for (const { text } of replies) expect(text).not.toContain('secret');
});

it('are there again after a restart of the engine, and ours are there without it', async () => {
  const engine = await server.enginePid();
  process.kill(engine, 'SIGKILL');
  expect((await server.get('/library/local/flows/')).status).toBe(200);
  await server.enginePid(engine);
  await server.waitFor(
    async () => (await server.get('/library/team/flows/one.json')).status === 200,
    'the shelf',
  );
});
