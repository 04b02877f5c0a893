import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';
import type { Logger } from '../logging/logger.ts';
import { leftovers, readJournal, restore } from './journal.ts';
import { findNpm, npmEnvironment } from './npm.ts';
import type { NpmResult, RunnerAsks, RunnerTells } from './npm-runner.ts';
import { endGroup, endJob, identityOf, isRunning, jobVariable, type ProcessIdentity } from './processes.ts';

/** What a change of the installed modules can do while it is open. */
export interface OpenChange {
  /** Runs npm in the user directory to its end, whatever that is. */
  npm(args: readonly string[]): Promise<NpmResult>;
}

/** How a change is made. */
export interface ChangeOptions {
  readonly userDir: string;
  /** What is being done, for the log after an interruption. */
  readonly what: string;
  /** Files that `body` will write besides what npm writes, relative to the user directory. */
  readonly files?: readonly string[];
  /** The whole change is taken back after this time, in milliseconds. */
  readonly timeoutMs: number;
  /** Taken back at once when this aborts. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string, from: 'out' | 'err') => void;
}

/**
 * Changes the installed modules so that all of it happens or nothing: when `body` rejects, when npm or its runner is
 * killed, or when this process is (then at its next start, by {@link recover}), everything is as it was before.
 * @throws AppError `install_failed` where npm can't be run or was killed; whatever `body` throws.
 */
export async function change<T>(options: ChangeOptions, body: (open: OpenChange) => Promise<T>): Promise<T> {
  if (options.signal.aborted) throw new AppError('install_failed', { message: 'Sluice is stopping' });
  const npm = findNpm();
  if (!npm) throw new AppError('install_failed', { detail: 'npm was not found; it must be on the PATH' });
  const job = randomUUID();
  const runner = new Runner(job, options.onOutput);
  const stop = (why: string) => () => runner.kill(why);
  const timer = setTimeout(stop('it took too long'), options.timeoutMs);
  const aborted = stop('Sluice is stopping');
  options.signal.addEventListener('abort', aborted);
  try {
    const { userDir, what, files = [] } = options;
    await runner.ask({ is: 'begin', userDir, job: { job, what, owner: identityOf() }, files });
    const result = await body({
      npm: async (args) => {
        const ended = await runner.ask({ is: 'npm', npm, args });
        if (!ended) throw new AppError('install_failed', { message: 'the npm runner gave no result' });
        return ended;
      },
    });
    await runner.end('commit');
    return result;
  } catch (error) {
    await runner.end('restore').catch(async () => {
      runner.kill('it failed');
      await endJob(job);
      restore(options.userDir);
    });
    throw error;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', aborted);
  }
}

/**
 * Takes back a change that an earlier process began and did not end, with all that still runs of it. Must run before
 * anything reads the installed modules.
 */
export async function recover(userDir: string, log: Logger): Promise<void> {
  const journal = readJournal(userDir);
  if (journal) {
    if (isOthers(journal.owner)) {
      log.error(`Another process (${journal.owner.pid}) is changing the modules of ${userDir}`);
      return;
    }
    log.warn(`${journal.what} was interrupted; the modules are put back as they were before it`);
    await endJob(journal.job);
    restore(userDir);
  }
  for (const { path, job } of leftovers(userDir)) {
    if (job && isOthers(job.owner)) continue;
    if (job) await endJob(job.job);
    rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      log.warn(`Remains of an earlier installation could not be deleted: ${String(error)}`);
    });
  }
}

function isOthers(owner: ProcessIdentity): boolean {
  return owner.pid !== process.pid && isRunning(owner);
}

interface Waiting {
  resolve(result: NpmResult | undefined): void;
  reject(error: Error): void;
}

/** The process that does the work (npm-runner.ts), asked one thing at a time. */
class Runner {
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  #gone: AppError | undefined;

  constructor(job: string, onOutput: ChangeOptions['onOutput']) {
    // The built file is JavaScript, the source is run as it is.
    const file = new URL(`./npm-runner${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    this.#child = fork(fileURLToPath(file), [job], {
      detached: process.platform !== 'win32',
      env: { ...npmEnvironment(), [jobVariable]: job },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (told: RunnerTells) => {
      if (told.is === 'output') onOutput(told.text, told.from);
      else if (told.is === 'done') this.#settle((waiting) => waiting.resolve(told.npm));
      else {
        const { message } = told;
        this.#settle((waiting) => waiting.reject(new AppError('install_failed', { message })));
      }
    });
    this.#child.on('error', (error) => this.#lost(`the npm runner could not be started: ${error.message}`));
    this.#child.on('exit', () => this.#lost('the npm runner was ended'));
  }

  ask(asks: RunnerAsks): Promise<NpmResult | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#gone) return reject(this.#gone);
      this.#waiting = { resolve, reject };
      this.#child.send(asks, (error) => {
        if (error) this.#lost(`the npm runner can't be reached: ${error.message}`);
      });
    });
  }

  /** The last thing that it is asked; it then goes by itself. */
  async end(how: 'commit' | 'restore'): Promise<void> {
    await this.ask({ is: how });
    this.#gone = new AppError('install_failed', { message: 'The change has ended' });
  }

  /** Ends it and everything that it started, at once. What waits fails. */
  kill(why: string): void {
    this.#lost(why);
  }

  #lost(why: string): void {
    if (this.#gone) return;
    const gone = new AppError('install_failed', { message: `The installation was ended: ${why}` });
    this.#gone = gone;
    // Also when the runner is gone already: npm may still run.
    if (this.#child.pid !== undefined) endGroup(this.#child.pid);
    this.#settle((waiting) => waiting.reject(gone));
  }

  #settle(how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) how(waiting);
  }
}
