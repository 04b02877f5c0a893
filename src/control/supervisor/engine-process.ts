import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bootVariable, type EngineBoot } from '../../link/boot.ts';
import { type EngineLink, openLink } from '../../link/link.ts';
import type {
  ControlCalls,
  ControlEvents,
  EngineCalls,
  EngineEvents,
  Handlers,
} from '../../link/protocol.ts';
import { linkDescriptor, streamTransport } from '../../link/stream-transport.ts';
import type { Logger } from '../../logging/logger.ts';
import type { BlockedAt } from './blocked-at.ts';
import { type ExitReason, exitReason } from './exit-reason.ts';
import { chooseGuard, type Guard, guardDescriptor, underShell } from './guard.ts';
import { Inspection } from './inspection.ts';

/** How to start an engine process. */
export interface SpawnOptions {
  readonly boot: Omit<EngineBoot, 'watchdog'>;
  /** The cheapest there is, where absent. */
  readonly guard?: Guard;
  /** Options for Node.js. */
  readonly execArgv: readonly string[];
  /** Heap limit; Node's own where absent. */
  readonly memoryLimitMb?: number;
  readonly handlers: Handlers<ControlCalls>;
  readonly callTimeoutMs: number;
  /** Told where the process is, after {@link EngineProcess.locate}, where that can be known. */
  readonly onLocated?: (at: BlockedAt) => void;
  readonly log: Logger;
}

/** How long a process that got SIGTERM may live on. */
const termGraceMs = 1000;
/** How long the pipes of a dead process may take to give their last words. */
const lastWordsMs = 250;
const tailLength = 8192;
/** How much of stderr may wait for its reader, in characters. */
const stderrLimit = 1024 * 1024;

/** One engine process from its start to its end, with the link to it. */
export class EngineProcess {
  readonly link: EngineLink;
  /** Resolves when it has ended and all that it said has been heard. Never rejects. */
  readonly exited: Promise<ExitReason>;
  readonly #child: ChildProcess;
  readonly #inspection: Inspection;
  #tail = '';
  #ending: string | undefined;
  #gone = false;

  constructor(options: SpawnOptions) {
    const own = import.meta.url;
    const fromSource = own.endsWith('.ts');
    const main = fileURLToPath(new URL(`../../engine/main.${fromSource ? 'ts' : 'js'}`, own));
    const { memoryLimitMb, guard = chooseGuard() } = options;
    const boot: EngineBoot = { ...options.boot, watchdog: guard === 'thread' };
    const { execArgv, onLocated = () => {} } = options;
    this.#inspection = new Inspection({ execArgv, onLocated });
    const parameters = [
      ...this.#inspection.execArgv,
      ...(memoryLimitMb === undefined ? [] : [`--max-old-space-size=${memoryLimitMb}`]),
      ...execArgv,
      main,
    ];
    const plain = { command: process.execPath, parameters };
    const run = guard === 'shell' ? underShell(plain.command, plain.parameters) : plain;
    this.#child = spawn(run.command, run.parameters, {
      env: { ...process.env, [bootVariable]: JSON.stringify(boot) },
      // stderr passes through this process, so that the last words of a crash can be understood. The link is the fourth;
      // 'overlapped' is a pipe, which on Windows both sides can read without blocking.
      stdio: ['ignore', 'inherit', 'pipe', 'overlapped', guard === 'shell' ? 'pipe' : 'ignore'],
      detached: guard === 'shell',
    });
    // A child that could not be started has it too.
    const stream = this.#child.stdio[linkDescriptor] as Duplex;
    this.exited = this.#watch(stream);
    this.link = openLink<EngineCalls, ControlCalls, ControlEvents, EngineEvents>({
      transport: streamTransport(stream),
      handlers: options.handlers,
      log: options.log,
      unforeseen: 'internal_error',
      timeoutMs: options.callTimeoutMs,
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Ends the process: asks it to stop its flows, then SIGTERM, then SIGKILL.
   * @param stopTimeoutMs - how long it may take to stop; 0 kills it at once (for one that does not respond)
   */
  async end(why: string, stopTimeoutMs: number): Promise<void> {
    this.#ending ??= why;
    if (stopTimeoutMs > 0) {
      // Nothing to do about a refusal: it ends either way.
      await this.link.call('engine.stop', null, { timeoutMs: stopTimeoutMs }).catch(() => {});
      this.#signal('SIGTERM');
      await Promise.race([this.exited, delay(termGraceMs)]);
    }
    this.kill(why);
    await this.exited;
  }

  /** SIGKILL. Also ends an {@link EngineProcess.end} that waits. */
  kill(why: string): void {
    this.#ending ??= why;
    this.#signal('SIGKILL');
  }

  /** Has a process that does not respond tell where it is. */
  locate(): void {
    const signal = this.#inspection.begin();
    if (signal !== undefined) this.#signal(signal);
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.#gone) this.#child.kill(signal);
  }

  #watch(link: Duplex): Promise<ExitReason> {
    const child = this.#child;
    const guard = child.stdio[guardDescriptor] as Writable | null | undefined;
    // Ended with the engine, or never begun.
    guard?.on('error', () => {});
    const disconnected = new Promise<void>((resolve) => link.once('close', () => resolve()));
    const silent = new Promise<void>((resolve) => child.stderr?.once('close', () => resolve()));
    child.stderr?.setEncoding('utf8').on('data', (said: string) => {
      const text = this.#inspection.hear(said);
      this.#tail = (this.#tail + text).slice(-tailLength);
      // What nobody reads is not kept for ever.
      if (process.stderr.writableLength < stderrLimit) process.stderr.write(text);
    });
    return new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#gone = true;
        guard?.end('ended\n', () => guard.destroy());
        // What it said on the link and on stderr may still be in the pipes.
        void Promise.race([Promise.all([disconnected, silent]), delay(lastWordsMs)]).then(() => {
          const why = this.#ending;
          resolve(why === undefined ? exitReason(code, signal, this.#tail) : { is: 'ended', why });
        });
      });
      child.on('error', (error) => {
        // Only an error of starting it; sending to it fails on the link, killing it fails when it is gone.
        if (child.pid === undefined) {
          this.#gone = true;
          this.link.close();
          resolve({ is: 'not-started', why: error.message });
        }
      });
    });
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
