import type { Terminal } from './terminal.ts';

/** Milliseconds that deliveries may take before timers and sockets get their turn. */
const batchBudget = 5;
const turnBudget = 8;
/** Deliveries between two looks at the clock, at most. */
const longestStride = 8;
/** Places that are kept when the queue has run empty. */
const keptPlaces = 65_536;

/**
 * All messages that wait for delivery, in the order in which they were sent.
 * @remarks A message is never delivered within the `send` that queued it. What waits falls into stretches: any number of
 * messages for batchable receivers, then one for another receiver. Every stretch has a `setImmediate` of its own, so that
 * what such a receiver's code leaves to promises, ticks and immediates runs in its place between the deliveries. Other
 * work waits no longer than the budgets above, plus one message.
 */
export class DeliveryQueue {
  readonly #deliver: (terminal: Terminal, message: unknown) => void;
  #terminals: (Terminal | undefined)[] = new Array(1024);
  #messages: unknown[] = new Array(1024);
  #mask = 1023;
  readonly #limit: number;
  /** How many may wait before {@link push} has to look closer: the places, or the limit where that is less. */
  #room: number;
  /** Both count up for ever; their low bits are places. */
  #head = 0;
  #tail = 0;
  /** The last stretch still lacks the message that ends it. */
  #open = false;
  /** Immediates that are scheduled, and how many of them belong to the turn that is running. */
  #scheduled = 0;
  #leftInTurn = 0;
  #turnStarted = 0;
  readonly #tick = () => this.#run();

  /** @param limit How many messages may wait. */
  constructor(
    deliver: (terminal: Terminal, message: unknown) => void,
    limit: number = Number.POSITIVE_INFINITY,
  ) {
    this.#deliver = deliver;
    this.#limit = limit;
    this.#room = Math.min(1024, limit);
  }

  /** Messages that wait. */
  get length(): number {
    return this.#tail - this.#head;
  }

  /** Says whether there was room for it. */
  push(terminal: Terminal, message: unknown): boolean {
    if (this.#tail - this.#head >= this.#room) {
      if (this.length >= this.#limit) return false;
      this.#resize((this.#mask + 1) * 2);
    }
    const place = this.#tail++ & this.#mask;
    this.#terminals[place] = terminal;
    this.#messages[place] = message;
    if (!this.#open) this.#schedule();
    this.#open = terminal.batchable;
    return true;
  }

  /** What waits, in its order. */
  *waiting(): Generator<readonly [terminal: Terminal, message: unknown]> {
    for (let at = this.#head; at < this.#tail; at++) {
      const place = at & this.#mask;
      yield [this.#terminals[place] as Terminal, this.#messages[place]];
    }
  }

  /** Forgets what waits. */
  clear(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#open = false;
    this.#resize(1024);
  }

  #schedule(): void {
    this.#scheduled++;
    setImmediate(this.#tick);
  }

  #run(): void {
    const started = performance.now();
    // Immediates that are scheduled from now on run in the next turn: those that are left make up this one.
    if (this.#leftInTurn === 0) {
      this.#leftInTurn = this.#scheduled;
      this.#turnStarted = started;
    }
    this.#leftInTurn--;
    this.#scheduled--;
    const finished = started - this.#turnStarted <= turnBudget && this.#deliverStretch(started);
    if (!finished) {
      this.#schedule();
    } else if (this.length === 0) {
      this.#open = false;
      if (this.#mask >= keptPlaces) this.clear();
    }
  }

  /** Says whether it came to the end of the stretch, rather than of its time. */
  #deliverStretch(started: number): boolean {
    let looked = started;
    let stride = 1;
    let untilLook = 1;
    while (this.#head !== this.#tail) {
      const place = this.#head++ & this.#mask;
      const terminal = this.#terminals[place] as Terminal;
      const message = this.#messages[place];
      this.#terminals[place] = undefined;
      this.#messages[place] = undefined;
      this.#deliver(terminal, message);
      if (!terminal.batchable) return true;
      if (--untilLook > 0) continue;
      const now = performance.now();
      if (now - started > batchBudget) return this.#head === this.#tail;
      stride = now - looked < 0.1 ? Math.min(stride * 2, longestStride) : 1;
      looked = now;
      untilLook = stride;
    }
    return true;
  }

  #resize(places: number): void {
    const terminals: (Terminal | undefined)[] = new Array(places);
    const messages: unknown[] = new Array(places);
    const count = this.length;
    for (let index = 0; index < count; index++) {
      const place = (this.#head + index) & this.#mask;
      terminals[index] = this.#terminals[place];
      messages[index] = this.#messages[place];
    }
    this.#terminals = terminals;
    this.#messages = messages;
    this.#mask = places - 1;
    this.#room = Math.min(places, this.#limit);
    this.#head = 0;
    this.#tail = count;
  }
}
