import { afterCrash, type CrashPolicy } from './crash-policy.ts';
import { describeExit, type ExitReason } from './exit-reason.ts';

/** The crashes that nobody has made up for yet, and what follows from them. */
export class CrashHistory {
  readonly #policy: CrashPolicy;
  /** When they were. */
  #crashes: readonly number[] = [];
  #safe: string | undefined;

  constructor(policy: CrashPolicy) {
    this.#policy = policy;
  }

  /** Why the flows are to be left alone, where they are. */
  get safe(): string | undefined {
    return this.#safe;
  }

  /**
   * Takes a crash in.
   * @param at - when it was
   * @returns how long to wait with the next start, in milliseconds
   */
  add(exit: ExitReason, at: number): number {
    const { crashes, delayMs, safe } = afterCrash(this.#crashes, at, this.#policy);
    this.#crashes = crashes;
    if (safe) {
      this.#safe ??= `the engine crashed ${crashes.length} times; the last time it ${describeExit(exit)}`;
    }
    return delayMs;
  }

  /** Something changed that makes it worth while to run the flows: all begins anew. */
  forget(): void {
    this.#crashes = [];
    this.#safe = undefined;
  }
}
