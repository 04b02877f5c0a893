import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/permissions.ts';
import type { AdminAuth } from '../../settings/settings.ts';
import { decoyFor, verifyPassword } from './passwords.ts';
import type { UserRecord } from './principal.ts';

/** What of `adminAuth` says who the users are. */
export type UserSettings = Pick<AdminAuth, 'users' | 'authenticate' | 'default' | 'tokens'>;

/** A user who has just logged in. */
export interface LoggedIn {
  readonly user: UserRecord;
  /** A token that the record itself names; it is handed out in place of one of ours. */
  readonly ownToken?: string;
}

/** Functions of the settings file get so long to answer. */
const patienceMs = 10_000;
/** So many hashes that a function gave are kept to check unknown users against. */
const mostHashes = 16;

/**
 * The users of `adminAuth`: who they are, what they hold now, and whether a password is theirs.
 * @remarks A function in the settings file is asked anew each time, and never remembered: whoever it demotes or removes
 * is demoted or removed from the next request on. Where it fails or does not answer, the request fails with
 * `auth.unavailable`.
 */
export class Users {
  readonly #settings: UserSettings;
  readonly #known: ReadonlyMap<string, Account> | undefined;
  readonly #hashes: string[] = [];

  constructor(settings: UserSettings) {
    this.#settings = settings;
    if (typeof settings.users === 'function') return;
    const accounts = (settings.users ?? []).map(accountOf).filter((account) => account !== undefined);
    this.#known = new Map(accounts.map((account) => [account.user.username, account]));
    this.#hashes = accounts.flatMap((account) => account.passwordHash ?? []);
  }

  /** A user as of now; a promise where the settings file has a function to ask. */
  find(username: string): UserRecord | undefined | Promise<UserRecord | undefined> {
    if (this.#known) return this.#known.get(username)?.user;
    return this.#account(username).then((account) => account?.user);
  }

  /**
   * The user whose password it is.
   * @remarks An unknown user costs a password check as well.
   */
  async logIn(username: string, password: string): Promise<LoggedIn | undefined> {
    const { authenticate } = this.#settings;
    if (authenticate) {
      const answer = await ask('authenticate', () => authenticate(username, password));
      return loggedIn(accountOf(answer));
    }
    const account = this.#known ? this.#known.get(username) : await this.#account(username);
    const stored = account?.passwordHash ?? decoyFor(username, this.#hashes);
    const fits = await verifyPassword(password, stored);
    return fits && account?.passwordHash !== undefined ? loggedIn(account) : undefined;
  }

  /** The user that a profile of another service is: by the settings file's own function, else by its user name. */
  async ofProfile(profile: unknown): Promise<LoggedIn | undefined> {
    const authenticate = this.#settings.authenticate as ((profile: unknown) => unknown) | undefined;
    if (authenticate) return loggedIn(accountOf(await ask('authenticate', () => authenticate(profile))));
    const { username } = Object(profile) as { username?: unknown };
    if (typeof username !== 'string') return undefined;
    return loggedIn(this.#known ? this.#known.get(username) : await this.#account(username));
  }

  /** What somebody without a token may do; undefined where that is nothing. */
  anonymous(): Scope | undefined | Promise<Scope | undefined> {
    const fallback = this.#settings.default;
    if (typeof fallback !== 'function') return fallback?.permissions;
    return ask('default', fallback).then((answer) =>
      isObject(answer) ? scopeOf(answer['permissions']) : undefined,
    );
  }

  /** The user whom the settings file's own function knows by a token of its own. */
  async ofOwnToken(token: string): Promise<UserRecord | undefined> {
    const { tokens } = this.#settings;
    if (typeof tokens !== 'function') return undefined;
    return accountOf(await ask('tokens', () => tokens(token)))?.user;
  }

  async #account(username: string): Promise<Account | undefined> {
    const { users } = this.#settings;
    if (typeof users !== 'function') return undefined;
    const account = accountOf(await ask('users', () => users(username)));
    if (account?.passwordHash !== undefined && !this.#hashes.includes(account.passwordHash)) {
      this.#hashes.push(account.passwordHash);
      if (this.#hashes.length > mostHashes) this.#hashes.shift();
    }
    return account;
  }
}

/** A record of the settings file, its secrets apart. */
interface Account {
  readonly user: UserRecord;
  readonly passwordHash?: string;
  readonly ownToken?: string;
}

function accountOf(record: unknown): Account | undefined {
  if (!isObject(record)) return undefined;
  const { username, password, token, permissions, ...free } = record;
  if (typeof username !== 'string' || username === '') return undefined;
  return {
    user: { ...free, username, permissions: scopeOf(permissions) },
    ...(typeof password === 'string' ? { passwordHash: password } : {}),
    ...(typeof token === 'string' && token !== '' ? { ownToken: token } : {}),
  };
}

function loggedIn(account: Account | undefined): LoggedIn | undefined {
  if (!account) return undefined;
  return { user: account.user, ...(account.ownToken === undefined ? {} : { ownToken: account.ownToken }) };
}

/** Permissions as written: one word, several in a text, or an array. */
function scopeOf(written: unknown): Scope {
  const words = Array.isArray(written) ? written : [written];
  return words
    .filter((word) => typeof word === 'string')
    .flatMap((word) => word.split(/[\s,]+/).filter((part) => part !== ''));
}

async function ask(setting: string, question: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([Promise.resolve().then(question), tooLate]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('auth.unavailable', {
      message: `the function adminAuth.${setting} of the settings file failed: ${reason}`,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
