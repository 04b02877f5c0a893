import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort, waitFor } from '../support/server.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const long = 'x'.repeat(200_000);

/** Each deploy makes the control plane (credentials that no type declares) and the engine (a function) log a long line. */
const flows = (n: number) => [
  { id: 'tab', type: 'tab', label: `deploy ${n}` },
  { id: 'talks', type: 'function', z: 'tab', initialize: `node.warn('x'.repeat(200000));`, wires: [[]] },
  { id: 'odd', type: 'comment', z: 'tab', name: long, credentials: { none: 'x' } },
  { id: 'long', type: `odd-${long}`, d: true, z: 'tab', credentials: { none: 'x' } },
];

it('a log that nobody reads stops neither plane, and what was left out is said later', async () => {
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-unread-'));
  writeFileSync(join(userDir, 'settings.js'), 'module.exports = {};');
  const port = await freePort();
  const server = spawn(process.execPath, [command, '-u', userDir, '-p', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  const status = async (path: string, init?: RequestInit) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(20_000) })).status;
  const deploy = (n: number) =>
    status('/flows', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(flows(n)),
    });
  try {
    await waitFor(async () => (await status('/health/ready')) === 200, 'the server is ready');
    for (let n = 0; n < 12; n++) {
      expect(await deploy(n)).toBe(204);
      expect(await status('/health/live')).toBe(200);
    }
    let log = '';
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await waitFor(async () => {
      await deploy(100);
      return /\d+ lines of the log were left out/.test(log);
    }, 'the log says that lines were left out');
    expect(await status('/health/live')).toBe(200);
  } finally {
    server.kill('SIGTERM');
    server.stdout.resume();
    server.stderr.resume();
    await ended;
    rmSync(userDir, { recursive: true, force: true });
  }
});
