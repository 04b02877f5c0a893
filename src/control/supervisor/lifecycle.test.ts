import { describe, expect, it } from 'vitest';
import { Listeners } from '../../link/listeners.ts';
import { silentLogger } from '../../logging/logger.ts';
import { Lifecycle } from './lifecycle.ts';
import type { EngineState } from './state.ts';

const at = new Date(0);
const exit = { is: 'ended', why: 'it was told to' } as const;

function open() {
  const listeners = new Listeners<{ state: EngineState }>(silentLogger);
  const told: string[] = [];
  listeners.on('state', ({ is }) => told.push(is));
  return { lifecycle: new Lifecycle(listeners), told };
}

describe('the life of an engine', () => {
  it('is waited for through crashes until it is ready, and called no longer than it may answer', async () => {
    const { lifecycle, told } = open();
    lifecycle.become({ is: 'spawned', at, attempt: 1, pid: 1 });
    const ready = lifecycle.ready();
    const refused = expect(lifecycle.answers()).rejects.toMatchObject({ code: 'engine.gone' });
    lifecycle.become({ is: 'exited', at, exit, retryAt: at });
    await refused;
    lifecycle.become({ is: 'spawned', at, attempt: 2, pid: 2 });
    lifecycle.become({ is: 'ready', at });
    await ready;
    await lifecycle.answers();
    expect(told).toEqual(['starting', 'crashed', 'starting', 'running']);
    lifecycle.become({ is: 'silent', at });
    await expect(lifecycle.answers()).rejects.toMatchObject({ code: 'engine.unresponsive' });
  });

  it('tells of no change that changed nothing, and ends the wait when it is over for good', async () => {
    const { lifecycle, told } = open();
    lifecycle.become({ is: 'heard' });
    expect(told).toEqual([]);
    await expect(lifecycle.ready()).rejects.toMatchObject({ code: 'engine.gone' });
    lifecycle.become({ is: 'spawned', at, attempt: 1 });
    const reason = new Error('enough');
    await expect(lifecycle.ready(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
