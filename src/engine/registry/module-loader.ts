import { setTimeout as sleep } from 'node:timers/promises';
import type { CredentialFields, SetStatus } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import { describeLoadError } from './load-error.ts';
import { loadSet } from './load-set.ts';
import type { Plugin, PluginRegistry } from './plugin-registry.ts';
import { forgetCode } from './require-cache.ts';
import type { TypeRegistry } from './type-registry.ts';

/** What the loader is built from. */
export interface ModuleLoaderDeps {
  readonly types: TypeRegistry;
  readonly plugins: PluginRegistry;
  /** Makes the `RED` object that a set's code is called with. */
  readonly createRed: (set: NodeSet, module: NodeModule) => unknown;
  /** Told which set's code is being run: if the process dies now, it is the culprit. */
  readonly onLoading: (setId: string) => void;
  /** Told when a set's code has finished, or was given up; again when it finished after all. */
  readonly onStatus: (status: SetStatus) => void;
  /** Code of our own that is run in place of a set's file. */
  readonly ownCode?: (set: NodeSet) => (() => Promise<(red: never) => unknown>) | undefined;
  /** How long a set may take to load, in milliseconds. */
  readonly limitMs: number;
  /** How long later sets wait for one that takes its time, in milliseconds; default 1000. */
  readonly patienceMs?: number;
  readonly log: Logger;
}

/** A set whose code was run, or that has none. */
interface Loaded {
  readonly set: NodeSet;
  loaded: boolean;
  err?: string;
}

/**
 * Loads node modules set by set, and knows how each fared.
 * @remarks Plugin sets come before node sets, else the given order is kept; a set that fails does not hinder others. The
 * types of a failed set are forgotten.
 */
export class ModuleLoader {
  readonly #deps: ModuleLoaderDeps;
  readonly #modules = new Map<string, NodeModule>();
  readonly #sets = new Map<string, Loaded>();
  /** Sets whose code runs now, in the order in which it began. */
  readonly #running = new Set<string>();

  constructor(deps: ModuleLoaderDeps) {
    this.#deps = deps;
  }

  /** Folder of a module that was loaded, whatever became of its sets. */
  pathOf(module: string): string | undefined {
    // The core is no module of its own: its folder holds other packages' code.
    return module === 'node-red' ? undefined : this.#modules.get(module)?.path;
  }

  /** Loads modules; gives the status of each of their sets once all have finished or were given up. */
  async load(modules: readonly NodeModule[]): Promise<readonly SetStatus[]> {
    for (const module of modules) this.#modules.set(module.name, module);
    const sets = [
      ...modules.flatMap((module) => module.plugins.map((set) => ({ set, module }))),
      ...modules.flatMap((module) => module.nodes.map((set) => ({ set, module }))),
    ];
    const running: Promise<void>[] = [];
    for (const { set, module } of sets) {
      const run = this.#loadSet(set, module);
      running.push(run);
      await settledWithin(run, this.#deps.patienceMs ?? 1000);
    }
    await Promise.all(running);
    return sets.map(({ set }) => this.#status(set));
  }

  /** Loads a set that was disabled, or shows its types again where its code has run already. */
  async enable(set: NodeSet): Promise<SetStatus> {
    const known = this.#sets.get(set.id);
    if (known?.loaded) {
      this.#deps.types.setEnabled(set.id, true);
      return this.#status(set);
    }
    const module = this.#modules.get(set.module);
    if (module !== undefined) await this.#loadSet({ ...set, enabled: true }, module);
    return this.#status(set);
  }

  /** Hides the set's types. */
  disable(setId: string): void {
    this.#deps.types.setEnabled(setId, false);
  }

  /** Forgets a module: its types, its plugins (after their `onremove`), and its CommonJS code. */
  unload(name: string): void {
    for (const { set } of [...this.#sets.values()].filter((entry) => entry.set.module === name)) {
      this.#forget(set);
      this.#sets.delete(set.id);
    }
    const path = this.pathOf(name);
    if (path !== undefined) forgetCode(path);
    this.#modules.delete(name);
  }

  async #loadSet(set: NodeSet, module: NodeModule): Promise<void> {
    const entry: Loaded = { set, loaded: false };
    this.#sets.set(set.id, entry);
    if (set.err !== undefined) entry.err = set.err;
    if (!set.enabled || set.err !== undefined) return;
    if (set.file === undefined) {
      entry.loaded = true;
      return;
    }
    this.#running.add(set.id);
    this.#deps.onLoading(set.id);
    const failure = await this.#run(entry, set.file, module);
    if (failure === undefined) {
      entry.loaded = true;
    } else {
      entry.err = failure;
      this.#deps.log.warn(`[${set.id}] ${failure}`);
    }
    this.#running.delete(set.id);
    this.#deps.onStatus(this.#status(set));
    // What still waits may yet bring the process down.
    const suspect = [...this.#running].at(-1);
    if (suspect !== undefined) this.#deps.onLoading(suspect);
  }

  /** Runs the set's code; gives the words for why it failed. */
  async #run(entry: Loaded, file: string, module: NodeModule): Promise<string | undefined> {
    const { set } = entry;
    const limit = new AbortController();
    let red: unknown;
    const whole = Promise.resolve()
      .then(() => {
        red = this.#deps.createRed(set, module);
        const own = this.#deps.ownCode?.(set);
        return own === undefined ? loadSet(file, red) : own().then((run) => run(red as never));
      })
      .then(
        () => undefined,
        (error: unknown) => {
          this.#deps.log.debug(`[${set.id}] failed to load`, { err: error });
          this.#forget(set);
          return describeLoadError(error, set, module.path);
        },
      );
    try {
      const tooLate = `The module did not finish loading within ${this.#deps.limitMs / 1000} s`;
      const outcome = await Promise.race([
        whole,
        sleep(this.#deps.limitMs, tooLate, { signal: limit.signal }).catch(() => undefined),
      ]);
      if (outcome === tooLate) this.#awaitLatecomer(entry, whole);
      return outcome;
    } finally {
      limit.abort();
    }
  }

  /** Hides the types of a set that was given up, until it finishes after all. */
  #awaitLatecomer(entry: Loaded, whole: Promise<string | undefined>): void {
    const { set } = entry;
    this.#deps.types.setEnabled(set.id, false);
    void whole.then((failure) => {
      if (this.#sets.get(set.id) !== entry) return;
      if (failure === undefined) {
        entry.loaded = true;
        delete entry.err;
        this.#deps.types.setEnabled(set.id, true);
      } else {
        entry.err = failure;
      }
      this.#deps.onStatus(this.#status(set));
    });
  }

  #forget(set: NodeSet): void {
    this.#deps.types.unregister(set.id);
    try {
      this.#deps.plugins.unregister(set.id);
    } catch (error) {
      this.#deps.log.error(`[${set.id}] a plugin failed while it was removed`, { err: error });
    }
  }

  #status(set: NodeSet): SetStatus {
    const entry = this.#sets.get(set.id);
    const types = this.#deps.types.ofSet(set.id);
    const credentials: Record<string, CredentialFields> = {};
    for (const { type, credentials: fields } of types) {
      if (fields !== undefined) credentials[type.replaceAll(' ', '-')] = fields;
    }
    const template = types.map((type) => (type.is === 'subflow' ? type.subflow.template : '')).join('');
    return {
      id: set.id,
      loaded: entry?.loaded ?? false,
      ...(entry?.err === undefined ? {} : { err: entry.err }),
      // What the template names twice is listed twice, as clients of the peer see it.
      types: [...set.types, ...types.map(({ type }) => type).filter((type) => !set.types.includes(type))],
      credentials,
      plugins: this.#deps.plugins.ofSet(set.id).map((plugin) => ({
        ...lookOf(plugin),
        id: plugin.id,
        ...(plugin.type === undefined ? {} : { type: plugin.type }),
        module: plugin.module,
      })),
      ...(template === '' ? {} : { template }),
    };
  }
}

/** What the control plane needs of a theme to dress the editor; nothing of any other plugin. */
function lookOf({ type, css, scripts, monacoOptions }: Plugin): object {
  if (type !== 'node-red-theme') return {};
  return JSON.parse(JSON.stringify({ css, scripts, monacoOptions }));
}

async function settledWithin(run: Promise<void>, patienceMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([run, sleep(patienceMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
