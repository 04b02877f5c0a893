import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FaultyServer, route, startFaulty } from '../support/engine-faults.ts';
import { startServer } from '../support/server.ts';
import { SmallVolume } from '../support/small-volume.ts';

const volume = SmallVolume.mount();
afterAll(() => volume?.[Symbol.dispose]());

const contextStorage = `contextStorage: {
  default: { module: 'memory' },
  db: { module: 'sqlite' },
  file: { module: 'localfilesystem', config: { flushInterval: 1 } },
},`;

/** Sets a value in a store and answers with what is there then, or with the error. */
const setIn = (store: string) =>
  `try { global.set('v', { n: msg.payload.n, pad: 'x'.repeat(60000) }, '${store}') } catch (e) { msg.error = String(e) }
   msg.payload = { n: (global.get('v', '${store}') || {}).n, error: msg.error }; return msg;`;

const broker = (n: string) => ({
  id: 'b',
  type: 'mqtt-broker',
  name: n,
  broker: '127.0.0.1',
  port: '1',
  autoConnect: false,
});
const flows = [...route('db', setIn('db')), ...route('file', setIn('file')), broker('first')];
const large = [
  ...flows,
  ...Array.from({ length: 3000 }, (_, n) => ({ id: `c${n}`, type: 'comment', z: 'tab-db', x: 1, y: 1 })),
];
const withSecret = (items: readonly object[], password: string) =>
  items.map((item) =>
    'broker' in item ? { ...item, credentials: { user: password, password: password.repeat(3000) } } : item,
  );

/** What of the user directory an acknowledged change is kept in. */
const kept = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^\.?flows.*\.json|\.tmp$/.test(name) && !name.includes('backup'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

async function mustRefuse(faulty: FaultyServer, path: string, json: unknown): Promise<void> {
  const { status, body, text } = await faulty.server.post(path, { token: faulty.token, json });
  expect({ path, status, code: body?.code }).toEqual({ path, status: 500, code: 'storage.failed' });
  expect(text).not.toContain(faulty.server.userDir);
}

describe.skipIf(volume === undefined && !process.env['CI'])(
  'a disk that is full (needs the right to mount)',
  () => {
    it('refuses what cannot be kept, ends nothing, loses nothing; and all goes on when there is space', async () => {
      if (volume === undefined) throw new Error('no volume could be mounted');
      const userDir = volume.path;
      await using faulty = await startFaulty({ userDir, flows: [], settings: contextStorage });
      const { server, token } = faulty;
      await faulty.deploy(withSecret(flows, 'first'));
      const { pid } = await faulty.until('running');
      const ask = async (store: string, n: number) =>
        (await server.get(`/${store}?n=${n}`, { timeoutMs: 20_000 })).body;
      expect(await ask('db', 1)).toEqual({ n: '1' });
      expect(await ask('file', 1)).toEqual({ n: '1' });
      await server.waitFor(() => readdirSync(join(userDir, 'context')).length > 0, 'the context file');
      const before = kept(userDir);
      const stored = (await server.get('/flows', { token })).text;

      volume.fill();
      await mustRefuse(faulty, '/flows', large);
      await mustRefuse(faulty, '/flows', withSecret(flows, 'second'));
      await mustRefuse(faulty, '/flow', {
        label: 'new',
        nodes: large.slice(-100).map((item) => ({ ...item, id: `${(item as { id: string }).id}-2` })),
      });
      expect(kept(userDir)).toEqual(before);
      expect((await server.get('/flows', { token })).text).toBe(stored);
      // That is when somebody has to get in; and what is revoked is dead, though the disk does not take it.
      const late = await server.login('admin', 'engine-faults');
      const use = async () => (await server.get('/flows', { token: late })).status;
      expect(await use()).toBe(200);
      const revoked = await server.post('/auth/revoke', { token, json: { token: late } });
      expect([200, 500]).toContain(revoked.status);
      expect(await use()).toBe(401);
      const refused = await ask('db', 2);
      expect(refused.error).toMatch(/full/);
      expect(refused.n).toBe('1');
      // Kept in memory, written when it can be.
      expect(await ask('file', 2)).toEqual({ n: '2' });
      await server.waitFor(
        () => /Context global could not be written/.test(server.log()),
        'the log to say so',
      );
      expect((await server.get('/diagnostics', { token })).status).toBe(200);
      expect((await faulty.report()).pid).toBe(pid);

      volume.free();
      await faulty.deploy(withSecret(large, 'third'));
      expect(await ask('db', 3)).toEqual({ n: '3' });
      expect(await ask('file', 3)).toEqual({ n: '3' });
      await server.login('admin', 'engine-faults');
      const report = await faulty.report();
      expect([report.pid, report.restarts]).toEqual([pid, 0]);
      await server.stop();

      await using again = await startServer({ userDir, until: 'ready' });
      // The token of before the disk was full is still good.
      const authorised = { token };
      expect((await again.get('/flows', authorised)).body).toEqual(large);
      expect((await again.get('/credentials/mqtt-broker/b', authorised)).body.user).toBe('third');
      for (const store of ['db', 'file']) {
        const { body } = await again.get(`/context/global/v.n?store=${store}`, authorised);
        expect([store, body.msg]).toEqual([store, '3']);
      }
      expect(readdirSync(userDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  },
);
