import { AppError } from '../../contract/errors.ts';
import type { NodeModuleBody, NodeSetBody } from '../../contract/nodes.ts';
import type { CallOptions } from '../../link/link.ts';
import type { EngineCalls, SetStatus } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import { coreModuleName } from '../../modules/core.ts';
import type { Installer, InstallOutcome, ModulesChange } from '../../modules/install.ts';
import type { InstallRequest } from '../../modules/install-request.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import type { Settings } from '../../settings/settings.ts';
import { moduleBody, nodeSetBody, pluginSetBody } from './bodies.ts';
import type { NodeCatalogue } from './catalogue.ts';

/** Calls of the engine that concern modules. */
type ModuleCall = 'module.load' | 'module.unload' | 'set.enable' | 'set.disable';

/** What is needed of the supervisor. */
export interface NodesEngine {
  call<M extends ModuleCall>(
    method: M,
    asks: EngineCalls[M]['asks'],
    options?: CallOptions,
  ): Promise<EngineCalls[M]['gives']>;
  /** Ends the engine's process and starts another. */
  replace(reason: string): Promise<void>;
}

/** What the service needs. */
export interface NodesDeps {
  readonly settings: { readonly engine: Pick<Settings['engine'], 'loadTimeoutMs'> };
  readonly log: Logger;
  readonly catalogue: NodeCatalogue;
  readonly installer: Pick<Installer, 'install' | 'upload' | 'remove'>;
  readonly engine: NodesEngine;
  readonly comms: { publish(topic: string, data: unknown): void };
  /** Every node type that the flows name. */
  readonly typesInUse: () => ReadonlySet<string>;
}

/**
 * Installs, updates, removes, enables and disables, on disk and in the engine, and tells every open editor.
 * @remarks An engine that is gone or busy never undoes what is on disk: the sets then say so in `err`, and load when it
 * has started again.
 */
export class NodesService {
  readonly #deps: NodesDeps;

  constructor(deps: NodesDeps) {
    this.#deps = deps;
  }

  /**
   * Installs a module, or changes an installed one to another version, and loads it.
   * @throws AppError as `Installer.install`
   */
  async install(request: InstallRequest): Promise<NodeModuleBody> {
    return this.#bring(await this.#deps.installer.install(request));
  }

  /**
   * Installs an uploaded package file and loads it.
   * @throws AppError as `Installer.upload`
   */
  async upload(path: string): Promise<NodeModuleBody> {
    return this.#bring(await this.#deps.installer.upload(path));
  }

  /**
   * Removes a module of the user's.
   * @throws AppError `type_in_use`, and as `Installer.remove`
   */
  async remove(name: string): Promise<void> {
    const { catalogue, comms, installer, log } = this.#deps;
    const module = catalogue.module(name);
    // What is not there or not the user's own is for the installer to refuse.
    if (module?.user) this.#refuseInUse(module.nodes);
    const body = module && this.describe(module);
    const { changes } = await installer.remove(name);
    for (const removed of changes.removed) {
      // An engine that can't be told starts without the module anyway.
      await this.#deps.engine.call('module.unload', { module: removed.name }).catch((error: unknown) => {
        log.debug(`The engine could not forget ${removed.name}`, { err: error });
      });
    }
    await this.#replaceWhereChanged(changes, `${name} was removed`);
    const gone = [...(body?.plugins ?? []), ...(body?.nodes ?? []).map((set) => ({ ...set, loaded: false }))];
    comms.publish(
      'notification/node/removed',
      gone.map((set) => ({ ...set, enabled: false })),
    );
  }

  /**
   * Enables or disables a node set.
   * @throws AppError `not_found`, `type_in_use`, `settings_unavailable`
   */
  async setEnabled(id: string, enabled: boolean): Promise<NodeSetBody> {
    const { catalogue } = this.#deps;
    const set = this.#nodeSet(id);
    await this.#setEnabled([set], enabled);
    return nodeSetBody(catalogue.set(id) ?? set, catalogue);
  }

  /**
   * Enables or disables every node set of a module; none where one of them may not be.
   * @throws AppError as `setEnabled`
   */
  async setModuleEnabled(name: string, enabled: boolean): Promise<NodeModuleBody> {
    const module = this.#module(name);
    await this.#setEnabled(module.nodes, enabled);
    return this.describe(this.#module(name));
  }

  /** A module as the API shows it. */
  describe(module: NodeModule): NodeModuleBody {
    return moduleBody(module, this.#deps.catalogue, module.name === coreModuleName);
  }

  async #setEnabled(sets: readonly NodeSet[], enabled: boolean): Promise<void> {
    const { catalogue, comms } = this.#deps;
    const toChange = sets.filter((set) => set.enabled !== enabled || catalogue.errorOf(set) !== undefined);
    if (toChange.length === 0) return;
    if (!enabled) this.#refuseInUse(toChange);
    await catalogue.setEnabled(toChange, enabled);
    for (const { id } of toChange) {
      const set = catalogue.set(id);
      if (!set) continue;
      if (enabled) await this.#enableInEngine(set);
      else await this.#deps.engine.call('set.disable', { id }).catch(() => {});
      comms.publish(`notification/node/${enabled ? 'enabled' : 'disabled'}`, nodeSetBody(set, catalogue));
    }
  }

  async #enableInEngine(set: NodeSet): Promise<void> {
    const { catalogue, engine } = this.#deps;
    const asked = engine.call('set.enable', { set }, { timeoutMs: this.#loadTime(1) });
    await asked
      .then((status) => catalogue.record(status))
      .catch((error: unknown) => this.#notLoaded(set, error));
  }

  /** Loads what came, and answers with how it fared. */
  async #bring(outcome: InstallOutcome): Promise<NodeModuleBody> {
    const { changes, module: name } = outcome;
    const replaced = await this.#replaceWhereChanged(changes, `${name} was changed to another version`);
    if (!replaced) {
      for (const module of [...changes.added, ...changes.changed]) await this.#load(module);
    }
    const module = this.#module(name);
    this.#publishAdded(outcome);
    return this.describe(module);
  }

  /**
   * Code that has run can't be taken out of a process: a changed module that the engine knows costs it its process. The
   * flows start again with the new one.
   */
  async #replaceWhereChanged({ changed }: ModulesChange, why: string): Promise<boolean> {
    const { catalogue, engine, log } = this.#deps;
    const known = changed.some(({ nodes, plugins }) =>
      [...nodes, ...plugins].some((set) => catalogue.status(set.id) !== undefined),
    );
    if (!known) return false;
    await engine.replace(why).catch((error: unknown) => {
      log.warn('The engine was replaced, and is not ready yet', { err: error });
      for (const { nodes, plugins } of changed) {
        for (const set of [...nodes, ...plugins]) this.#notLoaded(set, error);
      }
    });
    return true;
  }

  async #load(module: NodeModule): Promise<void> {
    const { catalogue, engine } = this.#deps;
    const sets = [...module.nodes, ...module.plugins];
    const asked = engine.call('module.load', { module }, { timeoutMs: this.#loadTime(sets.length) });
    const statuses = await asked.catch((error: unknown) => {
      for (const set of sets) this.#notLoaded(set, error);
      return [];
    });
    for (const status of statuses) catalogue.record(status);
  }

  /** The engine could not answer. What it says later, or the one that is started next, replaces this. */
  #notLoaded(set: NodeSet, error: unknown): void {
    const err = error instanceof AppError ? error.detail : String(error);
    const status: SetStatus = {
      id: set.id,
      loaded: false,
      err,
      types: set.types,
      credentials: {},
      plugins: [],
    };
    this.#deps.catalogue.record(status);
  }

  #refuseInUse(sets: readonly NodeSet[]): void {
    const inUse = this.#deps.typesInUse();
    const types = sets.flatMap((set) => this.#deps.catalogue.status(set.id)?.types ?? set.types);
    const used = types.filter((type) => inUse.has(type));
    if (used.length > 0) throw new AppError('type_in_use', { detail: `Type in use: ${used.join(', ')}` });
  }

  #publishAdded({ did, module: name, changes }: InstallOutcome): void {
    const { catalogue, comms } = this.#deps;
    const module = this.#module(name);
    if (did === 'update') {
      comms.publish('notification/node/upgraded', { module: name, version: module.version });
      return;
    }
    // Installed for another one before, and the user's own now, it is new to the editor.
    const added = [...changes.added.filter((one) => !one.hidden && one.name !== name), module];
    const plugins = added.flatMap((one) => one.plugins).map((set) => pluginSetBody(set, catalogue));
    const nodes = added.flatMap((one) => one.nodes).map((set) => nodeSetBody(set, catalogue));
    if (plugins.length > 0) comms.publish('notification/plugin/added', plugins);
    if (nodes.length > 0) comms.publish('notification/node/added', nodes);
  }

  #nodeSet(id: string): NodeSet {
    const set = this.#deps.catalogue.set(id);
    if (set?.kind !== 'nodes') throw new AppError('not_found', { detail: 'Node not found' });
    return set;
  }

  #module(name: string): NodeModule {
    const module = this.#deps.catalogue.module(name);
    if (!module) throw new AppError('not_found', { detail: 'Module not found' });
    return module;
  }

  /** Longer than the engine takes at most for the sets of one module, in milliseconds. */
  #loadTime(sets: number): number {
    return this.#deps.settings.engine.loadTimeoutMs + sets * 2000 + 10_000;
  }
}
