import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DiagnosticsReport } from '../../contract/diagnostics.ts';
import type { FlowState } from '../../contract/flows.ts';
import { type HostConstants, readHost, readLoad } from './host.ts';

/** Between two samples of the event loop's delay. */
const sampleMs = 50;

/** What a report is made from. */
export interface ReportDeps {
  /** Of this program. */
  readonly version: string;
  /** `runtime.settings`; does not change. */
  readonly settings: DiagnosticsReport['runtime']['settings'];
  /** Version of every installed node module, by name. */
  modules(): { readonly [name: string]: string };
  flows(): { readonly state: FlowState; readonly started: boolean };
  /** Whether the engine has been started. */
  isStarted(): boolean;
  /** The engine's process. */
  engine(): NonNullable<DiagnosticsReport['engine']>;
}

/**
 * Writes the diagnostics report (specification, Diagnostics report; decisions 23 and 24).
 * @remarks What does not change is read once, when the first report is asked for.
 */
export class Reporter {
  readonly #deps: ReportDeps;
  readonly #delay = monitorEventLoopDelay({ resolution: sampleMs });
  #host: HostConstants | undefined;

  constructor(deps: ReportDeps) {
    this.#deps = deps;
    this.#delay.enable();
  }

  /** Exactly the specified fields. */
  basic(): DiagnosticsReport {
    this.#host ??= readHost();
    const { intl, nodejs, os } = this.#host;
    const { memoryUsage, ...load } = readLoad();
    const { version, settings, modules, flows, isStarted } = this.#deps;
    const now = new Date();
    return {
      report: 'diagnostics',
      scope: 'basic',
      time: { utc: now.toUTCString(), local: now.toLocaleString() },
      intl,
      nodejs: { ...nodejs, memoryUsage },
      os: { ...os, ...load },
      runtime: { version, isStarted: isStarted(), flows: flows(), modules: modules(), settings },
    };
  }

  /** The specified fields, this process and the engine's. */
  full(): DiagnosticsReport {
    return {
      ...this.basic(),
      scope: 'full',
      controlPlane: {
        pid: process.pid,
        uptime: process.uptime(),
        eventLoopDelay: {
          mean: lateness(this.#delay.mean),
          p99: lateness(this.#delay.percentile(99)),
          max: lateness(this.#delay.max),
        },
      },
      engine: this.#deps.engine(),
    };
  }

  close(): void {
    this.#delay.disable();
  }
}

/** What a sample, in nanoseconds, came too late: in milliseconds, to the microsecond. 0 before there is one. */
function lateness(nanoseconds: number): number {
  if (!Number.isFinite(nanoseconds)) return 0;
  return Math.max(0, Math.round(nanoseconds / 1000 - sampleMs * 1000)) / 1000;
}
