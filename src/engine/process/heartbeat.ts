import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EngineStats } from '../../link/protocol.ts';

/** What the figures are made of besides the process's own. */
export interface HeartbeatDeps {
  readonly intervalMs: number;
  /** What the flows say of themselves. */
  readonly figures: () => Pick<EngineStats, 'queued' | 'nodes'>;
  readonly uncaughtErrors: () => number;
  readonly send: (stats: EngineStats) => void;
}

/** How finely the event loop's delay is sampled, in milliseconds; every sample is late by about as much. */
const resolutionMs = 20;

/** Tells at intervals that the engine makes headway, with the figures of the moment. */
export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#delay.enable();
    this.#timer = setInterval(() => this.beat(), deps.intervalMs);
  }

  /** Sends the figures now. */
  beat(): void {
    this.#deps.send(this.stats());
    this.#delay.reset();
    this.#last = performance.now();
  }

  /** Sends the figures where the timer is late: for work that makes headway without a turn of the event loop. */
  keepUp(): void {
    if (performance.now() - this.#last > this.#deps.intervalMs) this.beat();
  }

  /** The figures since the last heartbeat. */
  stats(): EngineStats {
    const delay = this.#delay;
    const beyondSampling = (nanoseconds: number): number =>
      Number.isFinite(nanoseconds) ? Math.max(0, Math.round(nanoseconds / 1e5) / 10 - resolutionMs) : 0;
    return {
      pid: process.pid,
      version: process.version,
      memoryUsage: process.memoryUsage(),
      eventLoopDelay: {
        mean: beyondSampling(delay.mean),
        p99: beyondSampling(delay.percentile(99)),
        max: beyondSampling(delay.max),
      },
      uptime: process.uptime(),
      ...this.#deps.figures(),
      uncaughtErrors: this.#deps.uncaughtErrors(),
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
