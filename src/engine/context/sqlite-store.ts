import { join, resolve } from 'node:path';
import { ContextTable, type ContextTableOptions } from '../../storage/context-table.ts';
import type { PropertyAccess } from '../util/property-access.ts';
import { type ScopeValues, valueAt } from './scope-values.ts';
import {
  answer,
  type ContextCallback,
  type ContextKeys,
  type ContextStore,
  pairs,
  perform,
} from './store.ts';
import { decodeValue, encodeValue } from './stored-value.ts';

/** Options of a `sqlite` store. */
export interface SqliteStoreOptions extends ContextTableOptions {
  /** The database, by default `context.db`; a relative path starts from the user directory. */
  readonly file?: string;
}

/**
 * Keeps values in an SQLite database: what a flow has set is written when `set` returns, and there after any crash.
 * @remarks One row for each first name of a scope; setting `a.b` rewrites `a`. Values are copies, both ways, and may be
 * whatever a structured clone can carry. Answers at once, with and without callbacks.
 */
export class SqliteStore implements ContextStore {
  readonly #path: string;
  readonly #name: string;
  readonly #options: SqliteStoreOptions;
  readonly #properties: PropertyAccess;
  #table: ContextTable | undefined;

  /** @param name of the store: several may share the file. */
  constructor(name: string, userDir: string, properties: PropertyAccess, options: SqliteStoreOptions = {}) {
    this.#path = options.file ? resolve(userDir, options.file) : join(userDir, 'context.db');
    this.#name = name;
    this.#options = options;
    this.#properties = properties;
  }

  async open(): Promise<void> {
    this.#table ??= new ContextTable(this.#path, this.#name, this.#options);
  }

  async close(): Promise<void> {
    this.#table?.close();
    this.#table = undefined;
  }

  get(scope: string, keys: ContextKeys, callback?: ContextCallback): unknown {
    const read = (key: string): unknown =>
      valueAt(this.#properties, this.#load(scope, this.#firstOf(key), Object.create(null)), key);
    return answer(keys, read, callback);
  }

  set(scope: string, keys: ContextKeys, value: unknown, callback?: ContextCallback): void {
    perform(() => {
      const values: ScopeValues = Object.create(null);
      const names = new Set<string>();
      for (const [key, one] of pairs(keys, value)) {
        const name = this.#firstOf(key);
        // What is set as a whole need not be read.
        if (!names.has(name) && name !== key) this.#load(scope, name, values);
        names.add(name);
        this.#properties.setObjectProperty(values, key, one);
      }
      const changes = [...names].map((name) => ({ key: name, value: this.#encode(name, values[name]) }));
      this.#opened().change(scope, changes);
    }, callback);
  }

  keys(scope: string, callback?: ContextCallback): string[] | undefined {
    if (!callback) return this.#opened().keys(scope);
    answer(scope, () => this.#opened().keys(scope), callback);
  }

  async delete(scope: string): Promise<void> {
    this.#opened().removeScopes([scope]);
  }

  async clean(active: readonly string[]): Promise<void> {
    const ids = new Set(active);
    const table = this.#opened();
    const unused = table
      .scopes()
      .filter((scope) => scope !== 'global' && !ids.has(scope.split(':', 1)[0] ?? ''));
    if (unused.length > 0) table.removeScopes(unused);
  }

  #firstOf(key: string): string {
    return String(this.#properties.normalisePropertyExpression(key)[0]);
  }

  /** Adds a stored value to `values`, if there is one. */
  #load(scope: string, name: string, values: ScopeValues): ScopeValues {
    const stored = this.#opened().get(scope, name);
    if (stored !== undefined) values[name] = decodeValue(stored);
    return values;
  }

  #encode(key: string, value: unknown): string | Uint8Array | null {
    if (value === undefined) return null;
    try {
      return encodeValue(value);
    } catch (cause) {
      throw new Error(`The value of "${key}" cannot be stored: ${(cause as Error).message}`, { cause });
    }
  }

  #opened(): ContextTable {
    if (this.#table === undefined) throw new Error('The context store is closed');
    return this.#table;
  }
}
