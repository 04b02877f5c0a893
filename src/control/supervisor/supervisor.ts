import { AppError } from '../../contract/errors.ts';
import type { CallOptions } from '../../link/link.ts';
import { Listeners } from '../../link/listeners.ts';
import type {
  ControlCalls,
  ControlEvents,
  EngineCalls,
  EngineEvents,
  Handlers,
} from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Settings } from '../../settings/settings.ts';
import type { SettingsSource } from '../../settings/source.ts';
import { type BlockedAt, describeBlockedAt } from './blocked-at.ts';
import { CrashHistory } from './crash-history.ts';
import { EngineRun, type StartPayload } from './engine-run.ts';
import { type EngineAddress, EngineSockets } from './engine-socket.ts';
import { describeExit, type ExitReason } from './exit-reason.ts';
import { Lifecycle } from './lifecycle.ts';
import { type EngineReport, engineReport } from './report.ts';
import type { EngineState } from './state.ts';

/** What the supervisor needs. */
export interface SupervisorDeps {
  readonly settings: Pick<Settings, 'engine'>;
  readonly source: SettingsSource;
  readonly log: Logger;
  /** Answers what the engine asks. */
  readonly handlers: Handlers<ControlCalls>;
  /** Asked anew at each start of an engine. */
  readonly startPayload: () => Promise<StartPayload>;
  /** The engine died, or hung, while it loaded this set: it is not to be among the modules any more. */
  readonly quarantine: (setId: string, err: string) => Promise<void> | void;
}

/** What can be listened to: what the engine tells, and what becomes of it. */
export interface SupervisorEvents extends EngineEvents {
  state: EngineState;
  /** The engine answered `engine.start`. */
  started: EngineCalls['engine.start']['gives'];
}

/** How long the engine's own code may take to be read, also on a small and busy machine. */
const bootTimeoutMs = 120_000;

/**
 * Keeps an engine process running: starts it, watches it, starts it again when it ends, replaces it when told to.
 * @remarks An engine that fails never fails the control plane: `start` does not throw, calls fail with an `AppError`.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #listeners: Listeners<SupervisorEvents>;
  readonly #lifecycle: Lifecycle;
  readonly #crashes: CrashHistory;
  /** Reject the calls that wait, when the engine is no longer heard. */
  readonly #refusals = new Set<(reason: AppError) => void>();
  #sockets: EngineSockets | undefined;
  #run: EngineRun | undefined;
  #retry: NodeJS.Timeout | undefined;
  #attempt = 0;
  #restarts = 0;
  #lastExit: { readonly exit: ExitReason; readonly at: Date } | undefined;
  #replacing: Promise<void> = Promise.resolve();

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#listeners = new Listeners(deps.log);
    this.#lifecycle = new Lifecycle(this.#listeners);
    this.#crashes = new CrashHistory(deps.settings.engine);
  }

  /** What the engine is up to. */
  get state(): EngineState {
    return this.#lifecycle.state;
  }

  /** Where the engine serves node-owned HTTP; another place after every restart. `undefined` while there is none. */
  get http(): EngineAddress | undefined {
    return this.#run?.address;
  }

  /** Starts an engine, and sees that there is one from now on. */
  start(): void {
    if (this.#sockets) return;
    this.#sockets = new EngineSockets();
    this.#launch(this.#sockets);
  }

  /**
   * Resolves when the engine has loaded its modules and started its flows (or left them alone, in safe mode), however
   * many attempts that takes.
   * @throws AppError `engine.gone` when the supervisor is stopped; the signal's reason
   */
  ready(signal?: AbortSignal): Promise<void> {
    return this.#lifecycle.ready(signal);
  }

  /**
   * Waits until the engine can be called.
   * @throws AppError as {@link call}
   */
  async answers(timeoutMs: number): Promise<void> {
    await this.#answering('the engine', timeoutMs, undefined);
  }

  /**
   * Calls the engine; one that is starting is waited for, within the time-out.
   * @throws AppError `engine.gone` (it ended, or waits to be started again), `engine.unresponsive`, `engine.timeout`,
   * or what the engine answered
   */
  async call<M extends keyof EngineCalls>(
    method: M,
    asks: EngineCalls[M]['asks'],
    options: CallOptions = {},
  ): Promise<EngineCalls[M]['gives']> {
    const timeoutMs = options.timeoutMs ?? this.#deps.settings.engine.callTimeoutMs;
    const run = await this.#answering(method, timeoutMs, options.signal);
    const refusal = Promise.withResolvers<never>();
    this.#refusals.add(refusal.reject);
    try {
      const answer = run.process.link.call(method, asks, { ...options, timeoutMs });
      const gives = await Promise.race([answer, refusal.promise]);
      if (method === 'flows.deploy' || method === 'flows.patch' || method === 'flows.start') {
        this.#flowsAre(gives as { readonly is: string });
      }
      return gives;
    } finally {
      this.#refusals.delete(refusal.reject);
    }
  }

  /** Tells the engine. An event that finds no engine, or (where it may be lost) a busy one, is lost. */
  send<E extends keyof ControlEvents>(
    event: E,
    data: ControlEvents[E],
    options?: { readonly droppable?: boolean },
  ): boolean {
    return this.#run?.process.link.send(event, data, options) ?? false;
  }

  /** Listens. Returns the way to stop. */
  on<E extends keyof SupervisorEvents>(event: E, listener: (data: SupervisorEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /**
   * Ends the engine's process (at once where it does not respond) and starts another with what it is to run now. What
   * it crashed of before is forgotten: its flows are started.
   * @param reason - for the log
   * @throws AppError `engine.gone` when the new engine crashes before it is ready (it is started again all the same) or
   * the supervisor is stopped, `engine.unresponsive` when the new engine does not respond
   */
  replace(reason: string): Promise<void> {
    const replaced = this.#replacing.then(async () => {
      this.#deps.log.info(`The engine is replaced: ${reason}`);
      this.#crashes.forget();
      this.#attempt = 0;
      await this.#end(reason);
      if (!this.#sockets) throw new AppError('engine.gone');
      this.#launch(this.#sockets);
      await this.#lifecycle.answers();
    });
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  /** Ends the engine for good: stops its flows, then its process. Resolves when it has ended. */
  async stop(): Promise<void> {
    const sockets = this.#sockets;
    this.#sockets = undefined;
    const ended = this.#end('the control plane stops');
    this.#lifecycle.become({ is: 'stopped' });
    await ended;
    sockets?.close();
  }

  /** The engine's part of the full diagnostics report. */
  report(): EngineReport {
    return engineReport({
      state: this.state,
      loading: this.#run?.loading,
      restarts: this.#restarts,
      lastExit: this.#lastExit,
      stats: this.#run?.stats,
    });
  }

  #launch(sockets: EngineSockets): void {
    const { settings, ...deps } = this.#deps;
    const { safe } = this.#crashes;
    const run = new EngineRun(
      { ...deps, engine: settings.engine, address: sockets.next(), safe },
      {
        event: (event, data) => this.#told(event, data),
        silent: (silentMs) => this.#silent(run, silentMs),
        located: (at) => this.#located(at),
        ready: (answer) => {
          this.#attempt = 0;
          this.#lifecycle.become({ is: 'ready', at: new Date(), ...(safe === undefined ? {} : { safe }) });
          this.#listeners.emit('started', answer);
        },
        exited: (exit, culprit) => this.#exited(exit, culprit),
      },
    );
    this.#run = run;
    const { pid } = run.process;
    const attempt = ++this.#attempt;
    this.#lifecycle.become({ is: 'spawned', at: new Date(), attempt, ...(pid === undefined ? {} : { pid }) });
  }

  #told<E extends keyof EngineEvents>(event: E, data: EngineEvents[E]): void {
    if (this.state.is === 'unresponsive') {
      this.#deps.log.info('The engine responds again');
      this.#lifecycle.become({ is: 'heard' });
    }
    if (event === 'flows.status') this.#flowsAre(data as EngineEvents['flows.status']);
    this.#listeners.emit(event, data as SupervisorEvents[E]);
  }

  #silent(run: EngineRun, silentMs: number): void {
    const { unresponsiveAfterMs, loadTimeoutMs } = this.#deps.settings.engine;
    const { is } = this.state;
    if (!run.booted) {
      if (silentMs > bootTimeoutMs) run.process.kill(`it did not start within ${bootTimeoutMs} ms`);
      return;
    }
    if (run.loading !== undefined) {
      if (silentMs > loadTimeoutMs) run.process.kill(`it did not finish loading within ${loadTimeoutMs} ms`);
      // Until flows run, only the load's own limit matters.
      if (is === 'starting') return;
    }
    if (silentMs <= unresponsiveAfterMs || (is !== 'starting' && is !== 'running' && is !== 'safe')) return;
    this.#deps.log.error(
      `The engine does not respond since ${Math.round(silentMs / 1000)} s: something in it never ends. A deploy replaces it`,
    );
    this.#lifecycle.become({ is: 'silent', at: new Date() });
    run.locate();
    for (const refuse of [...this.#refusals]) refuse(new AppError('engine.unresponsive'));
  }

  #located(blocked: BlockedAt): void {
    if (this.state.is !== 'unresponsive') return;
    this.#deps.log.error(`The engine does not get on: it is ${describeBlockedAt(blocked)}`);
    this.#lifecycle.become({ is: 'located', blocked });
  }

  /** Flows that somebody started end the safe mode. */
  #flowsAre(status: { readonly is: string }): void {
    if (status.is !== 'running' || this.state.is !== 'safe') return;
    this.#crashes.forget();
    this.#lifecycle.become({ is: 'flows-started', at: new Date() });
  }

  #exited(exit: ExitReason, culprit: string | undefined): void {
    this.#run = undefined;
    this.#lastExit = { exit, at: new Date() };
    if (culprit === undefined) this.#crashed(exit);
    else void this.#killedBy(culprit, exit);
  }

  /** The culprit is known and will be left out, so there is nothing to wait for, and the flows get their chance. */
  async #killedBy(setId: string, exit: ExitReason): Promise<void> {
    const { log, quarantine } = this.#deps;
    const words = exit.is === 'ended' ? exit.why : `the engine ${describeExit(exit)} because of it`;
    log.error(`The node set ${setId} is left out from now on: ${words}`);
    this.#lifecycle.become({ is: 'exited', at: new Date(), exit, retryAt: new Date() });
    this.#crashes.forget();
    try {
      await quarantine(setId, words);
    } catch (error) {
      log.error(`The node set ${setId} could not be left out`, { err: error });
      this.#crashed(exit);
      return;
    }
    this.#restartAfter(0);
  }

  #crashed(exit: ExitReason): void {
    const { log } = this.#deps;
    const now = Date.now();
    const wasSafe = this.#crashes.safe !== undefined;
    const delayMs = this.#crashes.add(exit, now);
    const { safe } = this.#crashes;
    log.error(`The engine ${describeExit(exit)}; it is started again in ${delayMs / 1000} s`);
    if (!wasSafe && safe !== undefined) {
      log.error(`Safe mode: the flows are not started, because ${safe}. A deploy starts them`);
    }
    this.#lifecycle.become({ is: 'exited', at: new Date(now), exit, retryAt: new Date(now + delayMs) });
    this.#restartAfter(delayMs);
  }

  #restartAfter(delayMs: number): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      // A replacement may have come first, or the end.
      if (this.state.is !== 'crashed' || this.#run || !this.#sockets) return;
      this.#restarts++;
      this.#launch(this.#sockets);
    }, delayMs);
  }

  /** Ends the process there is, if any, without starting another. */
  async #end(why: string): Promise<void> {
    clearTimeout(this.#retry);
    const run = this.#run;
    this.#run = undefined;
    await run?.end(why, this.state.is === 'unresponsive');
  }

  /** The run that can be called, once it is ready. */
  async #answering(what: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<EngineRun> {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      await this.#lifecycle.answers(signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      if (error !== late.reason) throw error;
      throw new AppError('engine.timeout', { message: `${what}: not started in ${timeoutMs} ms` });
    }
    if (!this.#run) throw new AppError('engine.gone');
    return this.#run;
  }
}
