import { randomBytes } from 'node:crypto';
import type { Done, Message, Send } from '../red.ts';

/** The longest that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1;

/** A call that has not returned. */
export interface Call {
  /** As the message was when it was called with. */
  readonly message: Message;
  readonly send: Send;
  readonly done: Done;
}

/**
 * The calls of one node that have not returned, by an id that goes with the message. All have the same time, so that
 * the oldest is the first whose time is up, and one timer does for all.
 */
export class Calls {
  readonly #limitMs: number;
  readonly #onTimeout: (call: Call) => void;
  readonly #waiting = new Map<string, Call & { readonly until: number }>();
  // Messages outlive the node that they came from: ids must not be those of another run.
  readonly #prefix = randomBytes(9).toString('hex');
  // Ten digits, so that ids are as long as they have always been: 28 hexadecimal digits.
  #count = 1_000_000_000;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number, onTimeout: (call: Call) => void) {
    this.#limitMs = Math.min(Math.max(limitMs, 1), longest);
    this.#onTimeout = onTimeout;
  }

  /** Gives the id under which the call can be taken again. */
  add(call: Call): string {
    const id = `${this.#prefix}${++this.#count}`;
    const { message, send, done } = call;
    this.#waiting.set(id, { message, send, done, until: performance.now() + this.#limitMs });
    this.#timer ??= setTimeout(this.#expire, this.#limitMs);
    return id;
  }

  /** The call, which from now on waits no more; undefined if it is unknown or its time was up. */
  take(id: string): Call | undefined {
    const call = this.#waiting.get(id);
    if (call !== undefined) this.#waiting.delete(id);
    return call;
  }

  /** No call's time is up any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    for (const [id, call] of this.#waiting) {
      const left = call.until - performance.now();
      if (left >= 1) {
        this.#timer = setTimeout(this.#expire, left);
        return;
      }
      this.#waiting.delete(id);
      this.#onTimeout(call);
    }
  };
}
