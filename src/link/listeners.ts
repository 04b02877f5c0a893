import type { Logger } from '../logging/logger.ts';

/** Who listens to what. One listener's error is logged and keeps nothing from the others. */
export class Listeners<Events> {
  readonly #log: Logger;
  readonly #byEvent = new Map<string, Set<(data: never) => void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Listens. Returns the way to stop. */
  on<E extends keyof Events & string>(event: E, listener: (data: Events[E]) => void): () => void {
    const listeners = this.#byEvent.get(event) ?? new Set();
    this.#byEvent.set(event, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<E extends keyof Events & string>(event: E, data: Events[E]): void {
    for (const listener of [...(this.#byEvent.get(event) ?? [])]) {
      try {
        listener(data as never);
      } catch (error) {
        this.#log.error(`A listener to ${event} failed`, { err: error });
      }
    }
  }
}
