import { type Properties, type ScopeValues, valueAt } from './scope-values.ts';
import {
  answer,
  type ContextCallback,
  type ContextKeys,
  type ContextStore,
  pairs,
  perform,
} from './store.ts';

/** Keeps values in memory, by reference: what a flow does to an object that it read, it does to what is stored. */
export class MemoryStore implements ContextStore {
  readonly #scopes = new Map<string, ScopeValues>();
  readonly #properties: Properties;

  constructor(properties: Properties) {
    this.#properties = properties;
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}

  get(scope: string, keys: ContextKeys, callback?: ContextCallback): unknown {
    const values = this.#scopes.get(scope);
    const read = (key: string): unknown =>
      values === undefined ? undefined : valueAt(this.#properties, values, key);
    return answer(keys, read, callback);
  }

  set(scope: string, keys: ContextKeys, value: unknown, callback?: ContextCallback): void {
    const values = this.valuesOf(scope);
    // What flows do most often.
    if (typeof keys === 'string' && !callback) {
      this.#properties.setObjectProperty(values, keys, value);
      return;
    }
    perform(() => {
      for (const [key, one] of pairs(keys, value)) this.#properties.setObjectProperty(values, key, one);
    }, callback);
  }

  keys(scope: string, callback?: ContextCallback): string[] | undefined {
    const names = Object.keys(this.#scopes.get(scope) ?? {});
    const shown = scope === 'global' ? names.filter((name) => !['set', 'get', 'keys'].includes(name)) : names;
    if (!callback) return shown;
    callback(null, shown);
  }

  async delete(scope: string): Promise<void> {
    this.#scopes.delete(scope);
  }

  /** Holds nothing but what is global. */
  get isEmpty(): boolean {
    return this.#scopes.size === (this.#scopes.has('global') ? 1 : 0);
  }

  async clean(active: readonly string[]): Promise<void> {
    const ids = new Set(active);
    for (const scope of this.#scopes.keys()) {
      if (scope !== 'global' && !ids.has(scope.split(':', 1)[0] as string)) this.#scopes.delete(scope);
    }
  }

  /** The values of a scope themselves, by reference. */
  valuesOf(scope: string): ScopeValues {
    let values = this.#scopes.get(scope);
    if (values === undefined) {
      values = {};
      this.#scopes.set(scope, values);
    }
    return values;
  }

  /** Takes the place of a scope's values. */
  replace(scope: string, values: ScopeValues): void {
    this.#scopes.set(scope, values);
  }
}
