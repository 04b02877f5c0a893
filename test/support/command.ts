import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How the command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run the command. */
export interface CommandOptions {
  /** Given on standard input, which is then closed. */
  readonly input?: string;
  /** Standard input stays open, for `onOutput` to write to. */
  readonly keepInput?: boolean;
  readonly env?: { readonly [name: string]: string | undefined };
  readonly cwd?: string;
  /** User and group to run as; only root may. */
  readonly uid?: number;
  /** Called with everything printed so far, whenever something is. */
  readonly onOutput?: (printed: string, child: ChildProcess) => void;
}

const bin = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url));

/** Runs `sluice` as a person would, to its end. */
export function sluice(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return runCommand(process.execPath, [bin, ...args], options);
}

/** Runs a program to its end. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const { input, keepInput = false, cwd, uid, onOutput } = options;
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: undefined, ...options.env };
  const child = spawn(program, [...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: [input === undefined && !keepInput ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout + stderr, child);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onOutput?.(stdout + stderr, child);
  });
  child.stdin?.on('error', () => {});
  if (!keepInput) child.stdin?.end(input);
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.removeListener('exit', killOnExit);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
