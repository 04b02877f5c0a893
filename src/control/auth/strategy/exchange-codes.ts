import { randomBytes } from 'node:crypto';

/** A code must be exchanged within this time. */
const lifetimeMs = 20_000;
const mostCodes = 1000;

/** Codes that stand for something once, and for a moment only. */
export class ExchangeCodes<T> {
  readonly #now: () => number;
  readonly #held = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new code for a value. The oldest are forgotten where there are too many. */
  give(value: T): string {
    const code = randomBytes(32).toString('base64url');
    this.#held.set(code, { value, until: this.#now() + lifetimeMs });
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= mostCodes) break;
      this.#held.delete(oldest);
    }
    return code;
  }

  /** What a code stands for; undefined for one that is unknown, used or too old. */
  take(code: string): T | undefined {
    const held = this.#held.get(code);
    this.#held.delete(code);
    return held !== undefined && held.until > this.#now() ? held.value : undefined;
  }
}
