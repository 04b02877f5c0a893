/**
 * The protocol between the planes: every call with what it asks and what it gives, and every event.
 * @remarks The answer's type follows from the method's name; {@link Handlers} demands a handler for every method.
 * Values must survive JSON. A change that an older side would misread raises {@link protocolVersion}.
 */

import type {
  Credentials,
  DeployMode,
  FlowConfig,
  FlowState,
  NodeCredentials,
  Revision,
} from '../contract/flows.ts';
import type { FlowsDelta } from '../contract/flows-delta.ts';
import type { LibraryInfo } from '../contract/settings.ts';
import type { HookOutcome, InstallEvent, InstallHook } from '../modules/install-hooks.ts';
import type { NodeModule, NodeSet } from '../modules/node-module.ts';
import type { SettingsSource } from '../settings/source.ts';

/** Compared at the handshake; both sides must speak the same. */
export const protocolVersion = 2;

/** What the engine must know to load modules and run flows. The first call on a new link. */
export interface EngineStart {
  readonly settings: SettingsSource;
  /** Every module to load, in load order, core first. */
  readonly modules: readonly NodeModule[];
  readonly flows: FlowConfig;
  readonly rev: Revision;
  readonly credentials: Credentials;
  /** `start` runs the flows; `stop` and `safe` load the modules only. */
  readonly state: FlowState;
  /** Persisted values of `RED.settings.set`, by key. */
  readonly runtimeSettings: { readonly [key: string]: unknown };
  /** User settings by user name (`_` is nobody), for `RED.settings.getUserSettings`. */
  readonly userSettings: { readonly [user: string]: unknown };
  /** Path of the Unix socket (or Windows pipe) on which the engine serves node-owned HTTP. */
  readonly httpSocket: string;
  /** Proves to the engine that a proxied request's plane headers were set by the control plane. */
  readonly httpSecret: string;
}

/** How one set fared in the engine. */
export interface SetStatus {
  readonly id: string;
  readonly loaded: boolean;
  /** Why not, in words for an administrator. */
  readonly err?: string;
  /** All types: those the html declares, then those that the code registered besides. */
  readonly types: readonly string[];
  /** Declared credentials by type (dashes for spaces), so that a deploy can be taken apart without the engine. */
  readonly credentials: { readonly [type: string]: CredentialFields };
  /** Html for the editor that the set's code made (`registerSubflow`), besides that of its template file. */
  readonly template?: string;
  /** Plugins that the set registered. */
  readonly plugins: readonly {
    readonly id: string;
    readonly type?: string;
    readonly [member: string]: unknown;
  }[];
}

/** The credential fields that a node type declares. */
export type CredentialFields = { readonly [field: string]: { readonly type: 'text' | 'password' } };

/** What became of flows that were to run. */
export type FlowsStatus =
  | { readonly is: 'running' }
  | { readonly is: 'stopped' }
  | { readonly is: 'safe' }
  | { readonly is: 'missing-types'; readonly types: readonly string[] }
  | {
      readonly is: 'missing-modules';
      readonly modules: readonly { readonly module: string; readonly error: string }[];
    }
  /** Nothing was started: duplicate or dangling ids, circular subflows; the text names them. */
  | { readonly is: 'invalid'; readonly message: string };

/** A new configuration to move to. */
export interface FlowsDeploy {
  readonly flows: FlowConfig;
  readonly rev: Revision;
  readonly credentials: Credentials;
  /** Ids whose credentials this deploy changed: they restart even where nothing else differs. */
  readonly changedCredentials: readonly string[];
  readonly mode: Exclude<DeployMode, 'reload'>;
}

/** A new configuration to move to, told by an earlier one. */
export interface FlowsPatch extends Omit<FlowsDeploy, 'flows'> {
  readonly delta: FlowsDelta;
}

/** Which context is meant; `id` is a flow's or a node's. */
export interface ContextAddress {
  readonly scope: 'global' | 'flow' | 'node';
  readonly id?: string;
  readonly key?: string;
  readonly store?: string;
}

/** What node types and plugins add to `GET /settings` and to the library. */
export interface EngineSettings {
  readonly exported: { readonly [name: string]: unknown };
  readonly context: { readonly default: string; readonly stores: readonly string[] };
  readonly libraryTypes: readonly string[];
  /** Libraries of plugins; absent where there are none. */
  readonly libraries?: readonly LibraryInfo[];
}

/** A moment's figures of the engine process. */
export interface EngineStats {
  readonly pid: number;
  readonly version: string;
  readonly memoryUsage: NodeJS.MemoryUsage;
  /** Milliseconds, since the last heartbeat. */
  readonly eventLoopDelay: { readonly mean: number; readonly p99: number; readonly max: number };
  readonly uptime: number;
  /** Messages waiting for delivery. */
  readonly queued: number;
  readonly nodes: number;
  readonly uncaughtErrors: number;
}

/** What the control plane asks of the engine. */
export interface EngineCalls {
  'engine.start': {
    asks: EngineStart;
    gives: { readonly sets: readonly SetStatus[]; readonly flows: FlowsStatus };
  };
  /** Stops the flows, closes every node and context store; the process may be ended afterwards. */
  'engine.stop': { asks: null; gives: null };
  'module.load': { asks: { readonly module: NodeModule }; gives: readonly SetStatus[] };
  /** Forgets the module's types. Its code stays in memory until the engine restarts. */
  'module.unload': { asks: { readonly module: string }; gives: null };
  /** Runs what modules added to a hook around npm. */
  'install.hook': {
    asks: { readonly hook: InstallHook; readonly event: InstallEvent };
    gives: HookOutcome;
  };
  'set.enable': { asks: { readonly set: NodeSet }; gives: SetStatus };
  'set.disable': { asks: { readonly id: string }; gives: null };
  'flows.deploy': { asks: FlowsDeploy; gives: FlowsStatus };
  /** The same, told by the configuration that the engine should have. If it has another, it touches nothing and says so. */
  'flows.patch': { asks: FlowsPatch; gives: FlowsStatus | { readonly is: 'unknown-base' } };
  'flows.start': { asks: null; gives: FlowsStatus };
  'flows.stop': { asks: null; gives: FlowsStatus };
  /** The answer has the admin API's shape. Undefined store or node: an `AppError` `not_found`. */
  'context.read': { asks: ContextAddress & { readonly keysOnly?: boolean }; gives: unknown };
  'context.delete': { asks: ContextAddress; gives: null };
  'settings.read': { asks: null; gives: EngineSettings };
  /** An entry of a plugin's library: a file's text, or what a folder holds. */
  'library.read': {
    asks: { readonly library: string; readonly type: string; readonly path: string };
    gives: string | readonly unknown[];
  };
  'library.write': {
    asks: {
      readonly library: string;
      readonly type: string;
      readonly path: string;
      readonly meta: object;
      readonly body: string;
    };
    gives: null;
  };
  'stats.read': { asks: null; gives: EngineStats };
}

/** What the engine asks of the control plane, which owns what must last. */
export interface ControlCalls {
  /** Persists (or, with `undefined`, deletes) a runtime setting. */
  'settings.set': { asks: { readonly key: string; readonly value?: unknown }; gives: null };
  'userSettings.set': { asks: { readonly user: string; readonly value: unknown }; gives: null };
  /** Stores (`null`: deletes) the credentials of one node that code changed (`RED.nodes.addCredentials`). */
  'credentials.set': {
    asks: { readonly id: string; readonly credentials: NodeCredentials | null };
    gives: null;
  };
  /**
   * Installs an npm package for `libs` of function nodes, with options for npm that hooks may have changed; gives its
   * version.
   */
  'external.install': {
    asks: { readonly module: string; readonly args: readonly string[] };
    gives: { readonly version: string };
  };
}

/** What the engine tells the control plane. */
export interface EngineEvents {
  /** Process is up; before any call. */
  hello: { readonly protocol: number; readonly pid: number };
  heartbeat: EngineStats;
  /** Which set is being loaded now, so that the culprit is known when the process dies of it. */
  'set.loading': { readonly id: string };
  'set.status': SetStatus;
  'flows.status': FlowsStatus;
  /**
   * The last word of a process that somebody ended with `process.exit`; `callers` are the lines of the stack outside of
   * Node.js, innermost first, and none where nobody called.
   */
  exiting: { readonly code: number; readonly callers: readonly string[] };
  /** A message for every open editor. */
  comms: { readonly topic: string; readonly data: unknown; readonly retain: boolean };
}

/** What the control plane tells the engine. */
export interface ControlEvents {
  /** A frame from an editor's WebSocket, for `RED.events` (`comms:message:<topic>`). */
  'comms.message': {
    readonly session: string;
    readonly topic: string;
    readonly user: unknown;
    readonly data: unknown;
  };
  'comms.connection': { readonly session: string; readonly is: 'added' | 'removed' };
  'userSettings.changed': { readonly user: string; readonly value: unknown };
}

/** The methods of one direction. */
export type Calls = { readonly [method: string]: { asks: unknown; gives: unknown } };

/** A handler for every method of a direction; none may be missing. */
export type Handlers<C> = {
  readonly [M in keyof C]: C[M] extends { asks: infer Asks; gives: infer Gives }
    ? (asks: Asks) => Promise<Gives> | Gives
    : never;
};
