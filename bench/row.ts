import type { Setup, System } from './systems.ts';

/** One figure that is measured in both systems. */
export interface Row {
  readonly name: string;
  readonly unit: 'per second' | 'ms' | 'MB' | 'requests';
  /** The ratio to the peer that is aimed at: at least (per second) or at most (ms, MB, requests). */
  readonly goal: number;
  /** Gives the figure, and where there is one the 99th percentile of the latency in ms. */
  measure(system: System): Promise<{ readonly value: number; readonly p99?: number }>;
}

/** Rows that share one started system. */
export interface Group {
  readonly name: string;
  readonly setup: Setup;
  readonly rows: readonly Row[];
}
