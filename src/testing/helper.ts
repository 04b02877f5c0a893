import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Credentials, FlowConfig, FlowItem } from '../contract/flows.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import { Engine } from '../engine/engine.ts';
import { cloneMessage } from '../engine/messaging/clone.ts';
import { Node } from '../engine/node/node.ts';
import { createUtil, type RedUtil } from '../engine/util/create-util.ts';
import type { NodeModule, NodeSet } from '../modules/node-module.ts';
import { alone } from './alone.ts';
import { type FlowControls, flowControls, redOf } from './beneath.ts';
import { coreNodes } from './core-nodes.ts';
import { palette } from './palette.ts';
import { recordingLog } from './recording-log.ts';
import { SpecEvents } from './spec-events.ts';
import { SpecSettings } from './spec-settings.ts';
import { NodeSpies, type Spy } from './spies.ts';
import { TestServer } from './test-server.ts';

/** What a node module exports; `RED` is what the module makes of it. */
// biome-ignore lint/suspicious/noExplicitAny: modules describe RED in their own ways
export type TestedNode = (RED: any) => unknown;

/** A flow as specs write it. */
export type TestFlow = readonly (FlowItem & { readonly credentials?: JsonObject })[];

/** Told when an action has ended, as mocha's `done` is. */
export type Callback = (error?: unknown) => void;

/**
 * Runs flows of nodes under test in this process, with the interface of `node-red-node-test-helper`.
 * @example
 * const helper = require('sluice/testing');
 * await helper.load(lowerCase, [{ id: 'n1', type: 'lower-case', wires: [['n2']] }, { id: 'n2', type: 'helper' }]);
 * helper.getNode('n2').on('input', (msg) => msg.payload.should.equal('hello'));
 * helper.getNode('n1').receive({ payload: 'HELLO' });
 */
export class NodeTestHelper {
  /** Our own node types, by the published file names of those that they replace. */
  readonly palette = palette;
  readonly #spies = new NodeSpies(Node.prototype);
  readonly #settings = new SpecSettings();
  #engine: Engine | undefined;
  #logSpy: Spy | undefined;
  #server: TestServer | undefined;
  /** The routes of the last load: they answer after `unload` too, then for nodes that are gone. */
  #httpAdmin: Engine['parts']['http']['httpAdmin'] | undefined;
  #rev = 0;
  #red: JsonObject | undefined;
  readonly #util: RedUtil = createUtil({ cloneMessage });
  readonly #events = new SpecEvents();
  readonly #flowControls = flowControls(() => this.#parts(), testSet);

  /** Does nothing but take settings: there is no runtime to look for. */
  init(_runtimePath?: unknown, userSettings?: JsonObject): void {
    if (isObject(userSettings)) this.settings(userSettings);
  }

  /**
   * Sets what the settings file would say, from the next `load` on; takes the place of what was set before.
   * @returns `RED.settings`: what a spec changes there, nodes see.
   */
  settings(userSettings?: JsonObject): Record<string, unknown> {
    if (userSettings !== undefined) this.#settings.replace(userSettings);
    return this.#settings.shown;
  }

  /** Registers the nodes and runs the flow. Types `catch`, `status`, `complete` and `helper` are there without asking. */
  async load(
    nodes: TestedNode | readonly TestedNode[],
    flow: TestFlow,
    credentials?: Credentials | Callback,
    done?: Callback,
  ): Promise<void> {
    const callback = typeof credentials === 'function' ? credentials : done;
    const known = typeof credentials === 'function' ? {} : (credentials ?? {});
    await settle(this.#load([nodes].flat(), flow, known), callback);
  }

  /** Stops the flow, forgets the nodes, and takes the spies off. */
  async unload(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    this.#red = undefined;
    this.#events.follow(undefined);
    this.#server?.passTo(undefined);
    // At once: specs that do not wait load the next flow meanwhile, with spies of its own.
    this.#spies.restore();
    await engine?.stop();
  }

  /** The running node. */
  // biome-ignore lint/suspicious/noExplicitAny: a spec knows which type of node it asks for
  getNode(id: string): any {
    return this.#engine?.parts.flows.getNode(id) ?? null;
  }

  /** Stops the flow. */
  async clearFlows(): Promise<void> {
    await this.#engine?.parts.flows.stop();
  }

  /** Deploys another flow. */
  async setFlows(
    flow: TestFlow,
    type: 'full' | 'flows' | 'nodes' | undefined = 'full',
    credentials?: Credentials | Callback,
    done?: Callback,
  ): Promise<void> {
    const callback = typeof credentials === 'function' ? credentials : done;
    const given = typeof credentials === 'function' ? {} : (credentials ?? {});
    const { flows, all } = takeApart(flow, given);
    const mode = type || 'full';
    const deploy = {
      flows,
      rev: String(++this.#rev),
      credentials: all,
      changedCredentials: Object.keys(all),
      mode,
    };
    await settle(this.#parts().flows.deploy(deploy), callback);
  }

  /** Requests to the routes that nodes added to `RED.httpAdmin`: an agent of supertest. */
  // biome-ignore lint/suspicious/noExplicitAny: supertest, without its types
  request(): any {
    return createRequire(import.meta.url)('supertest')(this.#httpAdmin ?? this.#parts().http.httpAdmin);
  }

  /** Starts a server on a free port: routes of nodes, their WebSockets, and `/comms`. */
  async startServer(done?: Callback): Promise<void> {
    const server = new TestServer();
    await settle(
      server.listen().then(() => {
        this.#server = server;
      }),
      done,
    );
  }

  async stopServer(done?: Callback): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await settle(Promise.resolve(server?.close()), done);
  }

  /** Where the server listens: `http://127.0.0.1:<port>`. */
  url(): string {
    if (this.#server === undefined)
      throw new Error('The server has not been started: call startServer first');
    return this.#server.url;
  }

  /** A spy of sinon on everything that is logged since the last `load`; each call's argument is a record. */
  log(): Spy | undefined {
    return this.#logSpy;
  }

  /** `RED.util`: the same for all that is loaded, so that specs can stub its members before. */
  // biome-ignore lint/suspicious/noExplicitAny: modules add members of their own
  get util(): any {
    return this.#util;
  }

  /** Credentials of the loaded flow. */
  get credentials(): { get(id: string): unknown } {
    return this.#engine?.parts.credentials ?? { get: () => undefined };
  }

  // What published specs use beneath the documented members, by the names that it has there.

  /** What was set by `settings`, to be kept and put back. */
  get _settings(): JsonObject {
    return this.#settings.given;
  }
  set _settings(settings: JsonObject) {
    this.settings(settings);
  }
  /** `RED.events`; may be listened to before `load`. */
  get _events(): EventEmitter {
    return this.#events;
  }
  get _redNodes(): FlowControls {
    return this.#flowControls;
  }
  // biome-ignore lint/suspicious/noExplicitAny: RED, and what modules make of it
  get _RED(): any {
    return redOf(this.#red, { util: this.#util, events: this.#events, settings: this.settings() });
  }
  get _logSpy(): Spy | undefined {
    return this.#logSpy;
  }
  /** A sandbox of sinon; `unload` restores it. */
  get _sandbox(): object {
    return this.#spies.sandbox;
  }
  get _NodePrototype(): object {
    return Node.prototype;
  }
  get _context(): object {
    return this.#engine?.parts.contexts ?? {};
  }
  get _comms(): object {
    return (this.#red?.['comms'] as object | undefined) ?? {};
  }

  async #load(nodes: readonly TestedNode[], flow: TestFlow, credentials: Credentials): Promise<void> {
    if (this.#engine !== undefined) await this.unload();
    this.#spies.install();
    const spy = Object.assign(this.#spies.create(), logLevels);
    this.#logSpy = spy;
    const engine = new Engine({
      settings: this.#settings.compiled(),
      log: recordingLog(spy),
      control: alone((topic, data) => this.#server?.comms.publish(topic, data)),
      util: this.#util,
    });
    this.#engine = engine;
    const { flows, all } = takeApart(flow, credentials);
    const rev = String(++this.#rev);
    const { http } = await engine.prepare({ credentials: all, runtimeSettings: {}, userSettings: {} });
    this.#httpAdmin = http.httpAdmin;
    this.#events.follow(engine.parts.events);
    await this.#register(engine, nodes, flow);
    this.#server?.passTo(http.server);
    await engine.parts.flows.load({ flows, rev, credentials: all }, 'start');
  }

  async #register(engine: Engine, nodes: readonly TestedNode[], flow: TestFlow): Promise<void> {
    const RED = engine.parts.createRed(testSet, testModule);
    // Specs compare texts with their keys.
    RED['_'] = (key: unknown) => key;
    RED['settings'] = this.#settings.shownWith(RED['settings'] as JsonObject);
    this.#red = RED;
    const { types, flows } = engine.parts;
    types.register(testSet, 'helper', function helper(this: object, config: object) {
      flows.createNode(this, config);
    });
    for (const node of nodes) await node(RED);
    for (const [type, load] of Object.entries(coreNodes)) {
      const wanted = flow.some((item) => item.type === type);
      if (wanted && types.get(type) === undefined) await load()(RED);
    }
  }

  #parts(): Engine['parts'] {
    if (this.#engine === undefined) throw new Error('Nothing is loaded: call load first');
    return this.#engine.parts;
  }
}

const logLevels = { FATAL: 10, ERROR: 20, WARN: 30, INFO: 40, DEBUG: 50, TRACE: 60, METRIC: 99 };

/** All nodes under test belong to one set, of a module that is on no disk. */
const testSet: NodeSet = {
  id: 'node-red/test',
  name: 'test',
  module: 'node-red',
  version: '0.0.0',
  kind: 'nodes',
  types: [],
  enabled: true,
  local: false,
  namespace: 'node-red',
};
const testModule: NodeModule = {
  name: 'node-red',
  version: '0.0.0',
  path: process.cwd(),
  local: false,
  user: false,
  dependencies: [],
  hidden: false,
  nodes: [],
  plugins: [],
};

/** Credentials may also stand in the nodes, as in a deploy. */
function takeApart(flow: TestFlow, credentials: Credentials): { flows: FlowConfig; all: Credentials } {
  const all: Record<string, Credentials[string]> = { ...credentials };
  const flows = flow.map(({ credentials: own, ...item }) => {
    if (isObject(own)) all[item.id] = { ...all[item.id], ...own };
    return item as FlowItem;
  });
  return { flows, all };
}

/** Tells a callback how it ended, or, without one, whoever waits for the promise. */
async function settle(action: Promise<unknown>, done: Callback | undefined): Promise<void> {
  if (done === undefined) {
    await action;
    return;
  }
  let failure: unknown;
  try {
    await action;
  } catch (error) {
    failure = error;
  }
  if (failure === undefined) done();
  else done(failure);
}
