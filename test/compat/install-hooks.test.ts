import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registers, writeModule } from '../support/node-module.ts';
import { startPeer } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';

// What a module's handlers of the hooks around npm are told, and what they can do, the same on both. The modules are
// folders of this machine: npm needs no registry for them.

/** Writes down what each handler is told, and does to each module what its name says. */
const watcher = `
  const fs = require('node:fs');
  const { join } = require('node:path');
  const { userDir } = RED.settings;
  const note = (hook, { dir, args, ...event }) =>
    fs.appendFileSync(join(userDir, 'told.jsonl'), JSON.stringify([hook, dir === userDir, args, event]) + '\\n');
  RED.hooks.add('preInstall.watcher', (event) => {
    note('preInstall', event);
    event.mark = 'left by ' + event.module;
    if (event.module === 'bundled') event.args.push('--save-bundle');
    if (event.module === 'refused') throw new Error('not here');
    if (event.module === 'halted') return false;
    if (event.module === 'brought') {
      const folder = join(userDir, 'node_modules', 'brought');
      fs.cpSync(join(userDir, '..', 'brought'), folder, { recursive: true });
      const file = join(userDir, 'package.json');
      const content = JSON.parse(fs.readFileSync(file, 'utf8'));
      content.dependencies.brought = 'file:../brought';
      fs.writeFileSync(file, JSON.stringify(content));
      return false;
    }
  });
  RED.hooks.add('postInstall.watcher', (event, done) => {
    note('postInstall', event);
    setImmediate(done, event.module === 'undone' ? new Error('take it back') : undefined);
  });
  RED.hooks.add('preUninstall.watcher', async (event) => {
    note('preUninstall', event);
    event.mark = 'left by ' + event.module;
    if (event.module === 'bundled') throw new Error('it stays');
  });
  RED.hooks.add('postUninstall.watcher', (event) => {
    note('postUninstall', event);
    throw new Error('too late to matter');
  });`;

const names = ['plain', 'bundled', 'refused', 'halted', 'brought', 'undone'] as const;

interface Side {
  readonly folder: string;
  readonly server: TestServer;
}

async function open(start: typeof startServer): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hooks-'));
  for (const name of names) writeModule(join(folder, name), { name, sets: { [name]: registers(name) } });
  const userDir = join(folder, 'user');
  writeModule(join(userDir, 'node_modules', 'watcher'), { name: 'watcher', sets: { watcher } });
  writeModule(userDir, { name: 'project', sets: {}, manifest: { dependencies: { watcher: '*' } } });
  return { folder, server: await start({ userDir, settings: { uiHost: '127.0.0.1' }, flows: [] }) };
}

let both: readonly Side[] = [];
beforeAll(async () => {
  both = [await open(startServer), await open(startPeer)];
});
afterAll(async () => {
  for (const { server, folder } of both) {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});

/** Does the same on both, and compares what was answered, told and left on disk. */
async function same(act: (side: Side) => Promise<{ status: number }>, look: (userDir: string) => unknown) {
  const seen: { status: number; told: unknown; left: unknown }[] = [];
  for (const side of both) {
    const told = join(side.server.userDir, 'told.jsonl');
    rmSync(told, { force: true });
    const { status } = await act(side);
    const lines = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [];
    const left = look(side.server.userDir);
    seen.push({ status, told: lines.map((line) => JSON.parse(line)), left });
  }
  const [ours, theirs] = seen;
  expect(ours).toEqual(theirs);
  return ours as (typeof seen)[number];
}

const install =
  (name: string) =>
  ({ server, folder }: Side) =>
    server.post('/nodes', { json: { module: join(folder, name) } });
const remove =
  (name: string) =>
  ({ server }: Side) =>
    server.delete(`/nodes/${name}`);
const isThere = (name: string) => (userDir: string) => existsSync(join(userDir, 'node_modules', name));
const bundle = (userDir: string): unknown => {
  const file = JSON.parse(readFileSync(join(userDir, 'package.json'), 'utf8'));
  return file.bundleDependencies ?? file.bundledDependencies;
};

describe('handlers around an installation', () => {
  it('are told of it before and after, and read what they left', async () => {
    const { status, told, left } = await same(install('plain'), isThere('plain'));
    expect([status, left]).toEqual([200, true]);
    expect(told).toMatchObject([
      ['preInstall', true, expect.arrayContaining(['--save']), { module: 'plain', isUpgrade: false }],
      ['postInstall', true, expect.arrayContaining(['--save']), { mark: 'left by plain' }],
    ]);
  });

  it('change the options of npm', async () => {
    expect(await same(install('bundled'), bundle)).toMatchObject({ status: 200, left: ['bundled'] });
  });

  it.each(['refused', 'halted', 'undone'])('keep a module from coming: %s', async (name) => {
    expect(await same(install(name), isThere(name))).toMatchObject({ status: 400, left: false });
  });

  it('put the module there themselves', async () => {
    expect(await same(install('brought'), isThere('brought'))).toMatchObject({ status: 200, left: true });
  });
});

describe('handlers around a removal', () => {
  it('are told of it, and can no longer prevent it afterwards', async () => {
    const { status, told, left } = await same(remove('plain'), isThere('plain'));
    expect([status, left]).toEqual([204, false]);
    expect(told).toMatchObject([
      ['preUninstall', true, expect.arrayContaining(['--save']), { module: 'plain' }],
      ['postUninstall', true, expect.arrayContaining(['--save']), { mark: 'left by plain' }],
    ]);
  });

  it('prevent it before', async () => {
    expect(await same(remove('bundled'), isThere('bundled'))).toMatchObject({ status: 400, left: true });
    // Where the removal failed, the peer has forgotten the module all the same.
    const [ours] = both;
    expect((await ours?.server.get('/nodes/bundled'))?.status).toBe(200);
  });
});
