import type { IncomingMessage } from 'node:http';
import type { CodeExchange } from '../../../contract/auth.ts';
import { AppError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import type { Logger } from '../../../logging/logger.ts';
import { SettingsError } from '../../../settings/settings-error.ts';
import type { Authenticator } from '../authenticator.ts';
import { ExchangeCodes } from './exchange-codes.ts';
import { LoginSessions } from './login-sessions.ts';
import { runStrategy, type Strategy } from './run-strategy.ts';

/** What a log-in elsewhere needs. */
export interface StrategyLoginDeps {
  /** `adminAuth.strategy`: `{ strategy, options }`, and what the log-in page shows. */
  readonly strategy: unknown;
  /** `httpAdminRoot`, with both slashes. */
  readonly root: string;
  readonly auth: Pick<Authenticator, 'logInProfile'>;
  readonly log: Logger;
}

/** A request, read. */
export interface StrategyRequest {
  readonly raw: IncomingMessage;
  readonly query: unknown;
  readonly body: unknown;
  readonly ip: string;
  readonly protocol: string;
}

/** Where the browser is sent. */
export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly cookie?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: classes and callbacks of packages, of any shape
type AnyFunction = (...given: any[]) => any;

/**
 * Logs users in by a strategy of Passport: the browser goes to where its user is known, comes back with who that is, and
 * gets a code that the editor exchanges for an access token.
 * @remarks Runs the strategy that the settings file names: the administrator's own code.
 */
export class StrategyLogin {
  readonly callbackMethod: 'GET' | 'POST';
  readonly #deps: StrategyLoginDeps;
  readonly #strategy: Strategy;
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #sessions: LoginSessions;
  readonly #codes = new ExchangeCodes<CodeExchange>();

  /** @throws SettingsError where the setting names no strategy, or its constructor refuses its options. */
  constructor(deps: StrategyLoginDeps) {
    const { strategy: Made, options } = isObject(deps.strategy) ? deps.strategy : {};
    if (typeof Made !== 'function') {
      throw new SettingsError('the setting adminAuth.strategy.strategy must be the class of a strategy');
    }
    this.#deps = deps;
    this.#options = isObject(options) ? options : {};
    this.callbackMethod = /^post$/i.test(String(this.#options['callbackMethod'])) ? 'POST' : 'GET';
    this.#sessions = new LoginSessions(`${deps.root}auth/strategy`, this.callbackMethod === 'POST');
    const verify = verifier(this.#options['verify']);
    try {
      this.#strategy = new (Made as new (...given: unknown[]) => Strategy)({ ...this.#options }, verify);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SettingsError(`the setting adminAuth.strategy gives no strategy that can be used: ${reason}`);
    }
  }

  /** A browser at the start or the end of its log-in. Never rejects: the editor is told what went wrong. */
  async visit(request: StrategyRequest): Promise<Sent> {
    const { log, root } = this.#deps;
    const cookies = request.raw.headers.cookie;
    const { session, cookie } = this.#sessions.open(cookies, request.protocol === 'https');
    try {
      const outcome = await runStrategy(this.#strategy, requestFor(request, session), {
        session: false,
        ...this.#options,
      });
      if (outcome.is === 'redirect') return { url: outcome.url, status: outcome.status, cookie };
      this.#sessions.close(cookies);
      if (outcome.is === 'failed') return this.#refused(outcome.message ?? 'The log-in failed');
      const admitted = await this.#deps.auth.logInProfile(outcome.user);
      if (!admitted) return this.#refused('The user is not known here');
      return { url: `${root}?code=${this.#codes.give(admitted)}`, status: 302 };
    } catch (error) {
      log.error('A log-in by the strategy failed', { err: error });
      return this.#refused('The log-in failed; the log has the details');
    }
  }

  /** @throws AppError `invalid_request` for a code that is unknown, used or too old. */
  exchange(code: string): CodeExchange {
    const token = this.#codes.take(code);
    if (token === undefined) throw new AppError('invalid_request', { detail: 'Invalid exchange code' });
    return token;
  }

  #refused(message: string): Sent {
    return { url: `${this.#deps.root}?session_message=${encodeURIComponent(message)}`, status: 302 };
  }
}

/**
 * What the strategy calls with what it knows of a user, and a callback as the last argument. Without a function of the
 * settings file, the profile is the argument before that.
 */
function verifier(own: unknown): AnyFunction {
  if (typeof own === 'function') return own as AnyFunction;
  return (...given) => given.at(-1)(null, given.at(-2));
}

/** The request as strategies expect it: with members that the usual frameworks add. */
function requestFor({ raw, query, body, ip, protocol }: StrategyRequest, session: object): object {
  const added = {
    query: { ...Object(query) },
    body: { ...Object(body) },
    originalUrl: raw.url,
    session,
    ip,
    protocol,
    secure: protocol === 'https',
    app: { get: () => undefined },
    get: (name: string) => raw.headers[name.toLowerCase()],
  };
  return Object.defineProperties(Object.create(raw), Object.getOwnPropertyDescriptors(added));
}
