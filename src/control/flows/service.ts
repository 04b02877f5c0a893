import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { findFlowProblem } from '../../contract/flow-problem.ts';
import type {
  Credentials,
  DeployMode,
  FlowConfig,
  FlowItem,
  FlowState,
  NodeCredentials,
  Revision,
} from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { EngineCalls, FlowsDeploy, FlowsStatus } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import { isSealed } from '../../storage/credential-cipher.ts';
import type { CredentialEncryption } from '../../storage/credential-file.ts';
import type { SerialisedFlows } from '../../storage/flow-file.ts';
import { Mutex } from '../../storage/mutex.ts';
import type { RuntimeConfig } from '../../storage/runtime-config.ts';
import type { PublishOptions } from '../comms/hub.ts';
import type { EngineState } from '../supervisor/state.ts';
import { type CredentialTypes, takeCredentials } from './credential-changes.ts';
import {
  credentialsLocked,
  flowFileBroken,
  runtimeDeployTopic,
  runtimeState,
  runtimeStateTopic,
} from './notifications.ts';
import { addFlow, readFlow, removeFlow, replaceFlow, type SingleFlow } from './single-flow.ts';
import type { FlowStore, LoadProblems, NextFlows, StoredFlows } from './store.ts';
import { findSubflowCycle } from './subflow-cycle.ts';

/** What flows need of the supervisor. */
export interface FlowsEngine {
  readonly state: EngineState;
  call<M extends 'flows.deploy' | 'flows.start' | 'flows.stop'>(
    method: M,
    asks: EngineCalls[M]['asks'],
    options?: { readonly timeoutMs?: number },
  ): Promise<EngineCalls[M]['gives']>;
  replace(reason: string): Promise<void>;
  on(event: 'flows.status', listener: (status: FlowsStatus) => void): () => void;
}

/** What the service is made of. */
export interface FlowsDeps {
  readonly store: FlowStore;
  readonly runtime: RuntimeConfig;
  readonly engine: FlowsEngine;
  readonly types: CredentialTypes;
  readonly hub: { publish(topic: string, data: unknown, options?: PublishOptions): void };
  readonly settings: { readonly safeMode: boolean; readonly readOnly: boolean };
  readonly log: Logger;
}

/** A whole configuration to move to. */
export interface DeployRequest {
  /** As it came; checked by the service. */
  readonly flows: unknown;
  readonly mode: Exclude<DeployMode, 'reload'>;
  /** The revision that the client started from; any where absent. */
  readonly rev?: string;
  /** Credentials by id, or all of them encrypted (`{ $ }`). */
  readonly credentials?: unknown;
}

/** Nobody waits for ever, but closing nodes and installing what they need take their time; heartbeats tell a dead engine. */
const deployTimeoutMs = 600_000;

/**
 * The flows: what is stored, what is to run, and how to move from one to the other.
 * @remarks Changes run one at a time. Each is on disk before the engine hears of it; when the engine then fails, the
 * error (`flows.not_started`) says that the change is saved. An engine that does not respond is replaced.
 */
export class FlowsService {
  readonly #deps: FlowsDeps;
  readonly #mutex = new Mutex();
  readonly #stopListening: () => void;
  #problems: LoadProblems = {};
  #safe: boolean;
  #wanted: 'start' | 'stop' = 'start';
  #changing = false;
  #status: FlowsStatus | undefined;
  #types: { readonly of: SerialisedFlows; readonly set: ReadonlySet<string> } | undefined;

  constructor(deps: FlowsDeps) {
    this.#deps = deps;
    this.#safe = deps.settings.safeMode;
    this.#stopListening = deps.engine.on('flows.status', (status) => this.#heard(status));
  }

  /** Reads what is stored. A broken file is reported, not thrown. Call once, before the engine starts. */
  async load(): Promise<void> {
    const { store, runtime, settings, log } = this.#deps;
    this.#problems = await store.load('is empty');
    const { flows, credentials } = this.#problems;
    log.info(`Flow file: ${store.path}`);
    if (flows !== undefined) {
      log.error(
        `${store.path} is broken: ${flows}. No flows are started and the file stays as it is; the next deploy keeps a copy of it`,
      );
    }
    if (credentials !== undefined) {
      log.error(
        `Credentials could not be decrypted: ${credentials}. Flows run without them and the file stays as it is; restore the secret ` +
          'and restart, or enter the credentials anew (a copy of the file is then kept)',
      );
    }
    if (settings.readOnly) log.warn('readOnly is set: what is deployed is not written to disk');
    const wanted = (await runtime.read())['runtimeFlowState'];
    this.#wanted = wanted === 'stop' ? 'stop' : 'start';
  }

  /** What the engine is handed at its start. */
  current(): { flows: FlowConfig; rev: Revision; credentials: Credentials; state: FlowState } {
    const { serialised, credentials } = this.#deps.store.stored;
    const { flows, rev } = serialised;
    const state = this.#safe ? 'safe' : this.#wanted;
    return { flows, rev, credentials: Object.fromEntries(credentials), state };
  }

  /** The flows with their JSON text; the same object until the next change. */
  get serialised(): SerialisedFlows {
    return this.#deps.store.stored.serialised;
  }

  /** Whether flows are meant to run; `safe` also where the supervisor left them alone. */
  get state(): FlowState {
    if (this.#safe) return 'safe';
    return this.#wanted === 'start' && this.#deps.engine.state.is === 'safe' ? 'safe' : this.#wanted;
  }

  get encryption(): CredentialEncryption {
    return this.#deps.store.encryption;
  }

  /** The stored credentials of one node. For those who show them: never whole, and never in an error. */
  credentialsOf(id: string): NodeCredentials | undefined {
    return this.#deps.store.stored.credentials.get(id);
  }

  /** Every type that the flows name, disabled nodes included. */
  typesInUse(): ReadonlySet<string> {
    const of = this.serialised;
    if (this.#types?.of !== of) this.#types = { of, set: new Set(of.flows.map((item) => item.type)) };
    return this.#types.set;
  }

  /**
   * Stores a configuration and runs it.
   * @throws AppError `invalid_flow` (nothing changed), `version_mismatch`, `credentials_load_failed`, `storage.failed`,
   * `flows.not_started` (saved)
   */
  deploy(request: DeployRequest): Promise<Revision> {
    return this.#change(() => request);
  }

  /** Reads the files again and starts everything anew; a broken flow file is `invalid_flow`, and changes nothing. */
  reload(): Promise<Revision> {
    return this.#mutex.run(async () => {
      const problems = await this.#deps.store.load('changes nothing');
      if (problems.flows !== undefined) {
        throw new AppError('invalid_flow', { detail: `The flow file is broken: ${problems.flows}` });
      }
      if (problems.credentials !== undefined)
        this.#deps.log.error(`Credentials could not be decrypted: ${problems.credentials}`);
      this.#problems = problems;
      return this.#run('full', []);
    });
  }

  /** One tab, or what is outside of tabs (`global`). */
  flow(id: string): SingleFlow | undefined {
    return readFlow(this.serialised.flows, id);
  }

  /** Adds a tab. Gives its id. */
  async addFlow(body: unknown): Promise<string> {
    const id = randomBytes(8).toString('hex');
    await this.#change(({ serialised }) => ({ flows: addFlow(serialised.flows, id, body), mode: 'flows' }));
    return id;
  }

  /** Replaces a tab, or what is outside of tabs. `not_found` where there is none. */
  async replaceFlow(id: string, body: unknown): Promise<void> {
    await this.#change(({ serialised }) => found(replaceFlow(serialised.flows, id, body)));
  }

  /** Removes a tab. `not_found` where there is none. */
  async removeFlow(id: string): Promise<void> {
    await this.#change(({ serialised }) => found(removeFlow(serialised.flows, id)));
  }

  /** Starts or stops the flows, and remembers it for the next start. Starting ends safe mode. */
  setState(state: 'start' | 'stop'): Promise<FlowState> {
    return this.#mutex.run(async () => {
      if (!this.#deps.settings.readOnly) {
        await this.#deps.runtime
          .update((old) => ({ ...old, runtimeFlowState: state }))
          .catch((cause) => {
            throw new AppError('storage.failed', { cause });
          });
      }
      this.#wanted = state;
      if (state === 'start') this.#safe = false;
      await this.#whileChanging(async () => {
        const method = state === 'start' ? 'flows.start' : 'flows.stop';
        const status = await this.#heal(() =>
          this.#deps.engine.call(method, null, { timeoutMs: deployTimeoutMs }),
        );
        this.#publishState(status, false);
      });
      return this.state;
    });
  }

  /** Stores credentials that a node's code changed. Not a deploy: nothing restarts. */
  setCredentials(id: string, credentials: NodeCredentials | null): Promise<void> {
    return this.#deps.store.setCredentials(id, credentials);
  }

  /** Waits for a change on its way and stops listening. */
  async close(): Promise<void> {
    this.#stopListening();
    await this.#mutex.run(() => {});
  }

  #change(make: (now: StoredFlows) => DeployRequest): Promise<Revision> {
    return this.#mutex.run(async () => {
      const { store } = this.#deps;
      const request = make(store.stored);
      if (request.rev !== undefined && request.rev !== this.serialised.rev)
        throw new AppError('version_mismatch');
      const items = checked(request.flows);
      let carried: readonly string[] = [];
      const changed = await store.commit(async (now) => {
        const next = await this.#takeApart(items, request.credentials, now);
        carried = next.carried;
        return next;
      });
      this.#problems = {};
      const wasSafe = this.state === 'safe';
      this.#safe = false;
      return this.#run(wasSafe ? 'full' : request.mode, [...new Set([...carried, ...changed])]);
    });
  }

  async #takeApart(
    items: readonly FlowItem[],
    brought: unknown,
    now: StoredFlows,
  ): Promise<NextFlows & { carried: readonly string[] }> {
    const { store, types, log } = this.#deps;
    if (brought !== undefined && brought !== null && !isObject(brought)) {
      throw new AppError('invalid_flow', { detail: 'credentials: must be an object' });
    }
    let stored = now.credentials;
    if (isSealed(brought)) {
      const opened = await store.unseal(brought);
      if (opened === undefined) throw new AppError('credentials_load_failed');
      stored = new Map(Object.entries(opened));
    }
    const taken = takeCredentials(items, stored, types);
    for (const type of taken.undeclared) {
      log.warn(`Credentials of type ${JSON.stringify(type)} are ignored: the type declares none`);
    }
    if (!isObject(brought) || isSealed(brought)) return taken;
    const ids = new Set(items.map((item) => item.id));
    return { ...taken, credentials: new Map([...taken.credentials, ...credentialEntries(brought, ids)]) };
  }

  async #run(mode: FlowsDeploy['mode'], changedCredentials: readonly string[]): Promise<Revision> {
    const { hub, log, engine } = this.#deps;
    const { flows, rev, credentials } = this.current();
    try {
      await this.#whileChanging(async () => {
        if (this.#wanted === 'start')
          hub.publish(runtimeStateTopic, runtimeState({ is: 'stopped' }, true), { retain: true });
        const deploy: FlowsDeploy = { flows, rev, credentials, changedCredentials, mode };
        const status = await this.#heal(() =>
          engine.call('flows.deploy', deploy, { timeoutMs: deployTimeoutMs }),
        );
        if (this.#wanted === 'start') this.#publishState(status, true);
        if (status.is === 'invalid') {
          throw new AppError('flows.not_started', {
            detail: `The flows were saved, but not started: ${status.message}`,
          });
        }
      });
      log.info(`Deployed ${flows.length} items (${mode}, revision ${rev.slice(0, 8)})`);
    } finally {
      hub.publish(runtimeDeployTopic, { revision: rev }, { retain: true });
    }
    return rev;
  }

  /** Asks the engine; where it is dead or does not respond, another takes its place and is handed the same. */
  async #heal(ask: () => Promise<FlowsStatus>): Promise<FlowsStatus> {
    const { engine, log } = this.#deps;
    let reason: unknown = engine.state.is;
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
    log.warn(`The engine is replaced to run what was deployed (${String(reason)})`);
    this.#status = undefined;
    try {
      await engine.replace('deploy');
    } catch (error) {
      throw notStarted(error);
    }
    return this.#status ?? { is: this.#wanted === 'start' ? 'running' : 'stopped' };
  }

  async #whileChanging(job: () => Promise<void>): Promise<void> {
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
    if (!this.#changing) this.#publishState(status, false);
  }

  #publishState(status: FlowsStatus, deploy: boolean): void {
    const { hub, store } = this.#deps;
    let data: JsonObject = runtimeState(status, deploy);
    const { flows, credentials } = this.#problems;
    if (!deploy && flows !== undefined) data = flowFileBroken(basename(store.path), flows);
    else if (!deploy && credentials !== undefined && status.is === 'running') data = credentialsLocked;
    hub.publish(runtimeStateTopic, data, { retain: true });
  }
}

function checked(flows: unknown): readonly FlowItem[] {
  const problem = findFlowProblem(flows, { duplicates: 'refused' });
  if (problem !== undefined) throw new AppError('invalid_flow', { detail: `Invalid flows: ${problem}` });
  const items = flows as readonly FlowItem[];
  const cycle = findSubflowCycle(items);
  if (cycle !== undefined) {
    throw new AppError('invalid_flow', {
      detail: `Invalid flows: subflows contain each other: ${cycle.join(' → ')}`,
    });
  }
  return items;
}

function credentialEntries(brought: JsonObject, ids: ReadonlySet<string>): [string, NodeCredentials][] {
  return Object.entries(brought)
    .filter(([id]) => ids.has(id))
    .map(([id, credentials]) => {
      if (!isObject(credentials)) {
        throw new AppError('invalid_flow', {
          detail: `credentials: ${JSON.stringify(id)} must be an object`,
        });
      }
      return [id, credentials];
    });
}

function found(flows: readonly FlowItem[] | undefined): DeployRequest {
  if (flows === undefined) throw new AppError('not_found');
  return { flows, mode: 'flows' };
}

function notStarted(cause: unknown): AppError {
  const why = cause instanceof AppError ? cause.detail : 'the engine failed';
  return new AppError('flows.not_started', {
    detail: `The flows were saved, but could not be started: ${why}`,
    message: `flows saved, not started: ${cause}`,
    cause,
  });
}
