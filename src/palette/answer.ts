import type { Callback } from './red.ts';

/** What a store or an expression gave. */
export interface Answer {
  readonly error: unknown;
  readonly value: unknown;
}

/**
 * Asks what answers by callback; gives the answer itself where it comes at once (stores in memory), else a promise.
 * @throws what `start` throws.
 */
export function ask(start: (callback: Callback) => void): Answer | Promise<Answer> {
  let answer: Answer | undefined;
  let tell: ((answer: Answer) => void) | undefined;
  start((error, value) => {
    if (answer !== undefined) return;
    answer = { error, value };
    tell?.(answer);
  });
  return (
    answer ??
    new Promise<Answer>((resolve) => {
      tell = resolve;
    })
  );
}

/** Goes on with a value, at once where it is there at once. */
export function whenKnown<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
