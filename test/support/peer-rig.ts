import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { ensurePeer } from '../../bench/peer.ts';
import type { FlowRig, Published, RigOptions, TestFlows } from './flow-rig.ts';
import { defineProbes, rigSets } from './probe-nodes.ts';

// biome-ignore lint/suspicious/noExplicitAny: the peer's modules come without types
type Untyped = any;

/**
 * The peer's runtime on a rig, to compare outcomes.
 * @remarks Its state lies in its modules: one rig at a time in a process.
 */
export class PeerRig implements FlowRig {
  readonly seen: unknown[] = [];
  readonly logged: FlowRig['logged'] = [];
  readonly published: Published[] = [];
  readonly events: EventEmitter;
  readonly hooks: FlowRig['hooks'];
  readonly #nodes: Untyped;
  readonly #flows: Untyped;
  readonly #log: Untyped;
  readonly #later = new Map<string, () => void>();
  readonly #listener = new EventEmitter();
  #config: { flows: TestFlows; credentials: object; rev: string } = { flows: [], credentials: {}, rev: '0' };
  #loaded = false;

  private constructor(options: RigOptions) {
    const require = createRequire(ensurePeer());
    const util = require('@node-red/util');
    const registry = require('@node-red/registry/lib/registry.js');
    this.#nodes = require('@node-red/runtime/lib/nodes');
    this.#flows = require('@node-red/runtime/lib/flows');
    this.#log = util.log;
    this.events = util.events;
    this.hooks = util.hooks;
    const settings = {
      userDir: tmpdir(),
      logging: { none: { level: 'off', handler: () => () => {}, metrics: options.settings?.['metrics'] } },
      ...options.settings,
      available: () => false,
      get: () => undefined,
      registerNodeSettings() {},
    };
    util.hooks.clear();
    util.init(settings);
    registry.clear();
    this.#listener.on('log', (record) => {
      if (record.level > 50 && record.level !== 99) return;
      const { timestamp: _, ...rest } = record;
      this.logged.push(rest);
    });
    this.#log.addHandler(this.#listener);
    this.events.removeAllListeners('node-status');
    const storage = {
      getFlows: async () => this.#config,
      saveFlows: async (next: { flows: TestFlows }) => {
        this.#config = { ...this.#config, flows: next.flows, rev: String(Number(this.#config.rev) + 1) };
        return this.#config.rev;
      },
    };
    this.#nodes.init({ settings, log: util.log, storage, events: util.events, util: util.util, plugins: {} });
    this.events.on('runtime-event', this.#onRuntimeEvent);
    const RED = {
      nodes: {
        createNode: this.#nodes.createNode,
        getNode: this.#nodes.getNode,
        eachNode: this.#nodes.eachNode,
        linkcallTargets: this.#nodes.linkcallTargets,
        registerType: (type: string, nodeClass: unknown, more: unknown) => {
          const register = () => this.#nodes.registerType('test/probes', type, nodeClass, more);
          if (options.without?.includes(type)) this.#later.set(type, register);
          else register();
        },
        registerSubflow: (definition: unknown) => this.#nodes.registerSubflow('test/probes', definition),
      },
      events: this.events,
      hooks: this.hooks,
      util: util.util,
      log: util.log,
      _: (key: string) => key,
    };
    this.#nodes.linkcallTargets.clear();
    for (const set of rigSets) require(`@node-red/nodes/core/common/${set}.js`)(RED);
    defineProbes(RED as never, (entry) => this.seen.push(entry));
  }

  static async open(options: RigOptions = {}): Promise<PeerRig> {
    const rig = new PeerRig(options);
    await rig.#nodes.loadContextsPlugin();
    return rig;
  }

  async deploy(flows: TestFlows, options: Parameters<FlowRig['deploy']>[1] = {}): Promise<void> {
    const config = JSON.parse(JSON.stringify(flows));
    if (options.credentials !== undefined) {
      for (const item of config) {
        const own = options.credentials[item.id];
        if (own !== undefined) item.credentials = own;
      }
    }
    if (!this.#loaded) {
      this.#loaded = true;
      this.#config = { flows: config, credentials: options.credentials ?? {}, rev: '1' };
      for (const item of config) delete item.credentials;
      await this.#nodes.loadFlows();
      await this.#nodes.startFlows();
      return;
    }
    const started = this.#nextStart();
    await this.#nodes.setFlows(config, options.mode ?? 'full');
    await started;
  }

  async start(): Promise<void> {
    await this.#nodes.startFlows('full');
  }

  async stop(): Promise<void> {
    await this.#nodes.stopFlows('full');
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into nodes of all kinds
  node(id: string): any {
    return this.#flows.get(id);
  }

  inject(id: string, message: object = {}): void {
    this.node(id).receive(message);
  }

  register(type: string): void {
    this.#later.get(type)?.();
    this.events.emit('type-registered', type);
  }

  async close(): Promise<void> {
    await this.stop();
    this.#log.removeHandler(this.#listener);
    this.events.removeListener('runtime-event', this.#onRuntimeEvent);
    this.#nodes.clearRegistry();
  }

  readonly #onRuntimeEvent = ({ id, payload }: { id: string; payload?: unknown }) => {
    this.published.push(structuredClone({ topic: `notification/${id}`, data: payload ?? {} }));
  };

  /** The peer answers a deploy before the flows have started. */
  #nextStart(): Promise<void> {
    return new Promise((resolve) => {
      const listener = ({ id }: { id: string }) => {
        if (id !== 'runtime-deploy') return;
        this.events.removeListener('runtime-event', listener);
        resolve();
      };
      this.events.on('runtime-event', listener);
    });
  }
}
