import type { EventEmitter } from 'node:events';
import type { NodeCredentials } from '../../contract/flows.ts';
import { isObject } from '../../contract/json.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import type { ExternalModules } from '../registry/external-modules.ts';
import type { PluginRegistry } from '../registry/plugin-registry.ts';
import { type RegisteringSet, readTypeOptions, type TypeRegistry } from '../registry/type-registry.ts';
import type { CredentialStore } from './credential-store.ts';
import type { NodeSettings } from './node-settings.ts';
import type { RuntimeSettings } from './runtime-settings.ts';

/** The HTTP side of `RED`. */
export interface RedHttp {
  /** Express applications. */
  readonly httpNode: unknown;
  readonly httpAdmin: unknown;
  /** The `http.Server` that upgrades reach. */
  readonly server: unknown;
  /** Makes the middleware that lets only holders of a permission pass. */
  readonly needsPermission: (permission: string) => unknown;
}

/** The running flows, as far as `RED.nodes` shows them. */
export interface RedFlows {
  createNode(node: object, config: object): void;
  getNode(id: string): object | null;
  eachNode(visit: (item: object) => void): void;
  readonly linkCallTargets: object;
}

/** `RED.hooks`. */
interface RedHooks {
  has(name: string): boolean;
  clear(): void;
  add(name: string, handler: (event: never, done: (result?: unknown) => void) => unknown): void;
  remove(name: string): void;
  trigger(name: string, event: unknown, done?: (result?: unknown) => void): unknown;
}

/** What every set's `RED` is made of. */
export interface RedDeps {
  /** The version of the node API, as modules compare it. */
  readonly version: string;
  /** `RED.util`: one object for all, which modules may extend. */
  readonly util: object;
  /** `RED.log`. */
  readonly log: object;
  readonly warn: (text: string) => void;
  readonly events: EventEmitter;
  readonly hooks: RedHooks;
  readonly settings: RuntimeSettings;
  readonly nodeSettings: NodeSettings;
  readonly types: TypeRegistry;
  readonly plugins: PluginRegistry;
  readonly external: ExternalModules;
  readonly credentials: CredentialStore;
  readonly flows: RedFlows;
  readonly http: RedHttp;
  /** Adds a type to the editor's library. */
  readonly registerLibraryType: (type: string) => void;
  /** Translates `<namespace>:<key>`. */
  readonly translate: (key: string, ...options: unknown[]) => string;
}

/** A function with whatever arguments; what of `RED` node modules see is described in `engine/node/api.ts`. */
type Member = unknown;

/**
 * Makes the factory of `RED` objects: each set is given its own, with shared parts inside.
 * @remarks A set's own are those that must know who calls (`registerType`, `registerPlugin`, `_`) and the outer
 * objects, so that what one set adds to its `RED` stays its own. What they share is one: `util`, `events`, `hooks`.
 */
export function redFactory(deps: RedDeps): (set: NodeSet, module: NodeModule) => Record<string, Member> {
  const hooks = sharedHooks(deps.hooks);
  const comms = {
    publish: (topic: string, data: unknown, retain?: boolean) =>
      void deps.events.emit('comms', { topic, data, retain: retain === true }),
  };
  return (set, module) => ({
    nodes: nodesOf(deps, describeSet(set, module)),
    log: { ...deps.log },
    settings: deps.settings.facade(),
    events: deps.events,
    hooks,
    util: deps.util,
    version: () => deps.version,
    require: (name: string) => deps.external.require(name),
    import: (name: string) => deps.external.import(name),
    comms: { ...comms },
    plugins: {
      registerPlugin: (id: string, definition: unknown) =>
        deps.plugins.register(set, module.path, id, definition),
      get: (id: string) => deps.plugins.get(id),
      getByType: (type: string) => deps.plugins.getByType(type),
    },
    library: { register: (type: string) => deps.registerLibraryType(type) },
    httpNode: deps.http.httpNode,
    httpAdmin: deps.http.httpAdmin,
    server: deps.http.server,
    auth: { needsPermission: deps.http.needsPermission },
    _: (key: string, ...options: unknown[]) =>
      deps.translate(String(key).includes(':') ? key : `${set.namespace}:${key}`, ...options),
  });
}

/** What nodes of the set's types carry as `_module`. */
function describeSet(set: NodeSet, { user }: NodeModule) {
  const { id, name, types, enabled, local, module, version } = set;
  return { id, name, types, enabled, local, user, module, loaded: true, version };
}

function nodesOf(deps: RedDeps, registering: RegisteringSet): Record<string, Member> {
  const { types, nodeSettings, credentials, flows } = deps;
  return {
    createNode: (node: object, config: object) => flows.createNode(node, config),
    getNode: (id: string) => flows.getNode(id),
    eachNode: (visit: (item: object) => void) => flows.eachNode(visit),
    addCredentials: (id: string, values: NodeCredentials) => credentials.add(id, values),
    getCredentials: (id: string) => credentials.get(id),
    deleteCredentials: (id: string) => credentials.delete(id),
    registerType: (...args: unknown[]) => {
      // Some pass the set's id first, as the runtime's own function of that name wants it.
      const [type, nodeClass, options] = typeof args[1] === 'string' ? args.slice(1) : args;
      types.register(registering, type as string, nodeClass, readTypeOptions(options));
      if (!isObject(options) || options['settings'] === undefined) return;
      try {
        nodeSettings.register(type as string, options['settings']);
      } catch (error) {
        deps.warn(`[${type}] ${error instanceof Error ? error.message : error}`);
      }
    },
    registerSubflow: (definition: unknown) => void types.registerSubflow(registering, definition),
    getType: (type: string) => {
      const found = types.get(type);
      return found?.is === 'class' ? found.nodeClass : found?.subflow;
    },
    linkcallTargets: flows.linkCallTargets,
  };
}

function sharedHooks(hooks: RedHooks): RedHooks {
  return {
    has: (name) => hooks.has(name),
    clear: () => hooks.clear(),
    add: (name, handler) => hooks.add(name, handler),
    remove: (name) => hooks.remove(name),
    trigger: (name, event, done) =>
      done === undefined ? hooks.trigger(name, event) : hooks.trigger(name, event, done),
  };
}
