import type { Logger } from '../../logging/logger.ts';

/** What happens to an error that no node caught. */
export interface UncaughtPolicy {
  readonly log: Logger;
  /** Whether the process goes on, or ends and is started again. */
  readonly afterwards: 'log' | 'restart';
}

/** The exit code of an engine that ended because of such an error (EX_SOFTWARE of sysexits.h). */
const exitCode = 70;

/**
 * Takes the errors that node code throws where nobody catches them: in timers, in listeners, in promises nobody waits
 * for. They are logged with their stack and counted; the flows go on, unless the settings say otherwise.
 */
export class UncaughtErrors {
  #count = 0;
  #policy: UncaughtPolicy | undefined;

  constructor() {
    process.on('uncaughtException', (error) => this.#take('An error that no node caught', error));
    process.on('unhandledRejection', (error) =>
      this.#take('A promise that no node waited for was rejected', error),
    );
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  /** Says what to do with them, once the settings are known. Until then nothing runs that is worth keeping. */
  follow(policy: UncaughtPolicy): void {
    this.#policy = policy;
  }

  #take(kind: string, error: unknown): void {
    this.#count++;
    const text = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
    if (this.#policy) this.#policy.log.error(text, { err: error });
    else process.stderr.write(`${text}\n${error instanceof Error ? `${error.stack}\n` : ''}`);
    if (this.#policy?.afterwards !== 'log') process.exit(exitCode);
  }
}
