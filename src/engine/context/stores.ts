import type { ContextStore } from './store.ts';

/** The opened stores by name, and which of them is meant where none is named. */
export class Stores {
  readonly #byName: ReadonlyMap<string, ContextStore>;
  readonly #default: ContextStore;
  readonly #warn: (text: string) => void;
  readonly #unknown = new Set<string>();
  /** The default store's name. */
  readonly defaultName: string;
  /** Every store's name, without an alias for the default one. */
  readonly names: readonly string[];
  /** The settings name stores; else there is one in memory. */
  readonly configured: boolean;

  constructor(
    byName: ReadonlyMap<string, ContextStore>,
    defaultName: string,
    configured: boolean,
    warn: (text: string) => void,
  ) {
    const standard = byName.get(defaultName);
    if (standard === undefined)
      throw new Error(`The default context store '${defaultName}' is not configured`);
    this.#byName = byName;
    this.#default = standard;
    this.#warn = warn;
    this.defaultName = defaultName;
    this.names = [...byName.keys()];
    this.configured = configured;
  }

  /** The store of that name; the default one where there is none, with a warning the first time. */
  get(name: string | undefined | null): ContextStore {
    if (!name || name === '_') return this.#default;
    const store = this.#byName.get(name);
    if (store !== undefined) return store;
    if (!this.#unknown.has(name)) {
      this.#unknown.add(name);
      this.#warn(`There is no context store '${name}'; the default store is used instead`);
    }
    return this.#default;
  }

  /** Every store, once. */
  all(): readonly ContextStore[] {
    return [...this.#byName.values()];
  }
}
