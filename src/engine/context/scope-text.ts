import { stringifyWithoutCycles } from './without-cycles.ts';

/** What stores tell their owner. */
export interface StoreLog {
  warn(text: string): void;
  error(text: string): void;
  debug(text: string): void;
}

/** Turns a scope's values into the text of its file, and warns, once, of what can't be kept. */
export class ScopeText {
  readonly #log: StoreLog;
  readonly #warned = new Set<string>();

  constructor(log: StoreLog) {
    this.#log = log;
  }

  of(scope: string, values: unknown): string {
    const { json, circular } = stringifyWithoutCycles(values);
    if (!circular) this.#warned.delete(scope);
    else if (!this.#warned.has(scope)) {
      this.#warned.add(scope);
      this.#log.warn(`Context ${scope} holds a circular reference, which is left out of its file`);
    }
    return json;
  }
}
