import type { EngineStats } from '../../link/protocol.ts';
import type { BlockedAt } from './blocked-at.ts';
import { describeExit, type ExitReason } from './exit-reason.ts';
import { type EngineState, pidOf } from './state.ts';

/** The engine's part of `GET /diagnostics?scope=full`. */
export interface EngineReport {
  readonly state: EngineState['is'];
  /** ISO 8601. */
  readonly since?: string;
  readonly pid?: number;
  /** Id of the node set that is being loaded. */
  readonly loading?: string;
  /** Why the flows were left alone (safe mode). */
  readonly safe?: string;
  /** Where it is while it does not respond, where that is known. */
  readonly blocked?: Omit<BlockedAt, 'stack'> & { readonly stack: string[] };
  /** When it is started again (after a crash), ISO 8601. */
  readonly retryAt?: string;
  /** Restarts after crashes, since the control plane started. */
  readonly restarts: number;
  readonly lastExit?: { readonly at: string; readonly reason: string };
  /** The figures of the last heartbeat. */
  readonly stats?: Omit<EngineStats, 'pid'>;
}

/** What a report is made of. */
export interface ReportSource {
  readonly state: EngineState;
  readonly loading: string | undefined;
  readonly restarts: number;
  readonly lastExit: { readonly exit: ExitReason; readonly at: Date } | undefined;
  readonly stats: EngineStats | undefined;
}

/** Writes the report. */
export function engineReport({ state, loading, restarts, lastExit, stats }: ReportSource): EngineReport {
  const pid = pidOf(state);
  const { pid: _, ...figures } = stats ?? { pid: 0 };
  return {
    state: state.is,
    ...(state.is === 'stopped' ? {} : { since: state.since.toISOString() }),
    ...(pid === undefined ? {} : { pid }),
    ...(loading === undefined ? {} : { loading }),
    ...(state.is === 'safe' ? { safe: state.reason } : {}),
    ...(state.is === 'unresponsive' && state.blocked
      ? { blocked: { ...state.blocked, stack: [...state.blocked.stack] } }
      : {}),
    ...(state.is === 'crashed' ? { retryAt: state.retryAt.toISOString() } : {}),
    restarts,
    ...(lastExit
      ? { lastExit: { at: lastExit.at.toISOString(), reason: `It ${describeExit(lastExit.exit)}` } }
      : {}),
    ...(stats ? { stats: figures as Omit<EngineStats, 'pid'> } : {}),
  };
}
