import { randomBytes } from 'node:crypto';
import type { Done, Message, Send } from '../red.ts';

/** The longest that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1;

/** A call that has not returned. */
export interface Call {
  readonly id: string;
  /** As the message was when it was called with. */
  readonly message: Message;
  readonly send: Send;
  readonly done: Done;
  /** When its time is up. */
  readonly until: number;
}

/** How many of the last calls wait where they are found without a map. */
const places = 1000;

/**
 * The calls of one node that have not returned, by an id that goes with the message. All have the same time, so that
 * the oldest is the first whose time is up, and one timer does for all.
 * @remarks Most return soon, and a map through which calls pass quickly costs more than they do: the tables that it
 * outgrows keep what was in them from being collected as young objects. Only calls that wait while a thousand others are
 * made come into it.
 */
export class Calls {
  readonly #limitMs: number;
  readonly #onTimeout: (call: Call) => void;
  /** By the last digits of their ids. */
  readonly #recent: (Call | undefined)[] = [];
  readonly #older = new Map<string, Call>();
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
  add(message: Message, send: Send, done: Done): string {
    const id = `${this.#prefix}${++this.#count}`;
    const place = this.#count % places;
    const before = this.#recent[place];
    if (before !== undefined) this.#older.set(before.id, before);
    this.#recent[place] = { id, message, send, done, until: performance.now() + this.#limitMs };
    this.#timer ??= setTimeout(this.#expire, this.#limitMs);
    return id;
  }

  /** The call, which from now on waits no more; undefined if it is unknown or its time was up. */
  take(id: string): Call | undefined {
    const place = Number(String(id).slice(-3));
    const recent = this.#recent[place];
    if (recent !== undefined && recent.id === id) {
      this.#recent[place] = undefined;
      return recent;
    }
    const older = this.#older.get(id);
    if (older !== undefined) this.#older.delete(id);
    return older;
  }

  /** No call's time is up any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    for (const call of this.#oldestFirst()) {
      const left = call.until - performance.now();
      if (left >= 1) {
        this.#timer ??= setTimeout(this.#expire, left);
        return;
      }
      this.take(call.id);
      this.#onTimeout(call);
    }
  };

  *#oldestFirst(): Generator<Call> {
    yield* this.#older.values();
    const last = this.#count;
    for (let count = last - places + 1; count <= last; count++) {
      const call = this.#recent[count % places];
      if (call !== undefined) yield call;
    }
  }
}
