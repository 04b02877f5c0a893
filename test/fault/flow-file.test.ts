import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { countCalls, endpoint, node, tab } from '../support/flow-snippets.ts';
import { startServer, waitFor } from '../support/server.ts';

const settings = { uiHost: '127.0.0.1', flowFilePretty: true, credentialSecret: 'a secret' };
const alive = [tab('t1'), ...endpoint('f', 't1', '/alive', countCalls)];

/** Flows whose every item carries the number, so that a mixture of two would show. */
const numbered = (n: number) => [
  tab('t1', { label: `${n}` }),
  ...Array.from({ length: 400 }, (_, i) => node(`n${i}`, 'junction', 't1', [], { name: `${n}` })),
  { id: 'b1', type: 'mqtt-broker', name: `${n}`, broker: '127.0.0.1', port: '1', autoConnect: false },
];

describe('kill -9 of the control plane while it deploys', () => {
  it('leaves the flows of the last acknowledged deploy, or of the one on its way', async () => {
    let userDir: string | undefined;
    let acknowledged = 0;
    let sent = 0;
    const first = await startServer({ settings });
    try {
      userDir = first.userDir;
      for (let round = 0; round < 6; round++) {
        const server = round === 0 ? first : await startServer({ userDir });
        const deploying = (async () => {
          for (;;) {
            sent += 1;
            const json = numbered(sent).map((item) =>
              item.id === 'b1' ? { ...item, credentials: { user: `${sent}`, password: 'p' } } : item,
            );
            const reply = await server.post('/flows', { json });
            expect(reply.status).toBe(204);
            acknowledged = sent;
          }
        })();
        const ended = deploying.catch((error: unknown) => error);
        const before = acknowledged;
        await waitFor(() => acknowledged > before, 'a deploy that is acknowledged');
        await sleep(round * 37);
        await server.kill('SIGKILL');
        expect(await ended).toBeInstanceOf(TypeError); // The connection was lost.
        await server.stop();

        const flows = JSON.parse(await readFile(join(userDir, 'flows.json'), 'utf8'));
        const n = Number(flows[0].label);
        expect([acknowledged, acknowledged + 1]).toContain(n);
        expect(flows).toEqual(numbered(n));
        sent = Math.max(sent, n);
        await using again = await startServer({ userDir, until: 'live' });
        expect((await again.get('/flows')).body).toEqual(flows);
        const { user } = (await again.get('/credentials/mqtt-broker/b1')).body;
        expect([n, n + 1].map(String)).toContain(user ?? `${n}`);
        expect((await readdir(userDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      }
      expect(acknowledged).toBeGreaterThan(0);
    } finally {
      await first[Symbol.asyncDispose]();
    }
  });
});

describe('a flow file that cannot be used', () => {
  it.each([
    ['broken', '[\n    {"id": "a", "type": "tab"},\n    {"id": "b" "type": "tab"}\n]', 'line 3, column 16'],
    ['cut short', '[{"id": "a", "type": "ta', 'line 1, column 25: unexpected end'],
    ['of another shape', '{"flows": []}', 'the flows must be an array'],
    ['with an item without type', '[{"id": "a"}]', 'item 0 (id "a"): type'],
  ])(
    '(%s) is reported with its place, left as it is, and kept by the next deploy',
    async (_, content, words) => {
      const first = await startServer({ settings, until: 'spawned' });
      await first.stop();
      await using server = await (async () => {
        await writeFile(join(first.userDir, 'flows.json'), content);
        return startServer({ userDir: first.userDir });
      })();
      expect(server.log()).toContain(words);
      expect((await server.get('/flows')).body).toEqual([]);
      expect(await readFile(join(server.userDir, 'flows.json'), 'utf8')).toBe(content);
      await server.deploy(alive);
      expect((await server.get('/alive')).text).toBe('1');
      const copies = (await readdir(server.userDir)).filter((name) => name.startsWith('flows.json.broken-'));
      expect(copies).toHaveLength(1);
      expect(await readFile(join(server.userDir, copies[0] ?? ''), 'utf8')).toBe(content);
      await first[Symbol.asyncDispose]();
    },
  );

  it('that is empty is restored from its backup', async () => {
    await using server = await startServer({ settings });
    await server.deploy(alive);
    await server.deploy([]);
    await server.stop();
    await writeFile(join(server.userDir, 'flows.json'), '');
    await using again = await startServer({ userDir: server.userDir });
    expect((await again.get('/flows')).body).toEqual(alive);
    expect((await again.get('/alive')).text).toBe('1');
  });
});

describe('flows that cannot be written', () => {
  it('are not deployed, and what runs goes on running', async () => {
    await using server = await startServer({ settings: { ...settings, flowFile: 'sub/flows.json' } });
    await server.deploy(alive);
    expect((await server.get('/alive')).text).toBe('1');
    await blockWriting(join(server.userDir, 'sub'));
    const reply = await server.post('/flows', { json: [] });
    expect([reply.status, reply.body.code]).toEqual([500, 'storage.failed']);
    expect(reply.text).not.toContain(server.userDir);
    expect((await server.get('/flows')).body).toEqual(alive);
    expect((await server.get('/alive')).text).toBe('2');
  });

  it('are run but not stored where the setting readOnly says so', async () => {
    await using server = await startServer({ settings: { ...settings, readOnly: true }, flows: alive });
    const before = await readFile(join(server.userDir, 'flows.json'), 'utf8');
    const files = await readdir(server.userDir);
    await server.deploy([tab('t1'), ...endpoint('f', 't1', '/other', countCalls)]);
    expect([(await server.get('/other')).text, (await server.get('/alive')).status]).toEqual(['1', 404]);
    expect(await readFile(join(server.userDir, 'flows.json'), 'utf8')).toBe(before);
    expect(await readdir(server.userDir)).toEqual(files);
  });
});

/** Puts a folder in the place of the flow file: permissions would mean nothing to root. */
async function blockWriting(folder: string): Promise<void> {
  const file = join(folder, 'flows.json');
  await rm(file);
  await mkdir(join(file, 'in the way'), { recursive: true });
}
