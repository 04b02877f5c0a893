import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlowConfig } from '../../src/contract/flows.ts';
import { joinPieces } from '../../src/contract/flows-delta.ts';
import { CommsHub } from '../../src/control/comms/hub.ts';
import type { FlowsEngine } from '../../src/control/flows/runner.ts';
import { FlowsService } from '../../src/control/flows/service.ts';
import { FlowStore } from '../../src/control/flows/store.ts';
import type { FlowsDeploy, FlowsPatch, FlowsStatus } from '../../src/link/protocol.ts';
import { silentLogger } from '../../src/logging/logger.ts';
import { CredentialFile } from '../../src/storage/credential-file.ts';
import { FlowFile } from '../../src/storage/flow-file.ts';
import { openObjectConfig } from '../../src/storage/runtime-config.ts';

/** The revision of no flows. */
export const emptyRev = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';

/** An engine that does as it is told, or whatever a test wants. */
export class TestEngine implements FlowsEngine {
  state: FlowsEngine['state'] = { is: 'running', since: new Date(), pid: 1 };
  readonly asked: string[] = [];
  /** What it was told to run, whole, however it was told. */
  deploys: FlowsDeploy[] = [];
  /** What it has. */
  has: { readonly flows: FlowConfig; readonly rev: string } = { flows: [], rev: emptyRev };
  onCall: (method: string) => Promise<FlowsStatus> = async () => ({ is: 'running' });
  onReplace: () => Promise<void> = async () => {};
  tell: (status: FlowsStatus) => void = () => {};
  start: (status: FlowsStatus) => void = () => {};

  async call(method: string, asks: unknown): Promise<never> {
    this.asked.push(method);
    if (method === 'flows.patch') {
      const { delta, ...deploy } = asks as FlowsPatch;
      if (delta.base !== this.has.rev) return { is: 'unknown-base' } as never;
      this.#take({ ...deploy, flows: joinPieces(this.has.flows, delta.pieces) });
    }
    if (method === 'flows.deploy') this.#take(asks as FlowsDeploy);
    return (await this.onCall(method)) as never;
  }
  async replace(): Promise<void> {
    this.asked.push('replace');
    await this.onReplace();
  }
  on(event: string, listener: (data: never) => void): () => void {
    if (event === 'flows.status') this.tell = listener as (status: FlowsStatus) => void;
    else this.start = (flows) => (listener as (answer: { flows: FlowsStatus }) => void)({ flows });
    return () => {};
  }
  #take(deploy: FlowsDeploy): void {
    this.deploys.push(deploy);
    this.has = deploy;
  }
}

/** How a {@link ServiceRig} is set. */
export interface ServiceOptions {
  readonly secret?: string | false;
  readonly safeMode?: boolean;
  readonly readOnly?: boolean;
  readonly engine?: TestEngine;
}

/** A folder in which flows services are opened, one after the other. */
export class ServiceRig {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async create(): Promise<ServiceRig> {
    return new ServiceRig(await mkdtemp(join(tmpdir(), 'sluice-service-')));
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  /** What a file holds. */
  async onDisk(name = 'flows.json'): Promise<unknown> {
    return JSON.parse(await readFile(join(this.dir, name), 'utf8'));
  }

  /** Opens the service, as at the start of the control plane. */
  async open(options: ServiceOptions = {}) {
    const { readOnly = false, safeMode = false, engine = new TestEngine() } = options;
    const log = silentLogger;
    const runtime = openObjectConfig(this.dir, 'runtime', log, readOnly);
    const file = { pretty: false, readOnly, log };
    const store = new FlowStore({
      flowFile: new FlowFile({ ...file, path: join(this.dir, 'flows.json') }),
      credentialFile: new CredentialFile({
        ...file,
        path: join(this.dir, 'flows_cred.json'),
        secret: 'secret' in options ? options.secret : false,
        runtime,
      }),
      log,
    });
    const hub = new CommsHub();
    const told: unknown[] = [];
    hub.subscribe(({ topic, data }) => told.push([topic.replace('notification/', ''), data]));
    const types = {
      credentialFields: (type: string) =>
        type === 'mqtt-broker' ? { password: { type: 'password' as const } } : undefined,
      isRegistered: () => true,
    };
    const flows = new FlowsService({
      store,
      runtime,
      engine,
      types,
      hub,
      settings: { safeMode, readOnly },
      log,
    });
    await flows.load();
    return { flows, engine, told, hub };
  }
}
