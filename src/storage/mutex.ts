/** Runs jobs one after another, in the order in which they were handed in; a failing one does not stop the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #open = 0;

  /** Whether a job would have to wait. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  /** Resolves or rejects as the job does. */
  run<T>(job: () => Promise<T> | T): Promise<T> {
    this.#open += 1;
    const result = this.#last.then(job).finally(() => {
      this.#open -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
