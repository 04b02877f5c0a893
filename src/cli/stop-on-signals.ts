/** What a person or a service manager sends to end the process. */
const endSignals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * One Ctrl-C reaches a process several times where npm or another parent passes it on as well; what follows so soon
 * (milliseconds) is the same one.
 */
const sameSignalMs = 1000;

/**
 * Resolves with the first signal to end; a later one ends the process at once, without waiting for anything (exit code
 * 130).
 */
export function firstEndSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of endSignals) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now();
          resolve(signal);
        } else if (performance.now() - first > sameSignalMs) process.exit(130);
      });
    }
  });
}
