import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../contract/json.ts';
import type { ProcessIdentity } from './processes.ts';

/*
 * How an interrupted change of the installed modules is taken back.
 *
 * Before npm touches the user directory, `begin` puts a clone of `node_modules` (hard links: fast, no space) and copies of
 * the files that npm rewrites beside it, and then writes the journal. From there until `commit` removes the journal,
 * `restore` brings everything back: it may itself be interrupted at any point and run again.
 *
 * All calls are synchronous: they run in the npm runner's own process, or at start before anything else.
 */

/** Files of the user directory that npm rewrites. */
const listFiles = ['package.json', 'package-lock.json', 'npm-shrinkwrap.json'];

/** What the journal on disk says. */
export interface Journal {
  /** Names the undo folder, and marks every process of the job. */
  readonly job: string;
  /** The control plane that began it. */
  readonly owner: ProcessIdentity;
  /** What is being done, for the log. */
  readonly what: string;
  /** Files that are brought back or, where they were not there before, removed; relative to the user directory. */
  readonly files: readonly { readonly path: string; readonly existed: boolean }[];
  /** Whether there was a `node_modules` folder. */
  readonly hadModules: boolean;
}

/** Who does what: the part of a {@link Journal} that is known before the change begins. */
export type Job = Pick<Journal, 'job' | 'owner' | 'what'>;

/** Where the undo folders and the journal lie. */
export function undoRoot(userDir: string): string {
  return join(userDir, '.sluice', 'install');
}

/** The journal of a change that was begun and neither committed nor restored. */
export function readJournal(userDir: string): Journal | undefined {
  return readJob(journalPath(userDir)) as Journal | undefined;
}

/**
 * Makes it possible to take back whatever is now done to the installed modules.
 * @param moreFiles further files that the change will write, relative to the user directory.
 */
export function begin(userDir: string, job: Job, moreFiles: readonly string[] = []): void {
  const undo = undoFolder(userDir, job.job);
  mkdirSync(undo, { recursive: true });
  writeFileSync(join(undo, 'job.json'), JSON.stringify(job));
  const files = [...listFiles, ...moreFiles].map((path) => ({
    path,
    existed: existsSync(join(userDir, path)),
  }));
  for (const { path } of files.filter((file) => file.existed)) {
    const to = join(undo, 'files', path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(userDir, path), to);
    sync(to);
  }
  const modules = join(userDir, 'node_modules');
  const hadModules = exists(modules);
  if (hadModules) clone(modules, join(undo, 'node_modules'));
  sync(undo);
  const journal: Journal = { ...job, files, hadModules };
  const temporary = `${journalPath(userDir)}.tmp`;
  writeFileSync(temporary, JSON.stringify(journal));
  sync(temporary);
  renameSync(temporary, journalPath(userDir));
  sync(undoRoot(userDir));
}

/** The change stays. What was kept to take it back is now among the {@link leftovers}. */
export function commit(userDir: string): void {
  rmSync(journalPath(userDir), { force: true });
  sync(undoRoot(userDir));
}

/** Brings back what was there before {@link begin}; does nothing where no change is open. */
export function restore(userDir: string): void {
  const journal = readJournal(userDir);
  if (!journal) return;
  const undo = undoFolder(userDir, journal.job);
  const modules = join(userDir, 'node_modules');
  const kept = join(undo, 'node_modules');
  // A rename is atomic; whatever npm left goes aside first. Interrupted in between, the next run goes on from here.
  if (exists(kept)) {
    if (exists(modules)) renameSync(modules, unusedName(join(undo, 'broken')));
    renameSync(kept, modules);
  } else if (!journal.hadModules && exists(modules)) {
    renameSync(modules, unusedName(join(undo, 'broken')));
  }
  for (const { path, existed } of journal.files) {
    const from = join(undo, 'files', path);
    const to = join(userDir, path);
    if (!existed) rmSync(to, { force: true });
    else if (existsSync(from)) {
      const temporary = `${to}.restoring`;
      copyFileSync(from, temporary);
      sync(temporary);
      renameSync(temporary, to);
    }
  }
  sync(userDir);
  commit(userDir);
}

/** A folder that an ended or interrupted change left behind. */
export interface Leftover {
  readonly path: string;
  /** Whose it is, where that can be read. */
  readonly job?: Job;
}

/** What earlier changes left behind and nobody needs any more: nothing while a change is open. */
export function leftovers(userDir: string): Leftover[] {
  const root = undoRoot(userDir);
  if (existsSync(journalPath(userDir)) || !existsSync(root)) return [];
  return readdirSync(root).map((name) => {
    const path = join(root, name);
    const job = readJob(join(path, 'job.json'));
    return { path, ...(job ? { job } : {}) };
  });
}

/** What was written in one piece; what can't be read was not written to its end. */
function readJob(path: string): Job | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) && typeof value['job'] === 'string' ? (value as unknown as Job) : undefined;
  } catch {
    return undefined;
  }
}

function journalPath(userDir: string): string {
  return join(undoRoot(userDir), 'journal.json');
}

/** What is kept to take a change back. */
export function undoFolder(userDir: string, job: string): string {
  return join(undoRoot(userDir), job);
}

/**
 * Clones a folder: files as hard links, links as links. npm replaces a package's files rather than writing into them; the
 * one file of `node_modules` that it writes in place is copied.
 */
function clone(from: string, to: string): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stats.isDirectory()) {
    mkdirSync(to, { mode: stats.mode });
    for (const name of readdirSync(from)) clone(join(from, name), join(to, name));
  } else if (stats.isFile()) {
    if (from.endsWith('.package-lock.json')) copyFileSync(from, to);
    else link(from, to);
  }
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // A file system without hard links, or a file with too many of them.
    copyFileSync(from, to);
  }
}

/** Whether there is anything at a path, a dangling link included. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unusedName(path: string): string {
  for (let n = 0; ; n++) if (!exists(`${path}-${n}`)) return `${path}-${n}`;
}

/** Waits until a file or a folder is on the disk; systems that can't sync a folder don't need it. */
function sync(path: string): void {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    fsyncSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!['EINVAL', 'EPERM', 'EISDIR', 'EACCES', 'ENOTSUP'].includes(code)) throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
