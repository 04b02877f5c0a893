import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { FlowItem } from '../../src/contract/flows.ts';
import { ContextManager } from '../../src/engine/context/context-manager.ts';
import { FlowRuntime } from '../../src/engine/graph/runtime.ts';
import { cloneMessage } from '../../src/engine/messaging/clone.ts';
import { Hooks } from '../../src/engine/messaging/hooks.ts';
import { Node } from '../../src/engine/node/node.ts';
import { type LogRecord, logLevel } from '../../src/engine/node/node-services.ts';
import { TypeRegistry } from '../../src/engine/registry/type-registry.ts';
import { createUtil } from '../../src/engine/util/create-util.ts';
import type { FlowsDeploy, FlowsStatus } from '../../src/link/protocol.ts';
import { palette } from '../../src/testing/palette.ts';
import { defineProbes, rigSets } from './probe-nodes.ts';

/** Items of a flow file as tests write them. */
export type TestFlows = readonly {
  readonly id: string;
  readonly type: string;
  readonly [key: string]: unknown;
}[];

/** How a rig is set up. */
export interface RigOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Types that are registered later, with `register`. */
  readonly without?: readonly string[];
}

/** A message for the editors. */
export interface Published {
  readonly topic: string;
  readonly data: unknown;
}

/** Flows that run in this process, with probe nodes that write down what they see. One for each of two runtimes. */
export interface FlowRig {
  /** What probe nodes recorded, in order. */
  readonly seen: unknown[];
  /** Log records, all levels up to `debug`, without their time. */
  readonly logged: LogRecord[];
  readonly published: Published[];
  readonly events: EventEmitter;
  readonly hooks: {
    add(name: string, handler: unknown): void;
    remove(name: string): void;
    has(name: string): boolean;
    clear(): void;
  };
  deploy(
    flows: TestFlows,
    options?: { mode?: FlowsDeploy['mode']; credentials?: FlowsDeploy['credentials'] },
  ): Promise<unknown>;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into nodes of all kinds
  node(id: string): any;
  /** Hands a message to a node as if it came along a wire. */
  inject(id: string, message?: object): void;
  /** Registers what `without` held back. */
  register(type: string): void;
  close(): Promise<void>;
}

/**
 * Waits until whatever was sent has arrived, and timers up to `ms` have fired.
 * @remarks Where the machine was busy elsewhere, the timer is due before anything was delivered: hence the turns after it.
 */
export async function settle(ms = 15): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

const require = createRequire(import.meta.url);

/** Our own flows on a rig. */
export class SluiceRig implements FlowRig {
  readonly seen: unknown[] = [];
  readonly logged: LogRecord[] = [];
  readonly published: Published[] = [];
  readonly events = new EventEmitter();
  readonly hooks: FlowRig['hooks'];
  readonly runtime: FlowRuntime;
  readonly types: TypeRegistry;
  status: FlowsStatus | undefined;
  readonly #later = new Map<string, () => void>();
  #loaded = false;
  #credentials: FlowsDeploy['credentials'] = {};
  #revision = 0;

  private constructor(contexts: ContextManager, util: ReturnType<typeof createUtil>, options: RigOptions) {
    const hooks = new Hooks();
    this.hooks = hooks as unknown as FlowRig['hooks'];
    const write = (level: number) => (message: unknown) => this.#log({ level, msg: message });
    const log = {
      log: (record: LogRecord) => this.#log(record),
      info: write(logLevel.info),
      warn: write(logLevel.warn),
      error: write(logLevel.error),
      debug: write(logLevel.debug),
      trace: write(logLevel.trace),
      metric: () => options.settings?.['metrics'] === true,
    };
    this.types = new TypeRegistry({
      base: Node,
      onRegistered: (type) => this.runtime?.onTypeRegistered(type),
    });
    this.runtime = new FlowRuntime({
      types: this.types,
      contexts,
      credentials: {
        get: (id) => this.#credentials[id],
        replace: (all) => {
          this.#credentials = all;
        },
      },
      hooks,
      log,
      events: this.events.setMaxListeners(0),
      settings: options.settings ?? {},
      util: util as never,
      comms: (topic, data) => this.published.push({ topic, data }),
      onStatus: (status) => {
        this.status = status;
      },
    });
    this.events.on('runtime-event', ({ id, payload }) =>
      this.published.push(structuredClone({ topic: `notification/${id}`, data: payload ?? {} })),
    );
    const RED = {
      nodes: {
        createNode: (node: object, config: object) => this.runtime.createNode(node, config),
        getNode: (id: string) => this.runtime.getNode(id),
        eachNode: (visit: (item: FlowItem) => void) => this.runtime.eachNode(visit),
        linkcallTargets: this.runtime.linkCallTargets,
        registerType: (type: string, nodeClass: unknown, more?: object) =>
          this.#register(options.without ?? [], type, () => {
            this.types.register({ id: `node-red/${type}`, module: 'node-red' }, type, nodeClass, more);
          }),
        registerSubflow: (definition: unknown) =>
          this.types.registerSubflow({ id: 'probes/subflow', module: 'probes' }, definition),
      },
      events: this.events,
      hooks,
      util,
      log,
      _: (key: string) => key,
    };
    for (const set of rigSets) {
      const file = `@node-red/nodes/core/common/${set}.js`;
      (palette[file] ?? (require(file) as (red: unknown) => void))(RED);
    }
    defineProbes(RED as never, (entry) => this.seen.push(entry));
  }

  static async open(options: RigOptions = {}): Promise<SluiceRig> {
    const util = createUtil({ cloneMessage });
    const silent = { info() {}, warn() {}, error() {}, debug() {}, trace() {} };
    const contexts = await ContextManager.open({
      settings: { userDir: tmpdir(), ...options.settings },
      properties: util,
      log: silent as never,
      getNode: () => null,
    });
    return new SluiceRig(contexts, util, options);
  }

  deploy(flows: TestFlows, options: Parameters<FlowRig['deploy']>[1] = {}): Promise<FlowsStatus> {
    const config = JSON.parse(JSON.stringify(flows)) as FlowItem[];
    const credentials = options.credentials ?? this.#credentials;
    const rev = String(++this.#revision);
    const next = { flows: config, rev, credentials };
    if (this.#loaded) {
      const changedCredentials = Object.keys(options.credentials ?? {});
      return this.runtime.deploy({ ...next, changedCredentials, mode: options.mode ?? 'full' });
    }
    this.#loaded = true;
    return this.runtime.load(next, 'start');
  }

  start(): Promise<FlowsStatus> {
    return this.runtime.start();
  }

  stop(): Promise<FlowsStatus> {
    return this.runtime.stop();
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into nodes of all kinds
  node(id: string): any {
    return this.runtime.getNode(id);
  }

  inject(id: string, message: object = {}): void {
    this.node(id).receive(message);
  }

  register(type: string): void {
    this.#later.get(type)?.();
  }

  close(): Promise<void> {
    return this.runtime.close();
  }

  #register(held: readonly string[], type: string, register: () => void): void {
    if (held.includes(type)) this.#later.set(type, register);
    else register();
  }

  #log(record: LogRecord): void {
    if (record.level <= logLevel.debug || record.level === logLevel.metric) this.logged.push(record);
  }
}
