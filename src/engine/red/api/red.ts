import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { HttpApp, HttpHandler } from './http.ts';
import type { Node, NodeConstructor, NodeDef } from './node.ts';
import type { NodeAPIUtil } from './util.ts';

/** What a type declares besides its constructor. */
export interface RegisterTypeOptions {
  /** Credential fields by name; `password` fields never reach the editor. */
  readonly credentials?: { readonly [field: string]: { readonly type: 'text' | 'password' } };
  /**
   * Settings of the settings file that the type reads; names start with the type in camel case. The editor is shown
   * the exportable ones.
   */
  readonly settings?: {
    readonly [name: string]: { readonly value?: unknown; readonly exportable?: boolean };
  };
  /** The node's property that lists npm packages to be installed before flows start. */
  readonly dynamicModuleList?: string;
}

/** `RED.nodes`. */
export interface NodeAPINodes {
  /** Makes `node` a node. Call it first in a type's constructor. */
  createNode(node: object, config: NodeDef): void;
  /** @throws where another module has registered the type. */
  registerType<N extends object = Node, Def extends NodeDef = NodeDef>(
    type: string,
    nodeClass: NodeConstructor<N, Def>,
    options?: RegisterTypeOptions,
  ): void;
  /** Offers a subflow, as exported from the editor, as a node type. */
  registerSubflow(definition: object): void;
  /** The running node, also inside a subflow instance (`<instance id>-<id>`). */
  getNode<N = Node>(id: string): N | null | undefined;
  /** Every item of the flow configuration. */
  eachNode(visit: (item: NodeDef & { readonly [property: string]: unknown }) => void): void;
  /** The constructor of a type, or the subflow behind it. */
  getType(type: string): unknown;
  addCredentials(id: string, credentials: object): Promise<void>;
  getCredentials(id: string): object | undefined;
  deleteCredentials(id: string): Promise<void>;
  /** The `link in` nodes that run. */
  readonly linkcallTargets: object;
}

/** `RED.log`. */
export interface NodeAPILog {
  readonly FATAL: 10;
  readonly ERROR: 20;
  readonly WARN: 30;
  readonly INFO: 40;
  readonly DEBUG: 50;
  readonly TRACE: 60;
  readonly AUDIT: 98;
  readonly METRIC: 99;
  info(text: unknown): void;
  warn(text: unknown): void;
  error(text: unknown): void;
  debug(text: unknown): void;
  trace(text: unknown): void;
  log(record: { level: number; msg?: unknown; [member: string]: unknown }): void;
  /** Whether metrics are wanted. */
  metric(): boolean;
  audit(event: object, request?: object): void;
  /** The handler is given the event `log` with each record. */
  addHandler(handler: EventEmitter): void;
  removeHandler(handler: EventEmitter): void;
  /** Translates a text of the runtime. */
  _(key: string, values?: object): string;
}

/** `RED.settings`: every value of the settings file, read-only, and functions. */
export interface NodeAPISettings {
  readonly userDir: string;
  readonly settingsFile?: string;
  readonly version: string;
  readonly uiHost: string;
  readonly uiPort: number;
  readonly httpAdminRoot: string | false;
  readonly httpNodeRoot: string | false;
  /** A copy of a value of the settings file, or of what `set` kept. */
  get(key: string): unknown;
  /** Keeps a value for good. @throws for names of the settings file. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  available(): boolean;
  registerNodeSettings(type: string, declared: object): void;
  exportNodeSettings<T extends object>(shown: T): T;
  enableNodeSettings(types: readonly string[]): void;
  disableNodeSettings(types: readonly string[]): void;
  getUserSettings(user: string): unknown;
  setUserSettings(user: string, value: unknown): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the administrator's settings file says
  readonly [setting: string]: any;
}

/** A handler that looks at, changes or halts messages; `false` halts. */
export type HookHandler = (event: never, done: (result?: unknown) => void) => unknown;

/** `RED.hooks`. */
export interface NodeAPIHooks {
  /** Adds to `<hook>` or `<hook>.<label>`: `onSend`, `preRoute`, `preDeliver`, `postDeliver`, `onReceive`, …. */
  add(name: string, handler: HookHandler): void;
  /** Removes `<hook>.<label>`, or `*.<label>`. */
  remove(name: string): void;
  has(name: string): boolean;
  clear(): void;
  trigger(name: string, event: unknown): Promise<false | undefined>;
  trigger(name: string, event: unknown, done: (result?: unknown) => void): void;
}

/** A plugin; members besides these are the affair of whoever looks for plugins of its type. */
export interface PluginDefinition {
  readonly type?: string;
  readonly settings?: object;
  onadd?(): void;
  onremove?(): void;
  [member: string]: unknown;
}

/** A plugin as registered. */
export type Plugin = PluginDefinition & {
  readonly id: string;
  readonly module: string;
  readonly path: string;
};

/** `RED.plugins`. */
export interface NodeAPIPlugins {
  registerPlugin(id: string, definition: PluginDefinition): void;
  get(id: string): Plugin | undefined;
  getByType(type: string): Plugin[];
}

/** `RED`: what a node module's function is called with. */
export interface NodeAPI {
  readonly nodes: NodeAPINodes;
  readonly util: NodeAPIUtil;
  readonly log: NodeAPILog;
  readonly settings: NodeAPISettings;
  /** Shared by all modules and the engine: `flows:started`, `type-registered`, …. */
  readonly events: EventEmitter;
  readonly hooks: NodeAPIHooks;
  readonly plugins: NodeAPIPlugins;
  readonly comms: { publish(topic: string, data: unknown, retain?: boolean): void };
  readonly library: { register(type: string): void };
  readonly auth: { needsPermission(permission: string): HttpHandler };
  /** For the end points of flows. */
  readonly httpNode: HttpApp;
  /** For what the editor asks of the module; guard each route with `auth.needsPermission`. */
  readonly httpAdmin: HttpApp;
  readonly server: Server;
  /** Version of the node API. */
  version(): string;
  /** A built-in module, a loaded node module, or a package of the user directory. @throws `module_not_allowed`. */
  // biome-ignore lint/suspicious/noExplicitAny: a module may export anything
  require(name: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: a module may export anything
  import(name: string): Promise<any>;
  /** Translates a key of the module's own catalogue. */
  _(key: string, values?: object): string;
}

/** What a node module exports. */
export type NodeInitializer = (RED: NodeAPI) => void | Promise<void>;
