import type { BlockedAt } from './blocked-at.ts';
import type { ExitReason } from './exit-reason.ts';

/** Up, and loading modules or starting flows. */
export interface Starting {
  readonly is: 'starting';
  readonly since: Date;
  /** 1 for the first start, 2 for the first restart after a crash, … */
  readonly attempt: number;
  readonly pid?: number;
}

/** Modules are loaded; the flows are where they were told to be. */
export interface Running {
  readonly is: 'running';
  readonly since: Date;
  readonly pid: number;
}

/** Modules are loaded; the flows were left alone, because they (or something) made the engine crash again and again. */
export interface Safe {
  readonly is: 'safe';
  readonly since: Date;
  readonly pid: number;
  readonly reason: string;
}

/** The process is there, but its event loop does not turn: something in it never ends. */
export interface Unresponsive {
  readonly is: 'unresponsive';
  readonly since: Date;
  readonly pid: number;
  /** What it goes back to when it is heard again. */
  readonly before: Starting | Running | Safe;
  /** Where it is, once that is known. */
  readonly blocked?: BlockedAt;
}

/** It ended without being asked to, and will be started again. */
export interface Crashed {
  readonly is: 'crashed';
  readonly since: Date;
  readonly exit: ExitReason;
  readonly retryAt: Date;
}

/** Nobody wants an engine: not yet started, or stopped for good. */
export interface Stopped {
  readonly is: 'stopped';
}

/** What the engine's process is up to. */
export type EngineState = Stopped | Starting | Running | Safe | Unresponsive | Crashed;

/** What can happen to it. */
export type EngineChange =
  | { readonly is: 'spawned'; readonly at: Date; readonly attempt: number; readonly pid?: number }
  /** `engine.start` was answered; `safe` says why the flows were left alone, where they were. */
  | { readonly is: 'ready'; readonly at: Date; readonly safe?: string }
  /** Somebody started the flows of an engine in safe mode. */
  | { readonly is: 'flows-started'; readonly at: Date }
  | { readonly is: 'silent'; readonly at: Date }
  | { readonly is: 'located'; readonly blocked: BlockedAt }
  | { readonly is: 'heard' }
  | { readonly is: 'exited'; readonly at: Date; readonly exit: ExitReason; readonly retryAt: Date }
  | { readonly is: 'stopped' };

/** The state after a change. A change that means nothing in a state (a late word of a dead process) leaves it as it is. */
export function stateAfter(state: EngineState, change: EngineChange): EngineState {
  switch (change.is) {
    case 'spawned': {
      const { at: since, attempt, pid } = change;
      return { is: 'starting', since, attempt, ...(pid === undefined ? {} : { pid }) };
    }
    case 'ready': {
      const pid = pidOf(state);
      // The answer may be the first that is heard after a silence.
      const before = state.is === 'unresponsive' ? state.before : state;
      if (before.is !== 'starting' || pid === undefined) return state;
      const since = change.at;
      return change.safe === undefined
        ? { is: 'running', since, pid }
        : { is: 'safe', since, pid, reason: change.safe };
    }
    case 'flows-started':
      return state.is === 'safe' ? { is: 'running', since: change.at, pid: state.pid } : state;
    case 'silent': {
      const pid = pidOf(state);
      if (pid === undefined) return state;
      if (state.is !== 'starting' && state.is !== 'running' && state.is !== 'safe') return state;
      return { is: 'unresponsive', since: change.at, pid, before: state };
    }
    case 'located':
      return state.is === 'unresponsive' ? { ...state, blocked: change.blocked } : state;
    case 'heard':
      return state.is === 'unresponsive' ? state.before : state;
    case 'exited':
      if (state.is === 'stopped') return state;
      return { is: 'crashed', since: change.at, exit: change.exit, retryAt: change.retryAt };
    case 'stopped':
      return { is: 'stopped' };
    default:
      return change satisfies never;
  }
}

/** The process id, where there is a process. */
export function pidOf(state: EngineState): number | undefined {
  switch (state.is) {
    case 'starting':
    case 'running':
    case 'safe':
    case 'unresponsive':
      return state.pid;
    case 'stopped':
    case 'crashed':
      return undefined;
    default:
      return state satisfies never;
  }
}
