/**
 * Measures for how long nothing was heard.
 * @remarks Counts in ticks and not by the clock: while this process itself was stopped or busy (a laptop that slept, a
 * debugger), nothing could have been heard, and that is not the other side's silence.
 */
export class Silence {
  readonly #tickMs: number;
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();
  #ms = 0;

  /** `onTick` is told every `tickMs` how long it has been silent, in milliseconds. */
  constructor(tickMs: number, onTick: (silentMs: number) => void) {
    this.#tickMs = tickMs;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#ms += Math.min(now - this.#last, 2 * this.#tickMs);
      this.#last = now;
      onTick(this.#ms);
    }, tickMs);
    this.#timer.unref();
  }

  heard(): void {
    this.#ms = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
