import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from './database.ts';

/** A value as it is stored: text or bytes, whatever they mean to who wrote them. */
export type StoredValue = string | Uint8Array;

/** One change: a key's new value, or null to remove it. */
export interface ContextChange {
  readonly key: string;
  readonly value: StoredValue | null;
}

/** How durable each change is once it has returned. */
export interface ContextTableOptions {
  /**
   * `normal` (default): a change outlives the end of every process, however it comes; a power cut may take back the last
   * ones, but never tears one apart. `full`: it outlives a power cut too, for the price of a disk flush per change.
   */
  readonly synchronous?: 'normal' | 'full';
}

const schema = `
  CREATE TABLE IF NOT EXISTS context (
    id INTEGER PRIMARY KEY,
    store TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value ANY NOT NULL,
    UNIQUE (store, scope, key)
  ) STRICT`;

/**
 * Context values of one store in an SQLite database; several stores may share the file.
 * @remarks Every change is one transaction, written when the call returns. Keys are in the order in which they were first
 * set. Whoever opens it closes it; after that every call throws.
 */
export class ContextTable {
  readonly #database: DatabaseSync;
  readonly #store: string;
  readonly #get: StatementSync;
  readonly #keys: StatementSync;
  readonly #scopes: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeScope: StatementSync;

  /** @throws the system's or SQLite's error if the file can't be opened, or is no database. */
  constructor(path: string, store: string, { synchronous = 'normal' }: ContextTableOptions = {}) {
    const database = openDatabase(path);
    try {
      database.exec(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
      database.exec(schema);
      this.#get = database.prepare('SELECT value FROM context WHERE store = ? AND scope = ? AND key = ?');
      this.#keys = database.prepare('SELECT key FROM context WHERE store = ? AND scope = ? ORDER BY id');
      this.#scopes = database.prepare('SELECT DISTINCT scope FROM context WHERE store = ?');
      this.#put = database.prepare(
        `INSERT INTO context (store, scope, key, value) VALUES (?, ?, ?, ?)
         ON CONFLICT (store, scope, key) DO UPDATE SET value = excluded.value`,
      );
      this.#remove = database.prepare('DELETE FROM context WHERE store = ? AND scope = ? AND key = ?');
      this.#removeScope = database.prepare('DELETE FROM context WHERE store = ? AND scope = ?');
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    this.#store = store;
  }

  get(scope: string, key: string): StoredValue | undefined {
    return this.#get.get(this.#store, scope, key)?.['value'] as StoredValue | undefined;
  }

  keys(scope: string): string[] {
    return this.#keys.all(this.#store, scope).map((row) => row['key'] as string);
  }

  scopes(): string[] {
    return this.#scopes.all(this.#store).map((row) => row['scope'] as string);
  }

  /** Makes all changes, or none. */
  change(scope: string, changes: readonly ContextChange[]): void {
    const [only] = changes;
    // One statement is a transaction of its own.
    if (changes.length === 1 && only !== undefined) this.#apply(scope, only);
    else
      this.#transaction(() => {
        for (const change of changes) this.#apply(scope, change);
      });
  }

  /** Removes every key of some scopes. */
  removeScopes(scopes: readonly string[]): void {
    this.#transaction(() => {
      for (const scope of scopes) this.#removeScope.run(this.#store, scope);
    });
  }

  close(): void {
    this.#database.close();
  }

  #apply(scope: string, { key, value }: ContextChange): void {
    if (value === null) this.#remove.run(this.#store, scope, key);
    else this.#put.run(this.#store, scope, key, value);
  }

  #transaction(action: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      action();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
