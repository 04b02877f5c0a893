import { randomBytes } from 'node:crypto';

/** What a strategy remembers of a browser between its redirect and its callback. */
export interface LoginSession {
  [member: string]: unknown;
}

const cookieName = 'sluice-login';
const lifetimeMs = 600_000;
const mostSessions = 1000;

/** Sessions of browsers that are logging in, in memory, found by a cookie. */
export class LoginSessions {
  readonly #path: string;
  readonly #isPosted: boolean;
  readonly #held = new Map<string, { readonly session: LoginSession; readonly until: number }>();

  /**
   * @param path the cookie's
   * @param isPosted the callback is a form that another site posts: browsers then send the cookie only where it says so
   */
  constructor(path: string, isPosted: boolean) {
    this.#path = path;
    this.#isPosted = isPosted;
  }

  /** The session of a browser, a new one where it has none, and the `Set-Cookie` header that keeps it. */
  open(cookies: string | undefined, isSecure: boolean): { session: LoginSession; cookie: string } {
    const now = Date.now();
    for (const [id, { until }] of this.#held) {
      if (until > now && this.#held.size <= mostSessions) break;
      this.#held.delete(id);
    }
    const sent = idIn(cookies);
    const held = sent === undefined ? undefined : this.#held.get(sent);
    const id = held && sent !== undefined ? sent : randomBytes(32).toString('base64url');
    const session = held?.session ?? {};
    this.#held.delete(id);
    this.#held.set(id, { session, until: now + lifetimeMs });
    const site = this.#isPosted && isSecure ? 'None' : 'Lax';
    const attributes = `Path=${this.#path}; HttpOnly; SameSite=${site}; Max-Age=${lifetimeMs / 1000}`;
    return { session, cookie: `${cookieName}=${id}; ${attributes}${isSecure ? '; Secure' : ''}` };
  }

  /** Forgets the session of a browser: its log-in has ended. */
  close(cookies: string | undefined): void {
    const id = idIn(cookies);
    if (id !== undefined) this.#held.delete(id);
  }
}

function idIn(cookies: string | undefined): string | undefined {
  return cookies
    ?.split(';')
    .map((cookie) => cookie.trim().split('=', 2))
    .find(([name]) => name === cookieName)?.[1];
}
