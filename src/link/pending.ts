import { AppError } from '../contract/errors.ts';

/** How long a call may take, and who may call it off. */
export interface CallOptions {
  /** Milliseconds until the call fails with `engine.timeout`. */
  readonly timeoutMs?: number;
  /** When it aborts, the call rejects with the signal's reason. The other side is not told. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The calls that wait for an answer.
 * @remarks Every call settles: by its answer, its time-out, its signal, or {@link PendingCalls.failAll}.
 */
export class PendingCalls {
  #next = 1;
  #gone: AppError | undefined;
  readonly #waiting = new Map<number, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Opens a call. `transmit` is given its number and sends it; what it throws rejects the call.
   * @param what - names the call in a time-out's message
   */
  open(
    what: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    transmit: (id: number) => void,
  ): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiting.delete(id);
      };
      const waiting: Waiting = {
        resolve(value) {
          settle();
          resolve(value);
        },
        reject(error) {
          settle();
          reject(error);
        },
      };
      const aborted = (): void => waiting.reject(signal?.reason);
      const timer = setTimeout(() => {
        waiting.reject(new AppError('engine.timeout', { message: `${what}: no answer in ${timeoutMs} ms` }));
      }, timeoutMs);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#waiting.set(id, waiting);
      try {
        transmit(id);
      } catch (error) {
        waiting.reject(error);
      }
    });
  }

  /** An answer came. One that nobody waits for any more is dropped. */
  resolve(id: number, value: unknown): void {
    this.#waiting.get(id)?.resolve(value);
  }

  /** A refusal came. */
  reject(id: number, error: AppError): void {
    this.#waiting.get(id)?.reject(error);
  }

  /** The other side went: rejects all that waits and all that is opened from now on. */
  failAll(reason: AppError): void {
    this.#gone = reason;
    for (const waiting of [...this.#waiting.values()]) waiting.reject(reason);
  }
}
