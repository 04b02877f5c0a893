import { rm } from 'node:fs/promises';
import { AppError } from '../../contract/errors.ts';
import type { CredentialFields, SetStatus } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import { recover } from '../../modules/change.ts';
import { type CorePackage, findCorePackage } from '../../modules/core.ts';
import { type Discovered, type DiscoverOptions, discover } from '../../modules/discover.ts';
import type { InstallDone, InstalledModules, ModulesChange } from '../../modules/install.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import { RememberedModules } from '../../modules/remembered.ts';
import type { Settings } from '../../settings/settings.ts';
import { uploadFolder } from './upload.ts';

/** What the catalogue needs. */
export interface CatalogueDeps {
  readonly settings: Pick<
    Settings,
    'userDir' | 'readOnly' | 'nodesDir' | 'nodesExcludes' | 'nodesIncludes' | 'externalModules'
  >;
  readonly log: Logger;
}

/**
 * Which modules and sets there are on disk, what the administrator decided about them, and how each fared in the engine.
 * @remarks Runs none of their code. What the engine said stays until it says otherwise: while it restarts, the last
 * known statuses are shown.
 */
export class NodeCatalogue implements InstalledModules {
  /** The package of core node types; its version is the one that is announced. */
  readonly core: CorePackage = findCorePackage();
  readonly #deps: CatalogueDeps;
  readonly #remembered: RememberedModules;
  #modules: readonly NodeModule[] = [];
  #sets: ReadonlyMap<string, NodeSet> = new Map();
  readonly #statuses = new Map<string, SetStatus>();
  #credentials: ReadonlyMap<string, CredentialFields> | undefined;
  #isReported = false;
  #generation = 0;

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
    const { userDir, readOnly } = deps.settings;
    this.#remembered = new RememberedModules(userDir, deps.log, readOnly);
  }

  /** Takes back an interrupted installation, then finds what is there. Must be awaited before anything is asked. */
  async load(): Promise<void> {
    const { settings, log } = this.#deps;
    await recover(settings.userDir, log);
    await rm(uploadFolder(settings.userDir), { recursive: true, force: true }).catch((err: unknown) => {
      log.warn('Uploads of an earlier run could not be deleted', { err });
    });
    await this.#remembered.load();
    const { modules, leftOut } = this.discover();
    for (const { module, version, reason } of leftOut) {
      log.warn(`The module ${module} ${version} is left out: ${reason}`);
    }
    this.#take(modules);
  }

  /** Every module, in load order, for a starting engine; what must not be loaded is marked in its sets. */
  modulesToLoad(): readonly NodeModule[] {
    return this.#modules;
  }

  /** Rises whenever anything changes that a list or a template could show. */
  get generation(): number {
    return this.#generation;
  }

  /** Modules that are listed: all but those present only because another one needs them. */
  listed(): readonly NodeModule[] {
    return this.#modules.filter((module) => !module.hidden);
  }

  module(name: string): NodeModule | undefined {
    return this.#modules.find((module) => module.name === name);
  }

  /** A node set or plugin set by its id. */
  set(id: string): NodeSet | undefined {
    return this.#sets.get(id);
  }

  /** How a set fared in the engine; undefined as long as it has not said. */
  status(setId: string): SetStatus | undefined {
    return this.#statuses.get(setId);
  }

  /** Whether an engine has started and said how all sets fared; never unsaid. */
  get isReported(): boolean {
    return this.#isReported;
  }

  /** The credential fields that a node type declares, in whichever set. */
  credentialFields(type: string): CredentialFields | undefined {
    this.#credentials ??= new Map(
      [...this.#statuses.values()].flatMap((status) => Object.entries(status.credentials)),
    );
    return this.#credentials.get(type) ?? this.#credentials.get(type.replace(/\s+/g, '-'));
  }

  /** Why a set is not loaded, in words for an administrator; undefined where it is, or is disabled. */
  errorOf(set: NodeSet): string | undefined {
    if (!set.enabled) return undefined;
    const status = this.#statuses.get(set.id);
    const err = set.err ?? status?.err;
    const skipped = this.#remembered.skippedScripts(set.module);
    if (err === undefined || skipped.length === 0) return err;
    return `${err} (the install scripts of ${skipped.join(', ')} were not run)`;
  }

  /** Whether a set's code ran without error in the engine, and it is enabled. */
  isLoaded(set: NodeSet): boolean {
    return set.enabled && set.err === undefined && this.#statuses.get(set.id)?.loaded === true;
  }

  /** Takes note of how a set fared. */
  record(status: SetStatus): void {
    this.#statuses.set(status.id, status);
    this.#changed();
  }

  /** Takes note of how every set fared in an engine that has just started. */
  recordStart(statuses: readonly SetStatus[]): void {
    this.#statuses.clear();
    for (const status of statuses) this.#statuses.set(status.id, status);
    this.#isReported = true;
    this.#changed();
  }

  /** Enables or disables sets, on disk. An enabled set is described anew, and is no longer in quarantine. */
  async setEnabled(sets: readonly NodeSet[], enabled: boolean): Promise<void> {
    try {
      await this.#remembered.setEnabled(sets, enabled);
    } catch (cause) {
      throw new AppError('settings_unavailable', { message: `.config.nodes.json: ${String(cause)}`, cause });
    }
    this.#take(this.discover().modules);
  }

  /** A set took the engine down: it is left out until it is enabled, updated or installed again. */
  async quarantine(setId: string, err: string): Promise<void> {
    const set = this.#sets.get(setId);
    if (!set) return;
    await this.#remembered.setQuarantine(set, err).catch((cause: unknown) => {
      // Left out of this run at least.
      this.#deps.log.error(`The quarantine of ${setId} could not be written down`, { err: cause });
    });
    const mark = (one: NodeSet): NodeSet => (one.id === setId ? { ...one, err } : one);
    this.#take(
      this.#modules.map((module) => ({
        ...module,
        nodes: module.nodes.map(mark),
        plugins: module.plugins.map(mark),
      })),
    );
  }

  discover(): Discovered {
    const { settings } = this.#deps;
    const options: DiscoverOptions = {
      userDir: settings.userDir,
      nodesDir: settings.nodesDir,
      nodesExcludes: settings.nodesExcludes,
      nodesIncludes: settings.nodesIncludes,
      rules: settings.externalModules.palette,
      memory: this.#remembered,
      core: this.core,
    };
    return discover(options);
  }

  async adopt(discovered: Discovered, done: InstallDone): Promise<ModulesChange> {
    await this.#remembered.adopt(discovered.modules, done).catch((cause: unknown) => {
      // The change itself is made, and the next start finds it.
      this.#deps.log.error('The installed modules could not be written down', { err: cause });
    });
    const before = this.#modules;
    // Once more, as what was remembered against the changed module is forgotten now.
    this.#take(this.discover().modules);
    return difference(before, this.#modules);
  }

  /** Modules that the user asked for and that are not on disk, with the version they had. */
  missing(): readonly { readonly name: string; readonly version?: string }[] {
    return this.#remembered
      .userModules()
      .filter(([name]) => this.module(name) === undefined)
      .map(([name, { version }]) => ({ name, ...(version === undefined ? {} : { version }) }));
  }

  #take(modules: readonly NodeModule[]): void {
    this.#modules = modules;
    this.#sets = new Map(
      modules.flatMap(({ nodes, plugins }) => [...nodes, ...plugins]).map((set) => [set.id, set]),
    );
    for (const id of this.#statuses.keys()) if (!this.#sets.has(id)) this.#statuses.delete(id);
    this.#changed();
  }

  #changed(): void {
    this.#credentials = undefined;
    this.#generation += 1;
  }
}

function difference(before: readonly NodeModule[], after: readonly NodeModule[]): ModulesChange {
  const find = (modules: readonly NodeModule[], name: string) =>
    modules.find((module) => module.name === name);
  const added = after.filter(({ name }) => find(before, name) === undefined);
  const removed = before.filter(({ name }) => find(after, name) === undefined);
  const changed = after.filter((module) => {
    const was = find(before, module.name);
    return was !== undefined && (was.version !== module.version || was.path !== module.path);
  });
  return { added, changed, removed };
}
