import { getHeapStatistics } from 'node:v8';
import type { ControlCalls, EngineStart, SetStatus } from '../link/protocol.ts';
import { coreLocales, coreModuleName, findCorePackage } from '../modules/core.ts';
import {
  aroundInstall,
  externalOptions,
  type InstallEvent,
  type InstallHook,
} from '../modules/install-hooks.ts';
import type { NodeModule, NodeSet } from '../modules/node-module.ts';
import { ownSet } from '../palette/index.ts';
import { ContextManager } from './context/context-manager.ts';
import type { EngineDeps } from './control-port.ts';
import { FlowRuntime } from './graph/runtime.ts';
import { EngineHttp } from './http/engine-http.ts';
import { Catalogues } from './i18n/catalogues.ts';
import { LibrarySources } from './library/library-sources.ts';
import { EngineLog } from './log/engine-log.ts';
import { cloneMessage } from './messaging/clone.ts';
import { Hooks } from './messaging/hooks.ts';
import { Node } from './node/node.ts';
import { bridgeComms } from './red/comms-bridge.ts';
import { CredentialStore } from './red/credential-store.ts';
import { NodeSettings } from './red/node-settings.ts';
import { redFactory } from './red/red.ts';
import { RuntimeEvents } from './red/runtime-events.ts';
import { RuntimeSettings } from './red/runtime-settings.ts';
import { DeferredSets } from './registry/deferred-sets.ts';
import { ExternalModules } from './registry/external-modules.ts';
import { runInstallHook } from './registry/install-hooks.ts';
import { ModuleLoader } from './registry/module-loader.ts';
import { PluginRegistry } from './registry/plugin-registry.ts';
import { TypeRegistry } from './registry/type-registry.ts';
import { createUtil, type RedUtil } from './util/create-util.ts';

/** How long npm may take for a package that a flow needs, behind others that are being installed. */
const installTimeoutMs = 10 * 60_000;

/** What of the heap there is for each message that may wait: many more of common size would not fit into it. */
const queuedBytes = 2048;

/** The parts of a started engine. */
export interface EngineParts {
  readonly util: RedUtil;
  readonly events: RuntimeEvents;
  readonly hooks: Hooks;
  readonly types: TypeRegistry;
  readonly plugins: PluginRegistry;
  readonly nodeSettings: NodeSettings;
  readonly settings: RuntimeSettings;
  readonly credentials: CredentialStore;
  readonly contexts: ContextManager;
  readonly flows: FlowRuntime;
  readonly loader: ModuleLoader;
  readonly http: EngineHttp;
  readonly libraryTypes: ReadonlySet<string>;
  readonly librarySources: LibrarySources;
  /** Makes the `RED` object of a set. */
  readonly createRed: (set: NodeSet, module: NodeModule) => Record<string, unknown>;
  /** Stops the flows, then closes what the parts hold, last first. */
  close(): Promise<void>;
}

/** What of {@link EngineStart} the parts are made with; modules and flows come later. */
export interface ComposeStart extends Pick<EngineStart, 'credentials' | 'runtimeSettings' | 'userSettings'> {
  /** Where the control plane reaches the nodes' HTTP; without it nobody listens. */
  readonly http?: { readonly socket: string; readonly secret: string };
}

/**
 * Makes the parts of an engine and ties them together.
 * @throws Error where a context store cannot be opened or the socket cannot be listened on.
 */
export async function composeEngine(deps: EngineDeps, start: ComposeStart): Promise<EngineParts> {
  const { settings, control } = deps;
  const core = findCorePackage();
  const catalogues = new Catalogues({ lang: settings.lang, coreLocales: coreLocales(core) });
  const log = new EngineLog({ log: deps.log, translate: catalogues.translate });
  const events = new RuntimeEvents(log.warn);
  const hooks = new Hooks();
  const util = deps.util ?? createUtil({ cloneMessage });
  const publish = (topic: string, data: unknown, retain: boolean) =>
    void control.send('comms', { topic, data, retain }, { droppable: !retain });

  const credentials = new CredentialStore(start.credentials, (id, values) =>
    control.call('credentials.set', { id, credentials: values }),
  );
  const file = { ...settings.raw, version: core.version, coreNodesDir: core.path };
  const nodeSettings = new NodeSettings({ settings: file, normalise: util.normaliseNodeTypeName });
  const runtimeSettings = new RuntimeSettings({
    file,
    kept: start.runtimeSettings,
    users: start.userSettings,
    keeper: keeperOf(control),
    nodeSettings,
  });

  const types = new TypeRegistry({
    base: Node,
    onRegistered: (type) => {
      nodeSettings.setEnabled([type], true);
      events.emit('type-registered', type);
      flows.onTypeRegistered(type);
    },
    onHidden: (type) => nodeSettings.setEnabled([type], false),
    onForgotten: (type) => nodeSettings.unregister(type),
  });
  const plugins = new PluginRegistry({
    onAdded: (id) => {
      librarySources.pluginAdded(id);
      events.emit('registry:plugin-added', id);
    },
  });
  const { library } = Object(settings.raw['editorTheme']) as { library?: { sources?: unknown } };
  const librarySources = new LibrarySources({ configured: library?.sources, plugins, warn: log.warn });
  const external = new ExternalModules({
    userDir: settings.userDir,
    rules: settings.externalModules.modules,
    nodeModulePath: (name) => loader.pathOf(name),
    install: async ({ name, version }) => {
      const event = { module: name, version, dir: settings.userDir, args: externalOptions };
      const module = version === undefined ? name : `${name}@${version}`;
      const own = { trigger: (hook: InstallHook, told: InstallEvent) => runInstallHook(hooks, hook, told) };
      await aroundInstall(own, event, async (args) => {
        await control.call('external.install', { module, args }, { timeoutMs: installTimeoutMs });
      });
    },
  });

  const deferredSets = new DeferredSets();
  const subflowNodes = (type: string) => {
    const found = types.get(type);
    return found?.is === 'subflow' ? found.subflow.flow : undefined;
  };

  const contexts = await ContextManager.open({
    settings,
    properties: util,
    log,
    getNode: (id) => flows.getNode(id),
  });
  const http = new EngineHttp({
    settings,
    log: deps.log,
    ...(start.http === undefined ? {} : { secret: start.http.secret }),
  });
  if (start.http !== undefined) await http.listen(start.http.socket);
  const flows: FlowRuntime = new FlowRuntime({
    types,
    contexts,
    credentials,
    hooks,
    log,
    events,
    settings,
    util,
    comms: publish,
    ensureModules: async (config) => {
      const missing = await external.ensure(config, {
        dynamicModuleList: (type) => types.get(type)?.dynamicModuleList,
        subflowNodes,
      });
      await deferredSets.ready(config, subflowNodes);
      return missing;
    },
    onStatus: (status) => void control.send('flows.status', status),
    queueLimit: settings.engine.queueLimit ?? Math.floor(getHeapStatistics().heap_size_limit / queuedBytes),
    onNodeStarted: deps.onNodeStarted,
  });

  const libraryTypes = new Set<string>();
  const makeRed = redFactory({
    version: core.version,
    util,
    log,
    warn: log.warn,
    events,
    hooks,
    settings: runtimeSettings,
    nodeSettings,
    types,
    plugins,
    external,
    credentials,
    flows,
    http,
    registerLibraryType: (type) => void libraryTypes.add(type),
    translate: catalogues.translate,
  });
  const createRed: EngineParts['createRed'] = (set, module) => {
    catalogues.register(set);
    return makeRed(set, module);
  };
  const loader: ModuleLoader = new ModuleLoader({
    types,
    plugins,
    createRed,
    onLoading: (id) => void control.send('set.loading', { id }),
    onStatus: (status: SetStatus) => void control.send('set.status', status),
    ownCode: ({ id, module, name, file }) => {
      if (module !== coreModuleName || file === undefined) return undefined;
      const own = ownSet({ name, file }, settings.palette.own);
      if (own !== undefined) return own;
      const deferred = deferredSets.defer(file, (...type) => types.registerLater({ id, module }, ...type));
      return deferred && (async () => deferred);
    },
    limitMs: settings.engine.loadTimeoutMs,
    log: deps.log,
  });
  const stopBridge = bridgeComms(events, publish);

  return {
    util,
    events,
    hooks,
    types,
    plugins,
    nodeSettings,
    settings: runtimeSettings,
    credentials,
    contexts,
    flows,
    loader,
    http,
    libraryTypes,
    librarySources,
    createRed,
    close: () =>
      inTurn([() => flows.close(), () => stopBridge(), () => http.close(), () => contexts.close()], (error) =>
        deps.log.error('The engine could not close everything', { err: error }),
      ),
  };
}

/** Runs every step, also after one that fails. */
async function inTurn(steps: readonly (() => unknown)[], failed: (error: unknown) => void): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failed(error);
    }
  }
}

function keeperOf(control: EngineDeps['control']) {
  const done = async (call: Promise<ControlCalls['settings.set']['gives']>) => void (await call);
  return {
    setSetting: (key: string, value: unknown) => done(control.call('settings.set', { key, value })),
    setUserSettings: (user: string, value: unknown) =>
      done(control.call('userSettings.set', { user, value })),
  };
}
