/*
 * Entry of a small process that changes the installed modules: it keeps what was there (journal.ts), runs npm, and makes
 * the change stay or takes it back. A process of its own because cloning and deleting `node_modules` is much work for the
 * disk, and because npm must not go on when the control plane is gone: this process leads npm's process group and ends
 * it, and itself, when its parent disappears.
 *
 * Arguments: the job's name, which is also in the environment of every process that it starts.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { begin, commit, type Job, restore, undoFolder } from './journal.ts';
import type { NpmCommand } from './npm.ts';
import { endGroup } from './processes.ts';

/** What the control plane asks, one at a time. */
export type RunnerAsks =
  | { readonly is: 'begin'; readonly userDir: string; readonly job: Job; readonly files: readonly string[] }
  | { readonly is: 'npm'; readonly npm: NpmCommand; readonly args: readonly string[] }
  | { readonly is: 'commit' }
  | { readonly is: 'restore' };

/** What it is told. Every question is answered by `done` or `failed`. */
export type RunnerTells =
  | { readonly is: 'output'; readonly from: 'out' | 'err'; readonly text: string }
  | { readonly is: 'done'; readonly npm?: NpmResult }
  | { readonly is: 'failed'; readonly message: string };

/** How npm ended. */
export interface NpmResult {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const outputLimit = 1_000_000;
let userDir = '';
let undo = '';
let npmRuns = false;

process.on('disconnect', endEverything);
process.on('message', (asks: RunnerAsks) => {
  answer(asks).then(
    (result) => tell({ is: 'done', ...(result ? { npm: result } : {}) }),
    (error: unknown) => tell({ is: 'failed', message: String(error) }),
  );
});

async function answer(asks: RunnerAsks): Promise<NpmResult | undefined> {
  switch (asks.is) {
    case 'begin':
      userDir = asks.userDir;
      undo = undoFolder(userDir, asks.job.job);
      begin(userDir, asks.job, asks.files);
      return undefined;
    case 'npm':
      return runNpm(asks.npm, asks.args);
    case 'commit':
      commit(userDir);
      setImmediate(deleteUndo);
      return undefined;
    case 'restore':
      restore(userDir);
      setImmediate(deleteUndo);
      return undefined;
    default:
      return asks satisfies never;
  }
}

function runNpm({ command, before }: NpmCommand, args: readonly string[]): Promise<NpmResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...before, ...args], {
      cwd: userDir,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    npmRuns = true;
    const collected = { out: '', err: '' };
    const collect = (from: 'out' | 'err') => (chunk: Buffer) => {
      const text = chunk.toString();
      if (collected[from].length < outputLimit) collected[from] += text;
      tell({ is: 'output', from, text });
    };
    child.stdout.on('data', collect('out'));
    child.stderr.on('data', collect('err'));
    child.on('error', (error) => {
      npmRuns = false;
      reject(error);
    });
    child.on('close', (code) => {
      npmRuns = false;
      resolve({ code, stdout: collected.out, stderr: collected.err });
    });
  });
}

/** The answer is out; nobody waits for this, and the next start does it where this process is ended before. */
function deleteUndo(): void {
  rmSync(undo, { recursive: true, force: true });
  process.disconnect();
}

function endEverything(): void {
  if (npmRuns) endGroup(process.pid);
  process.exit();
}

function tell(message: RunnerTells): void {
  process.send?.(message);
}
