import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packModule, registers, uploadForm } from '../support/node-module.ts';
import { childrenOf, isRunning } from '../support/processes.ts';
import { type Reply, startServer, type TestServer, waitFor } from '../support/server.ts';

/** A user directory with one installed module, which every test works on. */
let userDir: string;
let before: object;

beforeAll(async () => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
  const server = await startServer({ userDir, until: 'live' });
  const reply = await upload(server, { name: 'kept', sets: { kept: registers('kept') } });
  expect(reply.status, reply.text).toBe(200);
  await server.stop();
  before = modulesOnDisk();
});
afterAll(() => rmSync(userDir, { recursive: true, force: true }));

async function upload(server: TestServer, fixture: Parameters<typeof packModule>[0]): Promise<Reply> {
  return server.post('/nodes', { body: uploadForm(await packModule(fixture)) });
}

/** Everything that an installation changes: every file of it with its content, every link with its target. */
function modulesOnDisk(): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (path: string) => {
    const full = join(userDir, path);
    const stats = lstatSync(full, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) found[path] = `-> ${readlinkSync(full)}`;
    else if (stats?.isDirectory()) for (const name of readdirSync(full)) add(join(path, name));
    else if (stats) found[path] = createHash('sha256').update(readFileSync(full)).digest('hex');
  };
  for (const path of ['package.json', 'package-lock.json', 'node_modules', 'nodes', '.config.nodes.json'])
    add(path);
  return found;
}

const journal = () => existsSync(join(userDir, '.sluice/install/journal.json'));

/** A module whose installation stops in a script until somebody ends it; the script says that it has got there. */
function stuck(name: string) {
  const script = `node-gyp-build; node -e "require('fs').writeFileSync('../../stuck-${name}', String(process.pid)); setInterval(() => {}, 1000)"`;
  return {
    fixture: { name, sets: { [name]: registers(name) }, manifest: { scripts: { install: script } } },
    /** Process id of the script, once it runs. */
    pid: async (): Promise<number> => {
      const file = join(userDir, `stuck-${name}`);
      const written = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined);
      const pid = await waitFor(written, 'the script');
      rmSync(file);
      return pid;
    },
  };
}

/** Starts again: the modules are as they were, they load, and they can be changed. */
async function expectAsBefore(): Promise<void> {
  await using server = await startServer({ userDir });
  expect(modulesOnDisk()).toEqual(before);
  expect(journal()).toBe(false);
  const kept = await server.get('/nodes/kept');
  expect(kept.body, server.log()).toMatchObject({ nodes: [{ types: ['kept'], loaded: true }] });
  const { body } = await server.get('/nodes', { headers: { accept: 'application/json' } });
  expect(body.filter((set: { module: string }) => set.module !== 'node-red')).toHaveLength(1);
}

const ended = (pid: number) => waitFor(() => !isRunning(pid), `the end of process ${pid}`, 10_000);

describe('kill -9 in the middle of an installation', () => {
  it('of the control plane, while an install script runs: nothing goes on, and the next start puts all back', async () => {
    await using server = await startServer({ userDir });
    const { fixture, pid } = stuck('first');
    const installing = upload(server, fixture).catch(() => {});
    const script = await pid();
    expect(journal()).toBe(true);
    expect(modulesOnDisk()).not.toEqual(before);
    await server.kill('SIGKILL');
    await installing;
    await ended(script);
    await expectAsBefore();
  });

  it('of the control plane and everything below it at once', async () => {
    await using server = await startServer({ userDir });
    const { fixture, pid } = stuck('second');
    const installing = upload(server, fixture).catch(() => {});
    const script = await pid();
    const runner = childrenOf(server.pid).find(({ command }) => command.includes('npm-runner'));
    if (!runner) throw new Error('no npm runner');
    process.kill(server.pid, 'SIGSTOP');
    process.kill(-runner.pid, 'SIGKILL');
    await server.kill('SIGKILL');
    await installing;
    await ended(script);
    await expectAsBefore();
  });

  it('of the control plane, then of nothing: npm that was left behind is ended by the next start', async () => {
    await using server = await startServer({ userDir });
    const { fixture, pid } = stuck('third');
    const installing = upload(server, fixture).catch(() => {});
    const script = await pid();
    const runner = childrenOf(server.pid).find(({ command }) => command.includes('npm-runner'));
    if (!runner) throw new Error('no npm runner');
    // Stopped, it can't end its group when its parent disappears.
    process.kill(runner.pid, 'SIGSTOP');
    await server.kill('SIGKILL');
    await installing;
    expect(isRunning(script)).toBe(true);
    await expectAsBefore();
    await ended(script);
    await ended(runner.pid);
  });

  it('of npm alone, or of its runner alone: 400, and all is put back at once', async () => {
    await using server = await startServer({ userDir });
    for (const victim of ['npm', 'runner'] as const) {
      const { fixture, pid } = stuck(victim);
      const installing = upload(server, fixture);
      const script = await pid();
      const runner = childrenOf(server.pid).find(({ command }) => command.includes('npm-runner'));
      const npm = runner && childrenOf(runner.pid)[0];
      if (!runner || !npm) throw new Error('no npm');
      process.kill(victim === 'npm' ? npm.pid : runner.pid, 'SIGKILL');
      if (victim === 'npm') process.kill(script, 'SIGKILL');
      const reply = await installing;
      expect([reply.status, reply.body.code], victim).toEqual([400, 'install_failed']);
      await ended(script);
      expect(modulesOnDisk()).toEqual(before);
    }
    const reply = await upload(server, { name: 'after', sets: { after: registers('after') } });
    expect(reply.body, reply.text).toMatchObject({ nodes: [{ loaded: true }] });
    expect((await server.delete('/nodes/after')).status).toBe(204);
    before = modulesOnDisk();
  });

  it('an end by SIGTERM puts all back before it', async () => {
    await using server = await startServer({ userDir });
    const { fixture, pid } = stuck('polite');
    const installing = upload(server, fixture).catch(() => {});
    const script = await pid();
    await server.stop();
    await installing;
    await ended(script);
    expect(modulesOnDisk()).toEqual(before);
    expect(journal()).toBe(false);
  });

  it('at any moment leaves the old state or the new', { timeout: 180_000 }, async () => {
    const name = 'anytime';
    const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`lib/${n}.js`, `// ${n}`]));
    const fixture = { name, sets: { [name]: registers(name) }, files };
    const seen = { old: 0, new: 0 };
    for (const delay of [20, 60, 120, 200, 280, 360, 450, 600]) {
      // With an engine that can be asked for its hooks, npm begins at once.
      await using server = await startServer({ userDir });
      const installing = upload(server, fixture).catch(() => {});
      await sleep(delay);
      await server.kill('SIGKILL');
      await installing;
      await using again = await startServer({ userDir, until: 'live' });
      expect(journal()).toBe(false);
      const present = (await again.get(`/nodes/${name}`)).status === 200;
      seen[present ? 'new' : 'old'] += 1;
      const disk = modulesOnDisk();
      if (present) {
        expect(Object.keys(disk).filter((path) => path.startsWith(`node_modules/${name}/lib/`))).toHaveLength(
          200,
        );
        expect(readFileSync(join(userDir, 'package.json'), 'utf8')).toContain(name);
        expect((await again.delete(`/nodes/${name}`)).status).toBe(204);
        before = modulesOnDisk();
      } else expect(disk).toEqual(before);
    }
    // Some of these moments were in the middle.
    expect(seen.old).toBeGreaterThan(0);
  });
});
