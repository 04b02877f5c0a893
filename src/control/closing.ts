import type { Logger } from '../logging/logger.ts';

/** What is to be closed, in the reverse order of its opening. Closing goes on when one of them fails. */
export class Closing {
  readonly #log: Logger;
  readonly #steps: { readonly what: string; readonly close: () => unknown }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  add(what: string, close: () => unknown): void {
    this.#steps.push({ what, close });
  }

  /** Closes everything that was added; once. */
  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.close();
      } catch (err) {
        this.#log.error(`Closing failed: ${step.what}`, { err });
      }
    }
  }
}
