import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hello, startFaulty } from '../support/engine-faults.ts';
import { childrenOf, isRunning } from '../support/processes.ts';
import { waitFor } from '../support/server.ts';

const parent = fileURLToPath(new URL('../fixtures/guard/parent.ts', import.meta.url));

describe('an engine in an endless loop ends with the control plane', () => {
  it.each(['shell', 'thread'])('by its guard, a %s', async (guard) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-guard-'));
    const settings = join(folder, 'settings.js');
    const reached = join(folder, 'reached');
    writeFileSync(
      settings,
      `require('fs').writeFileSync(${JSON.stringify(reached)}, ''); for (;;);\nmodule.exports = {};`,
    );
    const control = spawn(process.execPath, [parent, guard, folder, settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(control.stdout, 'data');
    const engine = Number(line);
    try {
      await waitFor(() => existsSync(reached), 'the endless loop');
      control.kill('SIGKILL');
      await waitFor(() => !isRunning(engine), 'the end of the engine', 10_000);
    } finally {
      control.kill('SIGKILL');
      if (isRunning(engine)) process.kill(engine, 'SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });
});

describe.skipIf(process.platform === 'win32')('the shell beside an engine', () => {
  it('ends with it, however it ends, and with the server', async () => {
    await using faulty = await startFaulty({ flows: hello });
    const { server } = faulty;
    await faulty.until('running');
    const first = await server.enginePid();
    const [beside] = childrenOf(first);
    expect(beside?.command).toContain('/bin/sh');
    process.kill(first, 'SIGKILL');
    await waitFor(() => !isRunning(beside?.pid as number), 'the end of the first shell');
    await faulty.afterRestart();
    const second = await server.enginePid(first);
    const [last] = childrenOf(second);
    await faulty.answered();
    await server.stop();
    await waitFor(() => !isRunning(last?.pid as number), 'the end of the second shell');
  });
});
