import { hash, randomBytes } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Branded } from '../../contract/json.ts';
import type { Scope } from '../../contract/permissions.ts';
import type { Logger } from '../../logging/logger.ts';
import type { TokenHash, TokenRecord, TokenStore } from '../../storage/token-store.ts';

/** An access token: the secret itself. Shown to its owner once; never stored, never logged. */
export type AccessToken = Branded<string, 'AccessToken'>;

/** A new token: 256 random bits in base64url, which is safe in a form body and in a header. */
export function newToken(): AccessToken {
  return randomBytes(32).toString('base64url') as AccessToken;
}

/** What of a token may be stored. */
export function hashOf(token: AccessToken): TokenHash {
  return hash('sha256', token, 'base64url') as TokenHash;
}

/** Whom a token is for, and what it may do. */
export interface TokenGrant {
  readonly username: string;
  readonly clientId: string;
  readonly scope: Scope;
  readonly lifetimeMs: number;
}

/** What {@link Tokens} needs. */
export interface TokensDeps {
  readonly store: Pick<TokenStore, 'save' | 'find' | 'delete' | 'sweep' | 'nextExpiry'>;
  readonly log: Logger;
  readonly now?: () => number;
}

/** So many records are kept in memory; a request with one of them costs a digest and a look-up. */
const cacheSize = 10_000;
const longestWaitMs = 3_600_000;
const shortestWaitMs = 1000;
/** When it is tried again to write what the disk did not take. */
const retryMs = 60_000;

/**
 * Issues, finds and revokes access tokens.
 * @remarks Tokens are found by their digest: whoever guesses learns nothing from the time that takes, as nobody can
 * choose a digest. A revoked token is dead when {@link revoke} returns. Expired ones are swept out of the store.
 */
export class Tokens {
  readonly #store: TokensDeps['store'];
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #cache = new Map<TokenHash, TokenRecord>();
  /** Issued, but not yet stored on a disk that was full. */
  readonly #unsaved = new Map<TokenHash, TokenRecord>();
  /** Revoked, but not yet deleted from one. */
  readonly #revoked = new Set<TokenHash>();
  readonly #listeners = new Set<(tokenId: string) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: TokensDeps) {
    this.#store = deps.store;
    this.#log = deps.log;
    this.#now = deps.now ?? Date.now;
    this.#sweep();
  }

  /**
   * Makes a token. The record is on the disk when this returns; where the disk takes nothing more the token is good all
   * the same, since that is when somebody has to get in and make room, and is stored as soon as there is some.
   */
  issue(grant: TokenGrant): AccessToken {
    const token = newToken();
    const now = this.#now();
    const record: TokenRecord = {
      id: randomBytes(12).toString('base64url'),
      hash: hashOf(token),
      username: grant.username,
      clientId: grant.clientId,
      scope: grant.scope,
      createdAt: now,
      expiresAt: now + grant.lifetimeMs,
    };
    try {
      this.#store.save(record);
    } catch (error) {
      this.#unsaved.set(record.hash, record);
      this.#log.warn('An access token could not be stored: until it can, it is good while the server runs', {
        err: error,
      });
    }
    this.#remember(record);
    this.#schedule();
    return token;
  }

  /** The record of a live token. */
  find(token: AccessToken): TokenRecord | undefined {
    const digest = hashOf(token);
    if (this.#revoked.has(digest)) return undefined;
    const record = this.#known(digest);
    if (record === undefined) return undefined;
    this.#remember(record);
    return record.expiresAt > this.#now() ? record : undefined;
  }

  /**
   * Deletes a token, in memory and on the disk; does nothing for an unknown one.
   * @throws AppError `storage.failed` where the disk does not take it: dead all the same, and deleted as soon as it does.
   */
  revoke(token: AccessToken): void {
    const digest = hashOf(token);
    const record = this.#known(digest);
    if (record === undefined) return;
    if (this.#unsaved.has(digest)) {
      this.#forget(record);
      return;
    }
    const isNew = !this.#revoked.has(digest);
    this.#revoked.add(digest);
    this.#cache.delete(digest);
    if (isNew) this.#announce(record.id);
    try {
      this.#store.delete(digest);
    } catch (cause) {
      this.#schedule();
      throw new AppError('storage.failed', { cause });
    }
    this.#revoked.delete(digest);
  }

  /** Hears the public id of each token that dies, revoked or expired. @returns how to stop listening. */
  onDead(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #known(digest: TokenHash): TokenRecord | undefined {
    return this.#cache.get(digest) ?? this.#unsaved.get(digest) ?? this.#store.find(digest);
  }

  #remember(record: TokenRecord): void {
    if (this.#cache.has(record.hash)) return;
    this.#cache.set(record.hash, record);
    if (this.#cache.size <= cacheSize) return;
    for (const oldest of this.#cache.keys()) {
      this.#cache.delete(oldest);
      break;
    }
  }

  #sweep(): void {
    try {
      const now = this.#now();
      for (const record of this.#unsaved.values()) if (record.expiresAt <= now) this.#forget(record);
      this.#catchUp();
      for (const record of this.#store.sweep(now)) this.#forget(record);
    } catch (error) {
      this.#log.error('Expired access tokens could not be swept', { err: error });
    }
    this.#schedule();
  }

  /** Writes what the disk did not take before. */
  #catchUp(): void {
    for (const digest of this.#revoked) {
      this.#store.delete(digest);
      this.#revoked.delete(digest);
    }
    for (const [digest, record] of this.#unsaved) {
      this.#store.save(record);
      this.#unsaved.delete(digest);
    }
  }

  /** It is dead, and not on the disk. */
  #forget(record: TokenRecord): void {
    this.#cache.delete(record.hash);
    this.#unsaved.delete(record.hash);
    this.#announce(record.id);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const next = this.#store.nextExpiry();
    const isBehind = this.#unsaved.size + this.#revoked.size > 0;
    if (next === undefined && !isBehind) return;
    const untilNext = next === undefined ? longestWaitMs : Math.max(next - this.#now(), shortestWaitMs);
    const wait = Math.min(untilNext, isBehind ? retryMs : longestWaitMs);
    this.#timer = setTimeout(() => this.#sweep(), wait).unref();
  }

  #announce(tokenId: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(tokenId);
      } catch (error) {
        this.#log.error('A listener for dead access tokens failed', { err: error });
      }
    }
  }
}
