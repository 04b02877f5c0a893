import { AppError } from '../../contract/errors.ts';
import type { FlowState, Revision } from '../../contract/flows.ts';
import type { FlowsDelta } from '../../contract/flows-delta.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { EngineCalls, FlowsDeploy, FlowsStatus } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import type { RuntimeConfig } from '../../storage/runtime-config.ts';
import type { PublishOptions } from '../comms/hub.ts';
import type { EngineState } from '../supervisor/state.ts';
import { runtimeDeployTopic, runtimeState, runtimeStateTopic } from './notifications.ts';

/** What flows need of the supervisor. */
export interface FlowsEngine {
  readonly state: EngineState;
  call<M extends 'flows.deploy' | 'flows.patch' | 'flows.start' | 'flows.stop'>(
    method: M,
    asks: EngineCalls[M]['asks'],
    options?: { readonly timeoutMs?: number },
  ): Promise<EngineCalls[M]['gives']>;
  replace(reason: string): Promise<void>;
  on(event: 'flows.status', listener: (status: FlowsStatus) => void): () => void;
  on(event: 'started', listener: (answer: EngineCalls['engine.start']['gives']) => void): () => void;
}

/** What a {@link FlowRunner} needs. */
export interface RunnerDeps {
  readonly engine: FlowsEngine;
  readonly runtime: RuntimeConfig;
  readonly hub: { publish(topic: string, data: unknown, options?: PublishOptions): void };
  readonly settings: { readonly safeMode: boolean };
  readonly log: Logger;
  /** The revision that is stored. */
  readonly rev: () => Revision;
  /** What open editors are told instead of what became of the flows by themselves, where something matters more. */
  readonly insteadOf: (status: FlowsStatus) => JsonObject | undefined;
}

/** Closing nodes and installing what they need take their time; heartbeats tell an engine that never answers. */
const inItsTime = { timeoutMs: 600_000 };

/**
 * Makes the engine run what is stored: whether flows are to run, moving to a deploy, telling open editors.
 * @remarks An engine that is dead or does not respond is replaced; the new one is handed the same. Changes come one at a
 * time (the caller sees to it).
 */
export class FlowRunner {
  readonly #deps: RunnerDeps;
  readonly #stopListening: readonly (() => void)[];
  #safe: boolean;
  #wanted: 'start' | 'stop' = 'start';
  #changing = false;
  #status: FlowsStatus | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#safe = deps.settings.safeMode;
    this.#stopListening = [
      deps.engine.on('flows.status', (status) => this.#heard(status)),
      deps.engine.on('started', ({ flows }) => {
        // Mostly told by an event before; not where the flows could not even be taken.
        if (JSON.stringify(flows) !== JSON.stringify(this.#status)) this.#heard(flows);
        if (!this.#changing) this.#publishRevision(deps.rev());
      }),
    ];
  }

  /** Reads whether flows were stopped before the restart. */
  async load(): Promise<void> {
    const { runtimeFlowState } = await this.#deps.runtime.read();
    this.#wanted = runtimeFlowState === 'stop' ? 'stop' : 'start';
  }

  /** What an engine is told at its start. */
  get startState(): FlowState {
    return this.#safe ? 'safe' : this.#wanted;
  }

  /** Whether flows are meant to run; `safe` also where the supervisor left them alone. */
  get state(): FlowState {
    return this.#wanted === 'start' && this.#deps.engine.state.is === 'safe' ? 'safe' : this.startState;
  }

  /** Whether the flows run now: not while the engine is away, nor while types are missing. */
  get isRunning(): boolean {
    return this.#deps.engine.state.is === 'running' && this.#status?.is === 'running';
  }

  /**
   * Runs what has been stored; ends safe mode.
   * @param delta tells the flows by those that the engine should have
   * @throws AppError `flows.not_started`
   */
  async deploy(deploy: FlowsDeploy, delta?: FlowsDelta): Promise<void> {
    const { engine } = this.#deps;
    const mode = this.state === 'safe' ? 'full' : deploy.mode;
    this.#safe = false;
    const runs = this.#wanted === 'start';
    try {
      await this.#change(async () => {
        if (runs) this.#publish(runtimeState({ is: 'stopped' }, true));
        const status = await this.#settle(() => this.#handOver({ ...deploy, mode }, delta));
        if (runs) this.#publish(runtimeState(status, true));
        if (status.is !== 'invalid') return;
        throw new AppError('flows.not_started', {
          detail: `The flows were saved, but not started: ${status.message}`,
        });
      });
    } catch (error) {
      // Editors must not go on believing that all stands still; a dead engine's restart tells them more.
      if (runs && engine.state.is === 'running' && this.#status)
        this.#publish(runtimeState(this.#status, false));
      throw error;
    } finally {
      this.#publishRevision(deploy.rev);
    }
  }

  /** Runs what has been read anew: whatever was wrong before is over. */
  reload(deploy: FlowsDeploy): Promise<void> {
    this.#publish({});
    return this.deploy(deploy);
  }

  /** Starts or stops the flows, and remembers it for the next start. Starting ends safe mode. */
  async setState(state: 'start' | 'stop'): Promise<void> {
    await this.#deps.runtime
      .update((old) => ({ ...old, runtimeFlowState: state }))
      .catch((cause) => {
        throw new AppError('storage.failed', { message: `the state of the flows: ${cause}`, cause });
      });
    this.#wanted = state;
    if (state === 'start') this.#safe = false;
    await this.#change(async () => {
      const status = await this.#heal(() => this.#turn(state));
      this.#publish(runtimeState(status, false));
    });
  }

  /** Stops listening to the engine. */
  close(): void {
    for (const stop of this.#stopListening) stop();
  }

  /** Deploys, and sees that the flows are then as they should be: a deploy to an engine in safe mode need not start them. */
  async #handOver(deploy: FlowsDeploy, delta: FlowsDelta | undefined): Promise<FlowsStatus> {
    const status = await this.#tell(deploy, delta);
    const idle = status.is === 'stopped' || status.is === 'safe';
    if (idle && this.#wanted === 'start') return this.#turn('start');
    if (status.is === 'running' && this.#wanted === 'stop') return this.#turn('stop');
    return status;
  }

  /** Tells the engine what is new; or all, where it has not what that builds upon. */
  async #tell({ flows, ...deploy }: FlowsDeploy, delta: FlowsDelta | undefined): Promise<FlowsStatus> {
    const { engine } = this.#deps;
    if (delta !== undefined) {
      const outcome = await engine.call('flows.patch', { ...deploy, delta }, inItsTime);
      if (outcome.is !== 'unknown-base') return outcome;
    }
    return engine.call('flows.deploy', { ...deploy, flows }, inItsTime);
  }

  #turn(state: 'start' | 'stop'): Promise<FlowsStatus> {
    return this.#deps.engine.call(`flows.${state}`, null, inItsTime);
  }

  async #settle(ask: () => Promise<FlowsStatus>): Promise<FlowsStatus> {
    this.#status = await this.#heal(ask);
    return this.#status;
  }

  async #heal(ask: () => Promise<FlowsStatus>): Promise<FlowsStatus> {
    const { engine, log } = this.#deps;
    let reason: string = engine.state.is;
    if (engine.state.is !== 'unresponsive' && engine.state.is !== 'crashed') {
      try {
        return await ask();
      } catch (error) {
        const dead =
          error instanceof AppError && (error.code === 'engine.gone' || error.code === 'engine.unresponsive');
        if (!dead || engine.state.is === 'stopped') throw notStarted(error);
        reason = error.code;
      }
    }
    log.warn(`The engine is replaced, so that it runs what was deployed (${reason})`);
    this.#status = undefined;
    try {
      await engine.replace('deploy');
    } catch (error) {
      throw notStarted(error);
    }
    return this.#status ?? { is: this.#wanted === 'start' ? 'running' : 'stopped' };
  }

  async #change(job: () => Promise<void>): Promise<void> {
    this.#changing = true;
    try {
      await job();
    } finally {
      this.#changing = false;
    }
  }

  #heard(status: FlowsStatus): void {
    this.#status = status;
    // The outcome of a change is published by whoever made it.
    if (!this.#changing) this.#publish(this.#deps.insteadOf(status) ?? runtimeState(status, false));
  }

  #publishRevision(revision: Revision): void {
    this.#deps.hub.publish(runtimeDeployTopic, { revision }, { retain: true });
  }

  #publish(data: JsonObject): void {
    this.#deps.hub.publish(runtimeStateTopic, data, { retain: true });
  }
}

function notStarted(cause: unknown): AppError {
  const why = cause instanceof AppError ? cause.detail : 'the engine failed';
  return new AppError('flows.not_started', {
    detail: `The flows were saved, but could not be started: ${why}`,
    message: `flows saved, not started: ${cause}`,
    cause,
  });
}
