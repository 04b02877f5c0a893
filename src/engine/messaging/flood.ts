import type { DeliveryQueue } from './delivery-queue.ts';
import type { Terminal } from './terminal.ts';

/** A node as a flood names it. */
interface NamedNode {
  readonly id: string;
  readonly type?: string;
  readonly name?: string;
  readonly z?: string;
  error(problem: unknown): void;
}

/** What a flood is told of with. */
export interface FloodDeps {
  readonly queue: DeliveryQueue;
  /** The node that something in the queue waits for. */
  readonly receiverOf: (terminal: Terminal, message: unknown) => object | undefined;
  readonly log: { warn(text: unknown): void };
}

/** How often, in milliseconds, it is looked whether the flood is over. */
const lookMs = 250;

/**
 * Tells of messages that found the queue full: once when it begins, by an error of the node that most messages wait for,
 * and once when half of the queue is empty again.
 */
export class Flood {
  readonly #queue: DeliveryQueue;
  readonly #receiverOf: FloodDeps['receiverOf'];
  readonly #log: FloodDeps['log'];
  #dropped = 0;

  constructor({ queue, receiverOf, log }: FloodDeps) {
    this.#queue = queue;
    this.#receiverOf = receiverOf;
    this.#log = log;
  }

  /** A message was not taken. */
  dropped(): void {
    this.#dropped++;
    if (this.#dropped === 1) this.#begin();
  }

  #begin(): void {
    const limit = this.#queue.length;
    const [node, count] = this.#busiest();
    node?.error(
      `The message queue is full: ${limit} messages wait, ${count} of them for this node (${describe(node)}). ` +
        'Messages are dropped until half of it is empty. The setting engine.queueLimit says how many may wait',
    );
    const timer = setInterval(() => {
      if (this.#queue.length > limit / 2) return;
      clearInterval(timer);
      this.#log.warn(`The message queue has room again; ${this.#dropped} messages were dropped`);
      this.#dropped = 0;
    }, lookMs);
    timer.unref();
  }

  /** The node that most messages wait for. */
  #busiest(): readonly [NamedNode | undefined, number] {
    const counts = new Map<NamedNode, number>();
    for (const [terminal, message] of this.#queue.waiting()) {
      const to = this.#receiverOf(terminal, message) as NamedNode | undefined;
      if (to !== undefined) counts.set(to, (counts.get(to) ?? 0) + 1);
    }
    let most: readonly [NamedNode | undefined, number] = [undefined, 0];
    for (const entry of counts) if (entry[1] > most[1]) most = entry;
    return most;
  }
}

function describe({ id, type, name, z }: NamedNode): string {
  return `${[type, name && `"${name}"`, id].filter(Boolean).join(' ')}${z ? ` in flow ${z}` : ''}`;
}
