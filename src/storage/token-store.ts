import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Branded } from '../contract/json.ts';

/** SHA-256 of an access token, in base64url: all of it that is ever stored. */
export type TokenHash = Branded<string, 'TokenHash'>;

/** What is kept of an access token. */
export interface TokenRecord {
  /** Public id; names the token where the secret must not appear. */
  readonly id: string;
  readonly hash: TokenHash;
  readonly username: string;
  readonly clientId: string;
  readonly scope: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface TokenRow {
  id: string;
  hash: string;
  username: string;
  client_id: string;
  scope: string;
  created_at: number;
  expires_at: number;
}

const columns = 'id, hash, username, client_id, scope, created_at, expires_at';

/**
 * Access tokens in SQLite. Whoever opened the database closes it.
 * @remarks A change is on the disk when the method returns.
 */
export class TokenStore {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteExpired: StatementSync;
  readonly #nextExpiry: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS token (
        hash TEXT PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        username TEXT NOT NULL,
        client_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS token_expires_at ON token (expires_at);
    `);
    this.#insert = database.prepare(`INSERT INTO token (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    this.#select = database.prepare(`SELECT ${columns} FROM token WHERE hash = ?`);
    this.#delete = database.prepare(`DELETE FROM token WHERE hash = ? RETURNING ${columns}`);
    this.#deleteExpired = database.prepare(`DELETE FROM token WHERE expires_at <= ? RETURNING ${columns}`);
    this.#nextExpiry = database.prepare('SELECT min(expires_at) AS at FROM token');
  }

  save(record: TokenRecord): void {
    this.#insert.run(
      record.id,
      record.hash,
      record.username,
      record.clientId,
      record.scope.join(' '),
      record.createdAt,
      record.expiresAt,
    );
  }

  /** Finds a record, expired ones included. */
  find(hash: TokenHash): TokenRecord | undefined {
    return toRecord(this.#select.get(hash));
  }

  /** @returns what was deleted, if there was such a token. */
  delete(hash: TokenHash): TokenRecord | undefined {
    return toRecord(this.#delete.get(hash));
  }

  /** Deletes every token that expired at or before `now`, and returns them. */
  sweep(now: number): readonly TokenRecord[] {
    return this.#deleteExpired.all(now).flatMap((row) => toRecord(row) ?? []);
  }

  /** When the next token expires, in milliseconds since 1970. */
  nextExpiry(): number | undefined {
    const row = this.#nextExpiry.get() as { at: number | null } | undefined;
    return row?.at ?? undefined;
  }
}

function toRecord(row: unknown): TokenRecord | undefined {
  if (row === undefined) return undefined;
  const { id, hash, username, client_id, scope, created_at, expires_at } = row as TokenRow;
  return {
    id,
    hash: hash as TokenHash,
    username,
    clientId: client_id,
    scope: scope === '' ? [] : scope.split(' '),
    createdAt: created_at,
    expiresAt: expires_at,
  };
}
