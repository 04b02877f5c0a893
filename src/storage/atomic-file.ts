import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How {@link writeFileAtomic} writes. */
export interface WriteOptions {
  /** Permissions of the file; without it an existing file keeps its own and a new one gets the process's default. */
  readonly mode?: number;
  /** Absolute path that keeps the file's previous content, where it had any. */
  readonly backup?: string;
}

/**
 * Replaces a file's content so that after a crash or a power cut either the old content or the new is there.
 * @remarks Temporary file beside the target, `fsync`, rename, `fsync` of the folder. A symbolic link is followed: the
 * file that it points to is replaced. When the promise resolves the change is on the disk. When it rejects (with the
 * system's error) the old content is still there and no temporary file is left behind.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Buffer,
  options: WriteOptions = {},
): Promise<void> {
  const target = await realpath(path).catch(ifMissing(path));
  const before = await stat(target).catch(ifMissing(undefined));
  const mode = options.mode ?? (before === undefined ? undefined : before.mode & 0o777);
  const temporary = temporaryBeside(target);
  try {
    await writeDurably(temporary, data, mode);
    if (options.backup !== undefined && before !== undefined && before.size > 0)
      await keepAs(target, options.backup);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(target));
}

/**
 * Removes temporary files of {@link writeFileAtomic} that a killed process left beside a file. Only for the file's one
 * writer, and only before it writes.
 */
export async function removeTemporaries(path: string): Promise<void> {
  const target = await realpath(path).catch(ifMissing(path));
  const names = await readdir(dirname(target)).catch(ifMissing<string[]>([]));
  const prefix = `.${basename(target)}.`;
  const left = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length)),
  );
  await Promise.all(left.map((name) => rm(join(dirname(target), name), { force: true }).catch(() => {})));
}

function temporaryBeside(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
}

async function writeDurably(path: string, data: string | Buffer, mode: number | undefined): Promise<void> {
  const file = await open(path, 'wx', mode ?? 0o666);
  try {
    // The process's umask may have narrowed what was asked for.
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes `backup` the present content of `target`, atomically, without reading it where the file system has links. */
async function keepAs(target: string, backup: string): Promise<void> {
  const temporary = temporaryBeside(backup);
  try {
    await link(target, temporary).catch(() => copy(target, temporary));
    await rename(temporary, backup);
  } finally {
    // Renaming one link over another of the same file is a no-op that leaves both names.
    await rm(temporary, { force: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  const source = await open(from, 'r');
  try {
    await writeDurably(to, await source.readFile(), (await source.stat()).mode & 0o777);
  } finally {
    await source.close();
  }
}

/** A rename lasts only once its folder has been written; systems that can't sync a folder don't need it. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'EACCES', 'ENOTSUP'].includes(codeOf(error))) throw error;
  } finally {
    await folder?.close();
  }
}

function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return instead;
    throw error;
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
