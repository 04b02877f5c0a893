import { AppError } from '../../contract/errors.ts';
import {
  type ControlCalls,
  type EngineCalls,
  type EngineEvents,
  type EngineStart,
  type EngineStats,
  type Handlers,
  protocolVersion,
} from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import type { NodeModule } from '../../modules/node-module.ts';
import type { Settings } from '../../settings/settings.ts';
import type { SettingsSource } from '../../settings/source.ts';
import type { BlockedAt } from './blocked-at.ts';
import { culpritOf } from './culprit.ts';
import { EngineProcess } from './engine-process.ts';
import type { EngineAddress } from './engine-socket.ts';
import type { ExitReason } from './exit-reason.ts';
import { Silence } from './silence.ts';

/** What the engine is handed at its start by those who own it. */
export type StartPayload = Pick<
  EngineStart,
  'modules' | 'flows' | 'rev' | 'credentials' | 'state' | 'runtimeSettings' | 'userSettings'
>;

/** What one run of an engine needs. */
export interface RunDeps {
  readonly engine: Settings['engine'];
  readonly source: SettingsSource;
  readonly log: Logger;
  readonly handlers: Handlers<ControlCalls>;
  readonly startPayload: () => Promise<StartPayload>;
  readonly address: EngineAddress;
  /** Why the flows are to be left alone, where they are. */
  readonly safe: string | undefined;
}

/** Who is told of the run. */
export interface RunWatcher {
  event<E extends keyof EngineEvents>(event: E, data: EngineEvents[E]): void;
  /** Told again and again while nothing is heard. */
  silent(silentMs: number): void;
  /** Told where it is, after {@link EngineRun.locate}. */
  located(at: BlockedAt): void;
  ready(answer: EngineCalls['engine.start']['gives']): void;
  /** `culprit` is the node set that the process died of, where no flow can have been the cause. */
  exited(exit: ExitReason, culprit: string | undefined): void;
}

const engineEvents = [
  'hello',
  'heartbeat',
  'set.loading',
  'set.status',
  'flows.status',
  'exiting',
  'comms',
] as const satisfies readonly (keyof EngineEvents)[];

/** How long all sets and flows together may take to start while the engine is heard. */
const startTimeoutMs = 15 * 60_000;

/** One life of an engine: its process, what it was handed, what it does. */
export class EngineRun {
  readonly process: EngineProcess;
  readonly address: EngineAddress;
  readonly #deps: RunDeps;
  readonly #silence: Silence;
  #watcher: RunWatcher | undefined;
  #loading: string | undefined;
  #booted = false;
  #stats: EngineStats | undefined;
  #modules: readonly NodeModule[] = [];
  /** Where `process.exit` was called from, when it was. */
  #exitCallers: readonly string[] = [];

  constructor(deps: RunDeps, watcher: RunWatcher) {
    const { engine } = deps;
    this.#deps = deps;
    this.#watcher = watcher;
    this.address = deps.address;
    const { memoryLimitMb } = engine;
    this.process = new EngineProcess({
      boot: { settings: deps.source, heartbeatIntervalMs: engine.heartbeatIntervalMs },
      execArgv: engine.execArgv,
      ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
      handlers: deps.handlers,
      callTimeoutMs: engine.callTimeoutMs,
      onLocated: (at) => this.#watcher?.located(at),
      log: deps.log,
    });
    const tickMs = Math.min(engine.heartbeatIntervalMs, engine.unresponsiveAfterMs / 2);
    this.#silence = new Silence(tickMs, (silentMs) => this.#watcher?.silent(silentMs));
    this.#listen();
    void this.process.exited.then((exit) => {
      this.#silence.close();
      this.process.link.close();
      const [calledAt] = this.#exitCallers;
      const named: ExitReason = exit.is === 'exit' && calledAt !== undefined ? { ...exit, calledAt } : exit;
      this.#watcher?.exited(named, this.#culprit());
    });
    void this.#hand();
  }

  /** Id of the node set whose code is being loaded. */
  get loading(): string | undefined {
    return this.#loading;
  }

  /** Whether it got as far as node sets; until then it only reads code of our own, which takes what the machine takes. */
  get booted(): boolean {
    return this.#booted;
  }

  /** The figures of the last heartbeat. */
  get stats(): EngineStats | undefined {
    return this.#stats;
  }

  /** Has a process that is silent tell where it is. */
  locate(): void {
    this.process.locate();
  }

  /**
   * Ends the process; the watcher is told nothing more. One that stops responding while it stops its flows is killed.
   * @param deaf - it does not respond: it is killed at once
   */
  async end(why: string, deaf: boolean): Promise<void> {
    this.#watcher = {
      event() {},
      located() {},
      ready() {},
      exited() {},
      silent: (silentMs) => {
        if (silentMs > this.#deps.engine.unresponsiveAfterMs) this.process.kill(why);
      },
    };
    await this.process.end(why, deaf ? 0 : this.#deps.engine.stopTimeoutMs);
    this.#watcher = undefined;
  }

  /** Hands the engine what it is to run, as soon as both are there. */
  async #hand(): Promise<void> {
    const { link } = this.process;
    const hello = new Promise<EngineEvents['hello'] | undefined>((resolve) => {
      link.on('hello', resolve);
      link.onClose(() => resolve(undefined));
    });
    try {
      const [greeting, payload] = await Promise.all([hello, this.#deps.startPayload()]);
      if (!greeting) return; // It ended; that is told elsewhere.
      if (greeting.protocol !== protocolVersion) throw versionMismatch(greeting.protocol);
      this.#modules = payload.modules;
      const start: EngineStart = {
        ...payload,
        state: this.#deps.safe === undefined ? payload.state : 'safe',
        settings: this.#deps.source,
        httpSocket: this.address.socketPath,
        httpSecret: this.address.secret,
      };
      this.#watcher?.ready(await link.call('engine.start', start, { timeoutMs: startTimeoutMs }));
    } catch (error) {
      if (link.closed) return;
      this.#deps.log.error('The engine could not start', { err: error });
      this.process.kill(error instanceof Error ? error.message : String(error));
    }
  }

  #culprit(): string | undefined {
    // Flows have not run before all is loaded, nor in safe mode.
    if (this.#loading === undefined && this.#deps.safe === undefined) return undefined;
    return culpritOf({ loading: this.#loading, callers: this.#exitCallers, modules: this.#modules });
  }

  #listen(): void {
    for (const event of engineEvents) {
      this.process.link.on(event, (data) => {
        this.#silence.heard();
        this.#note(event, data);
        this.#watcher?.event(event, data as never);
      });
    }
  }

  #note(event: keyof EngineEvents, data: EngineEvents[keyof EngineEvents]): void {
    if (event === 'exiting') this.#exitCallers = (data as EngineEvents['exiting']).callers;
    else if (event === 'heartbeat') this.#stats = data as EngineStats;
    else if (event === 'set.loading') {
      this.#booted = true;
      this.#loading = (data as { id: string }).id;
    } else if (event === 'set.status' && (data as { id: string }).id === this.#loading) {
      this.#loading = undefined;
    }
  }
}

/** Happens when the files of a new version were put in place under a running control plane. */
function versionMismatch(theirs: number): AppError {
  return new AppError('engine.failed', {
    message: `the engine speaks version ${theirs} of the link and this process version ${protocolVersion}: restart Sluice`,
  });
}
