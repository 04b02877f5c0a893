/** Runs jobs one after another, in the order in which they were handed in; a failing one does not stop the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as the job does. */
  run<T>(job: () => Promise<T> | T): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }
}
