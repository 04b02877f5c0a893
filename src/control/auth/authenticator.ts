import type { IncomingHttpHeaders } from 'node:http';
import { type CodeExchange, clientIds, type TokenRequest, type TokenResponse } from '../../contract/auth.ts';
import { holds, intersect, isKnownScope, type Scope } from '../../contract/permissions.ts';
import type { Logger } from '../../logging/logger.ts';
import type { TokenHash, TokenRecord, TokenStore } from '../../storage/token-store.ts';
import { Unauthorized } from '../http/refusals.ts';
import { LoginQueue } from './login-queue.ts';
import { LoginThrottle } from './login-throttle.ts';
import { everybody, type Principal, type UserRecord } from './principal.ts';
import { type AccessToken, hashOf, Tokens } from './tokens.ts';
import { type UserSettings, Users } from './users.ts';

/** What of `adminAuth` the authenticator goes by. */
export type AuthSettings = UserSettings & {
  readonly tokenHeader?: string;
  /** Seconds. */
  readonly sessionExpiryTime: number;
};

/** What {@link Authenticator} needs. */
export interface AuthenticatorDeps {
  /** Absent: every request is accepted. */
  readonly adminAuth: AuthSettings | undefined;
  readonly store: TokenStore;
  readonly log: Logger;
  readonly now?: () => number;
}

/** A token that the settings file lists. */
interface StaticToken {
  readonly user: string;
  readonly scope: Scope;
}

/**
 * Knows who is asking: issues access tokens for passwords, and tells principals from request headers.
 * @remarks What a principal may do is worked out from what its user holds at this moment (decision 11). Not here: what
 * a route needs (`http/guard.ts`).
 */
export class Authenticator {
  /** Whether authentication is configured. */
  readonly enabled: boolean;
  readonly #settings: AuthSettings | undefined;
  readonly #users: Users;
  readonly #tokens: Tokens;
  readonly #staticTokens: ReadonlyMap<TokenHash, StaticToken>;
  readonly #tokenHeader: string;
  readonly #throttle: LoginThrottle;
  readonly #queue = new LoginQueue();
  readonly #log: Logger;

  constructor(deps: AuthenticatorDeps) {
    const { adminAuth, log, now } = deps;
    this.enabled = adminAuth !== undefined;
    this.#settings = adminAuth;
    this.#log = log;
    this.#users = new Users(adminAuth ?? {});
    this.#tokens = new Tokens({ store: deps.store, log, ...(now ? { now } : {}) });
    this.#throttle = new LoginThrottle(now);
    this.#tokenHeader = adminAuth?.tokenHeader?.toLowerCase() ?? 'authorization';
    const listed = Array.isArray(adminAuth?.tokens) ? adminAuth.tokens : [];
    this.#staticTokens = new Map(
      listed.map(({ token, user, scope }) => [hashOf(token as AccessToken), { user, scope }]),
    );
  }

  /**
   * Who sent these headers: a promise only where a function of the settings file has to be asked.
   * @throws Unauthorized (or rejects with it) where nobody is known by them. A bad token is refused also where anonymous
   * access is configured.
   */
  identify(headers: IncomingHttpHeaders): Principal | Promise<Principal> {
    if (!this.enabled) return everybody;
    const token = bearerToken(headers.authorization);
    const own = this.#tokenHeader === 'authorization' ? token : single(headers[this.#tokenHeader]);
    if (token === undefined && own === undefined) return this.#anonymousOrRefused();
    const session = token === undefined ? undefined : this.#sessionOf(token);
    if (session instanceof Promise) {
      return session.then((principal) => principal ?? this.#ofOwnToken(own));
    }
    return session ?? this.#ofOwnToken(own);
  }

  /** Who holds a token; undefined for a dead or unknown one. For channels that are not requests. */
  async principalOf(token: string): Promise<Principal | undefined> {
    if (!this.enabled) return everybody;
    const session = await this.#sessionOf(token as AccessToken);
    if (session) return session;
    return principalOf(await this.#users.ofOwnToken(token));
  }

  /** The token in the header that `tokenHeader` names; nothing where that is `Authorization`, or it is not there. */
  ownTokenIn(headers: IncomingHttpHeaders): string | undefined {
    return this.#tokenHeader === 'authorization' ? undefined : single(headers[this.#tokenHeader]);
  }

  /** Somebody without a token: everybody, the anonymous user, or nobody. */
  async anonymous(): Promise<Principal | undefined> {
    if (!this.enabled) return everybody;
    const scope = await this.#users.anonymous();
    return scope && { scope, anonymous: true };
  }

  /**
   * Exchanges a user name and a password for an access token.
   * @param address of the client, for the throttle.
   * @throws Unauthorized for a wrong password, an unknown user or client, and a scope that is unknown or not held: all
   * after the same work. TooManyAttempts where the address must wait.
   */
  async logIn(request: TokenRequest, address: string): Promise<TokenResponse> {
    const { username } = request;
    return this.#queue.run(address, async () => {
      this.#throttle.admit(username, address);
      const found = await this.#users.logIn(username, request.password);
      // Only passwords are guessed: a client or a scope that is wrong does not count.
      if (!found) this.#throttle.failed(username, address);
      const scope = found && grantedScope(request.scope, found.user);
      if (!found || !scope || !isClient(request.client_id)) {
        this.#log.warn('A log-in failed', { username: username.slice(0, 128), address });
        throw Unauthorized.missing('log-in failed');
      }
      this.#throttle.succeeded(username, address);
      if (found.ownToken !== undefined) return { access_token: found.ownToken, token_type: 'Bearer' };
      const lifetime = this.#settings?.sessionExpiryTime ?? 0;
      const token = this.#tokens.issue({
        username: found.user.username,
        clientId: request.client_id,
        scope,
        lifetimeMs: lifetime * 1000,
      });
      this.#log.info('Logged in', { username, address });
      return { access_token: token, expires_in: lifetime, token_type: 'Bearer' };
    });
  }

  /**
   * Gives an access token to a user who was identified elsewhere.
   * @param profile what is known of the user there
   * @returns undefined where that is no user here
   */
  async logInProfile(profile: unknown): Promise<CodeExchange | undefined> {
    const found = await this.#users.ofProfile(profile);
    if (!found) return undefined;
    if (found.ownToken !== undefined) return { accessToken: found.ownToken };
    const { username, permissions: scope } = found.user;
    const lifetime = this.#settings?.sessionExpiryTime ?? 0;
    const token = this.#tokens.issue({
      username,
      clientId: 'svc-editor',
      scope,
      lifetimeMs: lifetime * 1000,
    });
    this.#log.info('Logged in', { username });
    return { accessToken: token, expires_in: lifetime };
  }

  /** Deletes an access token: it is dead when this returns. An unknown one is no error (RFC 7009). */
  revoke(token: string): void {
    this.#tokens.revoke(token as AccessToken);
  }

  /** Hears the public id of each token that was revoked or has expired. @returns how to stop listening. */
  onTokenDead(listener: (tokenId: string) => void): () => void {
    return this.#tokens.onDead(listener);
  }

  close(): void {
    this.#tokens.close();
  }

  /** The principal of a session or of a listed token; undefined where it is neither, or its user is gone. */
  #sessionOf(token: AccessToken): Principal | undefined | Promise<Principal | undefined> {
    const record = this.#tokens.find(token);
    const listed = record === undefined ? this.#staticTokens.get(hashOf(token)) : undefined;
    const username = record?.username ?? listed?.user;
    if (username === undefined) return undefined;
    const scope = record?.scope ?? listed?.scope ?? [];
    const user = this.#users.find(username);
    if (user instanceof Promise) return user.then((found) => principalOf(found, scope, record));
    return principalOf(user, scope, record);
  }

  async #ofOwnToken(token: string | undefined): Promise<Principal> {
    const principal = token === undefined ? undefined : principalOf(await this.#users.ofOwnToken(token));
    if (!principal) throw Unauthorized.badToken();
    return principal;
  }

  #anonymousOrRefused(): Principal | Promise<Principal> {
    const scope = this.#users.anonymous();
    const admit = (granted: Scope | undefined): Principal => {
      if (!granted) throw Unauthorized.missing();
      return { scope: granted, anonymous: true };
    };
    return scope instanceof Promise ? scope.then(admit) : admit(scope);
  }
}

function principalOf(
  user: UserRecord | undefined,
  scope?: Scope,
  record?: TokenRecord,
): Principal | undefined {
  if (!user) return undefined;
  return {
    user,
    scope: scope === undefined ? user.permissions : intersect(scope, user.permissions),
    anonymous: false,
    ...(record ? { tokenId: record.id } : {}),
  };
}

/** The asked scope where the user holds all of it; the user's own where the text is empty; else undefined. */
function grantedScope(asked: string, user: UserRecord): Scope | undefined {
  const words = asked.split(' ').filter((word) => word !== '');
  if (words.length === 0) return user.permissions;
  return words.every((word) => isKnownScope(word) && holds(user.permissions, word)) ? words : undefined;
}

function isClient(id: string): boolean {
  return (clientIds as readonly string[]).includes(id);
}

/** The token of an `Authorization` header (RFC 6750, 2.1); an empty text for one that is not well formed. */
function bearerToken(header: string | undefined): AccessToken | undefined {
  const match = /^bearer(?: +(.*))?$/i.exec(header ?? '');
  return match ? ((match[1]?.trim() ?? '') as AccessToken) : undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
