import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type {
  Credentials,
  DeployMode,
  FlowConfig,
  FlowItem,
  FlowState,
  NodeCredentials,
  Revision,
} from '../../contract/flows.ts';
import type { FlowsDelta } from '../../contract/flows-delta.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { FlowsStatus } from '../../link/protocol.ts';
import type { CredentialEncryption } from '../../storage/credential-file.ts';
import { Mutex } from '../../storage/mutex.ts';
import type { SerialisedFlows } from '../../storage/serialised-flows.ts';
import type { CredentialTypes } from './credential-changes.ts';
import { credentialsLocked, flowFileBroken } from './notifications.ts';
import { checkFlows, prepareDeploy } from './prepare.ts';
import { FlowRunner, type RunnerDeps } from './runner.ts';
import { addFlow, readFlow, removeFlow, replaceFlow, type SingleFlow } from './single-flow.ts';
import type { FlowStore, LoadProblems, StoredFlows } from './store.ts';

/** What the service is made of. */
export interface FlowsDeps extends Omit<RunnerDeps, 'insteadOf' | 'rev'> {
  readonly store: FlowStore;
  readonly types: CredentialTypes;
  readonly settings: { readonly safeMode: boolean; readonly readOnly: boolean };
}

/** A whole configuration to move to. */
export interface DeployRequest {
  /** As it came; the service checks it. */
  readonly flows: unknown;
  readonly mode: Exclude<DeployMode, 'reload'>;
  /** The revision that the client started from; any where absent. */
  readonly rev?: string;
  /** Credentials by id, or all of them encrypted (`{ $ }`). */
  readonly credentials?: unknown;
}

/**
 * The flows: what is stored, and every way to change it.
 * @remarks Changes run one at a time. Each is on disk before the engine hears of it; when the engine then fails, the
 * error (`flows.not_started`) says that the change is saved.
 */
export class FlowsService {
  readonly #deps: FlowsDeps;
  readonly #runner: FlowRunner;
  readonly #mutex = new Mutex();
  #problems: LoadProblems = {};
  /** The last flows that were checked, and stored. */
  #sound: FlowConfig | undefined;
  #types: { readonly of: SerialisedFlows; readonly set: ReadonlySet<string> } | undefined;

  constructor(deps: FlowsDeps) {
    this.#deps = deps;
    this.#runner = new FlowRunner({
      ...deps,
      rev: () => this.serialised.rev,
      insteadOf: (status) => this.#insteadOf(status),
    });
  }

  /** Reads what is stored. A broken file is reported, not thrown. Call once, before the engine starts. */
  async load(): Promise<void> {
    const { store, settings, log } = this.#deps;
    this.#problems = await store.load();
    log.info(`Flow file: ${store.path}`);
    if (this.#problems.flows !== undefined) {
      log.error(
        `${store.path} is broken: ${this.#problems.flows}. No flows are started and the file stays as it is; the next ` +
          'deploy keeps a copy of it',
      );
    }
    this.#reportLocked();
    if (settings.readOnly) log.warn('readOnly is set: what is deployed is not written to disk');
    await this.#runner.load();
  }

  /** What the engine is handed at its start. */
  current(): { flows: FlowConfig; rev: Revision; credentials: Credentials; state: FlowState } {
    const { serialised, credentials } = this.#deps.store.stored;
    const { flows, rev } = serialised;
    return { flows, rev, credentials: Object.fromEntries(credentials), state: this.#runner.startState };
  }

  /** The flows with their JSON text; the same object until the next change. */
  get serialised(): SerialisedFlows {
    return this.#deps.store.stored.serialised;
  }

  /** Whether flows are meant to run; `safe` also where the supervisor left them alone. */
  get state(): FlowState {
    return this.#runner.state;
  }

  /** Whether they run now: not while the engine is away, nor while types are missing. */
  get isRunning(): boolean {
    return this.#runner.isRunning;
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

  /** Reads the files again and starts everything anew; flows that can't be used are `invalid_flow` and change nothing. */
  reload(): Promise<Revision> {
    return this.#mutex.run(async () => {
      const problems = await this.#deps.store.load(checkFlows);
      if (problems.flows !== undefined) {
        throw new AppError('invalid_flow', { detail: `The flow file is broken: ${problems.flows}` });
      }
      this.#problems = problems;
      this.#reportLocked();
      return this.#run('reload', []);
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
      await this.#runner.setState(state);
      return this.state;
    });
  }

  /** Stores (`null`: deletes) credentials that a node's code changed. Not a deploy: nothing restarts. */
  setCredentials(id: string, credentials: NodeCredentials | null): Promise<void> {
    return this.#deps.store.setCredentials(id, credentials);
  }

  /** Stops listening, and waits for a change that is on its way. */
  async close(): Promise<void> {
    this.#runner.close();
    await this.#mutex.run(() => {});
  }

  #change(make: (now: StoredFlows) => DeployRequest): Promise<Revision> {
    return this.#mutex.run(async () => {
      const { store } = this.#deps;
      const request = make(store.stored);
      if (request.rev !== undefined && request.rev !== this.serialised.rev)
        throw new AppError('version_mismatch');
      const items = checkFlows(request.flows, this.#sound);
      let carried: readonly string[] = [];
      const { delta, changed } = await store.commit(async (now) => {
        const next = await prepareDeploy(items, request.credentials, now.credentials, this.#deps);
        carried = next.carried;
        return next;
      });
      this.#sound = this.serialised.flows;
      this.#problems = {};
      return this.#run(request.mode, [...new Set([...carried, ...changed])], delta);
    });
  }

  async #run(mode: DeployMode, changedCredentials: readonly string[], delta?: FlowsDelta): Promise<Revision> {
    const { flows, rev, credentials } = this.current();
    const deploy = { flows, rev, credentials, changedCredentials };
    await (mode === 'reload'
      ? this.#runner.reload({ ...deploy, mode: 'full' })
      : this.#runner.deploy({ ...deploy, mode }, delta));
    this.#deps.log.info(`Deployed ${flows.length} items (${mode}, revision ${rev.slice(0, 8)})`);
    return rev;
  }

  #reportLocked(): void {
    const { credentials } = this.#problems;
    if (credentials === undefined) return;
    this.#deps.log.error(
      `The credentials could not be read. ${credentials}. Flows run without them, and the file stays as it is: restore ` +
        'the secret and restart, or enter the credentials anew (a copy of the file is then kept)',
    );
  }

  #insteadOf(status: FlowsStatus): JsonObject | undefined {
    const { flows, credentials } = this.#problems;
    if (flows !== undefined) return flowFileBroken(basename(this.#deps.store.path), flows);
    return credentials !== undefined && status.is === 'running' ? credentialsLocked : undefined;
  }
}

function found(flows: readonly FlowItem[] | undefined): DeployRequest {
  if (flows === undefined) throw new AppError('not_found');
  return { flows, mode: 'flows' };
}
