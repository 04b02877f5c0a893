import { isObject, type JsonObject } from '../contract/json.ts';
import type { Logger } from '../logging/logger.ts';
import { ConfigFile, configFilePath } from '../storage/config-file.ts';
import { coreModuleName } from './core.ts';
import type { SetMemory } from './describe.ts';
import type { InstallDone } from './install.ts';
import type { NodeModule } from './node-module.ts';

/** What is remembered of a set. The other members are the peer's; they are written for it, not read. */
interface RememberedSet {
  readonly enabled?: boolean;
  /** Why the set must not be loaded although it is enabled. */
  readonly quarantine?: string;
  readonly [member: string]: unknown;
}

/** What is remembered of a module. */
export interface RememberedModule {
  readonly version?: string;
  /** The user asked for it. */
  readonly user?: boolean;
  /** Packages whose install scripts were left out when it was installed. */
  readonly skippedScripts?: readonly string[];
  readonly nodes: { readonly [set: string]: RememberedSet };
  readonly [member: string]: unknown;
}

type Remembered = { readonly [module: string]: RememberedModule };

/**
 * What outlives a start of the installed modules: `.config.nodes.json` in the user directory, in the peer's format.
 * Modules that are listed there and not on disk stay listed, until they are removed by name.
 */
export class RememberedModules implements SetMemory {
  readonly #file: ConfigFile<Remembered>;
  #value: Remembered = {};

  /** @param readOnly keep changes in memory only. */
  constructor(userDir: string, log: Logger, readOnly = false) {
    this.#file = new ConfigFile({ path: configFilePath(userDir, 'nodes'), parse, log, readOnly });
  }

  /** Must be called, and awaited, before anything is asked. */
  async load(): Promise<void> {
    this.#value = await this.#file.read();
  }

  isDisabled(module: string, set: string): boolean {
    return this.#set(module, set)?.enabled === false;
  }

  quarantine(module: string, set: string): string | undefined {
    return this.#set(module, set)?.quarantine;
  }

  skippedScripts(module: string): readonly string[] {
    return this.#module(module)?.skippedScripts ?? [];
  }

  /** Modules that the user asked for, by name. */
  userModules(): readonly (readonly [name: string, module: RememberedModule])[] {
    return Object.entries(this.#value).filter(([, module]) => module.user === true);
  }

  /** Remembers sets as enabled (which also ends their quarantine) or disabled. On disk when it resolves. */
  setEnabled(sets: readonly { module: string; name: string }[], enabled: boolean): Promise<void> {
    return this.#change(sets, ({ quarantine: _ended, ...set }) => ({ ...set, enabled }));
  }

  /** Remembers that a set must not be loaded, and why. */
  setQuarantine(set: { module: string; name: string }, why: string): Promise<void> {
    return this.#change([set], (remembered) => ({ ...remembered, quarantine: why }));
  }

  /**
   * Writes down what is installed now. Of the module that was installed, updated or removed nothing is kept, but that an
   * update leaves disabled sets disabled.
   */
  async adopt(modules: readonly NodeModule[], done: InstallDone): Promise<void> {
    await this.#update((old) => {
      const { [done.module]: _was, ...others } = old;
      const next: Record<string, RememberedModule> = { ...others };
      for (const module of modules) {
        next[module.name] = asRemembered(
          module,
          old[module.name],
          module.name === done.module ? done : undefined,
        );
      }
      return next;
    });
  }

  #module(name: string): RememberedModule | undefined {
    return Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
  }

  #set(module: string, set: string): RememberedSet | undefined {
    const sets = this.#module(module)?.nodes ?? {};
    return Object.hasOwn(sets, set) ? sets[set] : undefined;
  }

  #change(
    sets: readonly { module: string; name: string }[],
    change: (set: RememberedSet) => RememberedSet,
  ): Promise<void> {
    return this.#update((old) => {
      const next: Record<string, RememberedModule> = { ...old };
      for (const { module, name } of sets) {
        const before = next[module] ?? { name: module, nodes: {} };
        const set = change(before.nodes[name] ?? { name, module });
        next[module] = { ...before, nodes: { ...before.nodes, [name]: set } };
      }
      return next;
    });
  }

  async #update(change: (old: Remembered) => Remembered): Promise<void> {
    // A file without the core module is one of the peer's first versions to it, which it would convert.
    this.#value = await this.#file.update((old) => ({
      [coreModuleName]: { name: coreModuleName, nodes: {} },
      ...change(old),
    }));
  }
}

function asRemembered(
  module: NodeModule,
  before: RememberedModule | undefined,
  done: InstallDone | undefined,
): RememberedModule {
  const { name, version, local, user } = module;
  const skippedScripts = done?.skippedScripts.map((one) => one.name) ?? before?.skippedScripts ?? [];
  // Plugin sets can't be disabled: only their quarantine is worth a word.
  const plugins = module.plugins.filter((set) => before?.nodes[set.name]?.quarantine !== undefined && !done);
  const sets = [...module.nodes, ...plugins].map((set) => {
    const old = before?.nodes[set.name];
    const quarantine = done ? undefined : old?.quarantine;
    return [
      set.name,
      {
        name: set.name,
        types: set.types,
        enabled: done?.did === 'install' || set.enabled,
        local: set.local,
        user: false,
        module: name,
        file: set.file ?? set.template,
        ...(quarantine === undefined ? {} : { quarantine }),
      },
    ] as const;
  });
  return {
    name,
    version,
    local,
    user,
    ...(skippedScripts.length === 0 ? {} : { skippedScripts }),
    nodes: Object.fromEntries(sets),
  };
}

function parse(value: unknown): Remembered {
  if (!isObject(value)) throw new Error('it must hold an object');
  const modules = Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(
    modules.map(([name, module]) => {
      const sets = isObject(module['nodes']) ? module['nodes'] : {};
      const nodes = Object.fromEntries(Object.entries(sets).filter(([, set]) => isObject(set)));
      return [name, { ...module, nodes } as RememberedModule];
    }),
  );
}
