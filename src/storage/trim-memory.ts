import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A process that uses less of its time than this is at rest. */
const restingUtilization = 0.05;

/** In bytes. Above, most is not what loading left behind, and collecting it would stop the process for longer. */
const heapLimit = 200 * 1024 * 1024;

/** How {@link trimMemoryAtRest} judges. */
export interface TrimOptions {
  /** Milliseconds between looks, and of rest before it trims. */
  readonly everyMs?: number;
  /** Looks before it gives up: a process with steady work has use for its memory. */
  readonly looks?: number;
}

/**
 * Gives back, once, the memory that a start took and no longer needs: loading code lets V8 set aside tens of megabytes
 * for young objects, which it otherwise keeps. Waits for a moment of rest, since it stops the process for some 30 ms.
 * @returns ends the waiting
 */
export function trimMemoryAtRest({ everyMs = 1000, looks = 120 }: TrimOptions = {}): () => void {
  let before = performance.eventLoopUtilization();
  let left = looks;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const resting = performance.eventLoopUtilization(now, before).utilization < restingUtilization;
    before = now;
    left--;
    if (resting || left === 0) clearInterval(timer);
    if (resting && process.memoryUsage().heapUsed < heapLimit) collectAll();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Collects all garbage and shrinks the space of young objects; it grows again with the work. */
function collectAll(): void {
  try {
    // The function exists in contexts that are made while the flag is set; nobody else gets to see it.
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as (options: object) => void;
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } catch {
    // Another V8 may know no such thing; it then keeps its memory.
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
