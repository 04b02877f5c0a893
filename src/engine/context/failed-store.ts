import type { ContextCallback, ContextKeys, ContextStore } from './store.ts';

/**
 * Stands in for a store that could not be created or opened: whoever uses it is told why. Everything else runs, and what
 * the store has on disk stays as it is.
 */
export class FailedStore implements ContextStore {
  readonly #reason: Error;

  constructor(reason: Error) {
    this.#reason = reason;
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}
  async delete(): Promise<void> {}
  async clean(): Promise<void> {}

  get(_scope: string, _keys: ContextKeys, callback?: ContextCallback): void {
    this.#fail(callback);
  }

  set(_scope: string, _keys: ContextKeys, _value: unknown, callback?: ContextCallback): void {
    this.#fail(callback);
  }

  keys(_scope: string, callback?: ContextCallback): void {
    this.#fail(callback);
  }

  #fail(callback: ContextCallback | undefined): void {
    if (!callback) throw this.#reason;
    callback(this.#reason);
  }
}
