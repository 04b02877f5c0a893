import { promisify } from 'node:util';
import type { PaletteNode } from '../red.ts';

type Timer = ReturnType<typeof setTimeout>;
type Action = (...values: unknown[]) => unknown;

/** The timers that the code of a function node has started: they end with the node, their errors are the node's. */
export class Timers {
  readonly timeouts: Timer[] = [];
  readonly intervals: Timer[] = [];
  readonly #node: PaletteNode;

  constructor(node: PaletteNode) {
    this.#node = node;
    Object.defineProperty(this.setTimeout, promisify.custom, {
      value: (after: number, value: unknown) =>
        new Promise((resolve) => void this.setTimeout(() => resolve(value), after)),
    });
  }

  readonly setTimeout = (action: Action, after?: number, ...values: unknown[]): Timer => {
    const run = (...given: unknown[]) => {
      this.clearTimeout(timer);
      this.#run(action, given);
    };
    const timer = setTimeout(run, after, ...values);
    this.timeouts.push(timer);
    return timer;
  };

  readonly clearTimeout = (timer: Timer): void => {
    clearTimeout(timer);
    remove(this.timeouts, timer);
  };

  readonly setInterval = (action: Action, every?: number, ...values: unknown[]): Timer => {
    const timer = setInterval((...given: unknown[]) => this.#run(action, given), every, ...values);
    this.intervals.push(timer);
    return timer;
  };

  readonly clearInterval = (timer: Timer): void => {
    clearInterval(timer);
    remove(this.intervals, timer);
  };

  clear(): void {
    for (const timer of this.timeouts.splice(0)) clearTimeout(timer);
    for (const timer of this.intervals.splice(0)) clearInterval(timer);
  }

  #run(action: Action, values: readonly unknown[]): void {
    try {
      action.apply(this.#node, [...values]);
    } catch (error) {
      this.#node.error(error, {});
    }
  }
}

function remove(timers: Timer[], timer: Timer): void {
  const at = timers.indexOf(timer);
  if (at >= 0) timers.splice(at, 1);
}
