import { Worker } from 'node:worker_threads';

/**
 * Starts the thread that ends this process when the control plane is gone, also while the event loop is blocked.
 * @remarks An idle process learns of that from the link; one in an endless loop would stay behind for ever.
 */
export function startWatchdog(): void {
  const own = import.meta.url;
  const fromSource = own.endsWith('.ts');
  const file = new URL(`./watchdog-thread.${fromSource ? 'ts' : 'js'}`, own);
  const worker = new Worker(file, {
    workerData: { parent: process.ppid },
    // It holds a timer and a number; run from its source it also holds what strips the types.
    resourceLimits: {
      maxOldGenerationSizeMb: fromSource ? 64 : 8,
      maxYoungGenerationSizeMb: 1,
      stackSizeMb: 1,
    },
    execArgv: [],
    env: {},
  });
  worker.on('error', (error) => process.stderr.write(`The watchdog failed: ${error.message}\n`));
  worker.unref();
}
