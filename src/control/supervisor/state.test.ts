import { describe, expect, it } from 'vitest';
import { type EngineChange, type EngineState, pidOf, stateAfter } from './state.ts';

const at = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-01T00:01:00Z');
const stopped: EngineState = { is: 'stopped' };
const starting: EngineState = { is: 'starting', since: at, attempt: 1, pid: 7 };
const running: EngineState = { is: 'running', since: at, pid: 7 };
const safe: EngineState = { is: 'safe', since: at, pid: 7, reason: 'crashes' };
const exit = { is: 'signal', signal: 'SIGKILL' } as const;
const crashed: EngineState = { is: 'crashed', since: at, exit, retryAt: later };
const silent = (before: typeof starting | typeof running | typeof safe): EngineState => ({
  is: 'unresponsive',
  since: at,
  pid: 7,
  before,
});
const all = [stopped, starting, running, safe, crashed, silent(running), silent(starting)];

function through(state: EngineState, ...changes: readonly EngineChange[]): EngineState {
  return changes.reduce(stateAfter, state);
}

describe('the state of the engine', () => {
  it('goes from a start to running, or to safe with its reason', () => {
    const spawned = stateAfter(stopped, { is: 'spawned', at, attempt: 1, pid: 7 });
    expect(spawned).toEqual(starting);
    expect(stateAfter(spawned, { is: 'ready', at })).toEqual(running);
    expect(stateAfter(spawned, { is: 'ready', at, safe: 'crashes' })).toEqual(safe);
  });

  it('is running when a silent start is answered after all', () => {
    expect(stateAfter(silent(starting), { is: 'ready', at })).toEqual(running);
    const quiet = silent(running);
    expect(stateAfter(quiet, { is: 'ready', at })).toBe(quiet);
  });

  it('leaves safe mode when flows are started, and only then', () => {
    expect(stateAfter(safe, { is: 'flows-started', at: later })).toEqual({
      is: 'running',
      since: later,
      pid: 7,
    });
    for (const state of all.filter(({ is }) => is !== 'safe')) {
      expect(stateAfter(state, { is: 'flows-started', at: later })).toBe(state);
    }
  });

  it.each([starting, running, safe])('comes back from silence to what it was: %o', (state) => {
    const quiet = stateAfter(state, { is: 'silent', at });
    expect(quiet).toEqual(silent(state as typeof running));
    expect(stateAfter(quiet, { is: 'silent', at: later })).toBe(quiet);
    expect(stateAfter(quiet, { is: 'heard' })).toBe(state);
  });

  it('tells where it is as long as it is silent, and not before or after', () => {
    const blocked = { stack: ['at sea'] };
    const located = stateAfter(silent(running), { is: 'located', blocked });
    expect(located).toEqual({ ...silent(running), blocked });
    expect(stateAfter(located, { is: 'heard' })).toBe(running);
    expect(stateAfter(running, { is: 'located', blocked })).toBe(running);
  });

  it('is no longer silent, but dead, once the process has ended', () => {
    expect(through(silent(running), { is: 'exited', at, exit, retryAt: later })).toEqual(crashed);
    expect(through(crashed, { is: 'heard' }, { is: 'silent', at }, { is: 'ready', at })).toBe(crashed);
  });

  it('stays stopped, whatever a process that was given up still does', () => {
    const changes: readonly EngineChange[] = [
      { is: 'ready', at },
      { is: 'silent', at },
      { is: 'heard' },
      { is: 'flows-started', at },
      { is: 'exited', at, exit, retryAt: later },
    ];
    expect(through(stopped, ...changes)).toBe(stopped);
    for (const state of all) expect(stateAfter(state, { is: 'stopped' })).toEqual(stopped);
  });

  it('has a process id as long as there is a process', () => {
    expect(all.map(pidOf)).toEqual([undefined, 7, 7, 7, undefined, 7, 7]);
  });
});
