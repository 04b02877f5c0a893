import { TooManyAttempts } from '../http/refusals.ts';

const mostWaitingPerAddress = 100;

/**
 * Lets only so many password checks run at a time, and takes turns between addresses.
 * @remarks Checks run on the thread pool that files are read and written with as well, so a flood of log-ins must not
 * take all of it; nor must one address's flood make another wait for more than a turn.
 */
export class LoginQueue {
  readonly #limit: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  /** @param limit checks at a time; the pool has four threads. */
  constructor(limit = 3) {
    this.#limit = limit;
  }

  /** Runs a check when it is its turn. @throws TooManyAttempts where too many of the address wait already. */
  async run<T>(address: string, check: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await this.#turn(address);
    else this.#running += 1;
    try {
      return await check();
    } finally {
      this.#next();
    }
  }

  #turn(address: string): Promise<void> {
    const line = this.#waiting.get(address) ?? [];
    if (line.length >= mostWaitingPerAddress) throw new TooManyAttempts(1000);
    this.#waiting.set(address, line);
    return new Promise((resolve) => line.push(resolve));
  }

  /** Hands the place to the first of the address that has waited longest for a turn, or gives it back. */
  #next(): void {
    for (const [address, line] of this.#waiting) {
      const start = line.shift();
      this.#waiting.delete(address);
      if (line.length > 0) this.#waiting.set(address, line);
      if (start) {
        start();
        return;
      }
    }
    this.#running -= 1;
  }
}
