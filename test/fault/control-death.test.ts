import { describe, it } from 'vitest';
import { hello, route, startFaulty } from '../support/engine-faults.ts';
import { isRunning } from '../support/processes.ts';
import { waitFor } from '../support/server.ts';

describe('when the control plane is killed', () => {
  it('the engine ends', async () => {
    await using faulty = await startFaulty({ flows: hello });
    await faulty.until('running');
    const engine = await faulty.server.enginePid();
    await faulty.answered();
    await faulty.server.kill('SIGKILL');
    await waitFor(() => !isRunning(engine), 'the end of the engine', 10_000);
  });

  it('the engine ends also when it is blocked', async () => {
    await using faulty = await startFaulty({ flows: route('block', 'for (;;);') });
    await faulty.until('running');
    const engine = await faulty.server.enginePid();
    void faulty.server.get('/block').catch(() => {});
    await faulty.until('unresponsive');
    await faulty.answered();
    await faulty.server.kill('SIGKILL');
    await waitFor(() => !isRunning(engine), 'the end of the engine', 10_000);
  });

  it('the engine ends also when it is blocked while it loads', async () => {
    await using faulty = await startFaulty({
      engine: { loadTimeoutMs: 60_000 },
      // The control plane loads the settings too, and is not to be blocked.
      settings: '...(/engine.main/.test(process.argv[1]) && (() => { for (;;); })()),',
    });
    const engine = await faulty.server.enginePid();
    await faulty.answered();
    await faulty.server.kill('SIGKILL');
    await waitFor(() => !isRunning(engine), 'the end of the engine', 10_000);
  });
});
