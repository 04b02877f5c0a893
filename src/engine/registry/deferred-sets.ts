import https from 'node:https';
import { createRequire } from 'node:module';
import type { FlowConfig } from '../../contract/flows.ts';
import type { TypeOptions } from './type-registry.ts';

/** The credentials that most of them have. */
const account = { credentials: { user: { type: 'text' }, password: { type: 'password' } } } as const;
const plain = {};

/**
 * Core sets whose code, while it is loaded, does nothing but register these types, so that it can wait until a flow has a
 * node of them. Together they are more than half of what a start reads, and of what an engine at rest holds.
 */
export const deferredSets: { readonly [file: string]: { readonly [type: string]: TypeOptions } } = {
  'function/16-range.js': { range: plain },
  'function/89-delay.js': { delay: plain },
  'function/89-trigger.js': { trigger: plain },
  'function/90-exec.js': { exec: plain },
  'function/rbe.js': { rbe: plain },
  'network/06-httpproxy.js': {
    'http proxy': { credentials: { username: { type: 'text' }, password: { type: 'password' } } },
  },
  'network/10-mqtt.js': { 'mqtt-broker': account, 'mqtt in': plain, 'mqtt out': plain },
  'network/21-httprequest.js': { 'http request': account },
  'network/22-websocket.js': {
    'websocket-listener': plain,
    'websocket-client': plain,
    'websocket in': plain,
    'websocket out': plain,
  },
  'network/31-tcpin.js': { 'tcp in': plain, 'tcp out': plain, 'tcp request': plain },
  'parsers/70-CSV.js': { csv: plain },
  'parsers/70-HTML.js': { html: plain },
  'parsers/70-JSON.js': { json: plain },
  'parsers/70-XML.js': { xml: plain },
  'parsers/70-YAML.js': { yaml: plain },
  'sequence/17-split.js': { split: plain, join: plain },
  'sequence/18-sort.js': { sort: plain },
  'sequence/19-batch.js': { batch: plain },
  'storage/10-file.js': { file: plain, 'file in': plain },
  'storage/23-watch.js': { watch: plain },
};

const coreFolder = '@node-red/nodes/core/';

/** What registers a type whose constructor is asked for when the first node of it is made. */
export type RegisterLater = (type: string, makeClass: () => unknown, options: TypeOptions) => void;

/** What is asked for of the `RED` object of a set. */
interface Red {
  readonly nodes: object;
}

/** The core sets whose code has not been run yet. */
export class DeferredSets {
  readonly #byType = new Map<string, DeferredSet>();

  /**
   * Registers the types of a set that can wait, in place of running its code.
   * @param file Absolute path of the set's code.
   * @returns `undefined` where the set cannot wait.
   */
  defer(file: string, register: RegisterLater): ((red: Red) => void) | undefined {
    const path = file.replaceAll('\\', '/');
    const at = path.lastIndexOf(coreFolder);
    const name = at < 0 ? '' : path.slice(at + coreFolder.length);
    const types = Object.hasOwn(deferredSets, name) ? deferredSets[name] : undefined;
    if (types === undefined) return undefined;
    return (red) => {
      const set = new DeferredSet(file, red);
      for (const [type, options] of Object.entries(types)) {
        register(type, () => set.classOf(type), options);
        this.#byType.set(type, set);
      }
    };
  }

  /**
   * Runs the code of the sets that flows have nodes of. Where that fails, so does the making of those nodes.
   * @param subflowNodes The nodes inside a subflow that a module provides as this type.
   */
  async ready(flows: FlowConfig, subflowNodes: (type: string) => FlowConfig | undefined): Promise<void> {
    for (const type of typesIn(flows, subflowNodes)) {
      await this.#byType.get(type)?.ready();
    }
  }
}

function typesIn(
  flows: FlowConfig,
  subflowNodes: (type: string) => FlowConfig | undefined,
  types = new Set<string>(),
): ReadonlySet<string> {
  for (const { type } of flows) {
    if (types.has(type)) continue;
    types.add(type);
    typesIn(subflowNodes(type) ?? [], subflowNodes, types);
  }
  return types;
}

class DeferredSet {
  readonly #file: string;
  readonly #red: Red;
  readonly #classes = new Map<string, unknown>();
  /** As it was before any node module could replace it. */
  readonly #request = https.request;
  #run: Promise<void> | undefined;
  #failure: unknown;

  constructor(file: string, red: Red) {
    this.#file = file;
    const registerType = (type: string, nodeClass: unknown): void => void this.#classes.set(type, nodeClass);
    this.#red = Object.create(red, { nodes: { value: { ...red.nodes, registerType } } });
  }

  async ready(): Promise<void> {
    await (this.#run ?? this.#begin());
  }

  /** Also where nobody made it ready, if its code does not have to wait for anything. */
  classOf(type: string): unknown {
    if (this.#run === undefined) void this.#begin();
    const nodeClass = this.#classes.get(type);
    if (nodeClass === undefined) throw this.#failure ?? new Error(`The type '${type}' is still being loaded`);
    return nodeClass;
  }

  #begin(): Promise<void> {
    this.#failure = undefined;
    const run = this.#runCode();
    this.#run = run;
    // What failed is tried again.
    void run.then(() => {
      if (this.#failure !== undefined) this.#run = undefined;
    });
    return run;
  }

  /**
   * Never rejects. Up to the first promise that the code waits for, this runs at once.
   * @remarks `http request` keeps `https.request` as it finds it, to put it back where node modules of old replace it. It
   * does so only after it has waited for a package, so that the original stays in place until all has run.
   */
  async #runCode(): Promise<void> {
    const { request } = https;
    https.request = this.#request;
    try {
      await createRequire(this.#file)(this.#file)(this.#red);
    } catch (error) {
      this.#failure = error ?? new Error('The code of the set failed');
    } finally {
      https.request = request;
    }
  }
}
