import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Parser, ReadEntry } from 'tar';
import { AppError } from '../contract/errors.ts';
import { isModuleName } from './install-request.ts';
import { asPackageFile, hasSets, type PackageFile } from './package-file.ts';
import { isExactVersion } from './versions.ts';

/** How much a package file may hold. */
export interface TarballLimits {
  /** Bytes of all files together, unpacked. */
  readonly unpackedBytes: number;
  readonly entries: number;
}

/** Generous for node modules: the largest of them stay well below. */
export const defaultLimits: TarballLimits = { unpackedBytes: 512 * 1024 * 1024, entries: 100_000 };

const packageJson = 'package/package.json';
const packageJsonBytes = 4 * 1024 * 1024;

/**
 * Reads a package file (`.tgz`) from end to end without unpacking it, and says what it holds.
 * @param path absolute path of the file.
 * @throws AppError `invalid_tarball` where it is not gzip, not tar, has no `package/package.json`, holds a path or a link
 * that leaves its folder, a device, or more than `limits`; `invalid_package` where it is not a node module.
 */
export async function inspectTarball(path: string, limits = defaultLimits): Promise<PackageFile> {
  if (!(await isGzip(path))) throw refused('it is not compressed with gzip');
  let bytes = 0;
  let entries = 0;
  let found: Buffer | undefined;
  const { Parser: TarParser } = await import('tar');
  const parser = new TarParser({ strict: true });
  const done = new Promise<void>((resolve, reject) => {
    const refuse = (error: unknown) => {
      reject(error);
      parser.abort(error instanceof Error ? error : new Error(String(error)));
    };
    parser.on('end', resolve);
    parser.on('error', reject);
    parser.on('entry', (entry: ReadEntry) => {
      entries += 1;
      bytes += entry.size;
      const problem =
        problemOf(entry) ??
        (entries > limits.entries ? `it holds more than ${limits.entries} files` : undefined) ??
        (bytes > limits.unpackedBytes ? `it unpacks to more than ${limits.unpackedBytes} bytes` : undefined);
      if (problem !== undefined) return refuse(refused(problem));
      if (posix.normalize(entry.path) !== packageJson) return entry.resume();
      if (entry.size > packageJsonBytes) return refuse(refused('its package.json is too large'));
      const chunks: Buffer[] = [];
      entry.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
      entry.on('end', () => {
        found = Buffer.concat(chunks);
      });
    });
  });
  done.catch(() => {});
  try {
    await pipeline(createReadStream(path), createGunzip(), async (unpacked) => {
      let unpackedBytes = 0;
      for await (const chunk of unpacked) {
        unpackedBytes += (chunk as Buffer).length;
        // Padding counts as well: without end it would keep us busy for ever.
        if (unpackedBytes > limits.unpackedBytes * 2) throw refused('it unpacks to too much');
        await Promise.race([done, written(parser, chunk as Buffer)]);
      }
      parser.end();
    });
    await done;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refused('it is not a tar archive, or damaged', error);
  }
  if (found === undefined) throw refused(`it holds no ${packageJson}`);
  return readModule(found);
}

/** Waits where the parser can't take more at once. */
function written(parser: Parser, chunk: Buffer): Promise<void> | void {
  if (!parser.write(chunk)) return new Promise((resolve) => parser.once('drain', resolve));
}

function readModule(packageFile: Buffer): PackageFile {
  let value: unknown;
  try {
    value = JSON.parse(packageFile.toString('utf8'));
  } catch (error) {
    throw refused('its package.json is not JSON', error);
  }
  const file = asPackageFile(value);
  if (!file || !hasSets(file)) throw new AppError('invalid_package');
  if (!isModuleName(file.name) || !isExactVersion(file.version)) {
    throw new AppError('invalid_package', { detail: 'The package has no valid name and version' });
  }
  return file;
}

/** What is wrong with an entry, if anything. Types as in POSIX ustar; PAX headers never come as entries. */
function problemOf(entry: ReadEntry): string | undefined {
  if (leaves(entry.path)) return 'a path in it leaves its folder';
  switch (entry.type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
    case 'Directory':
    case 'GNUDumpDir':
      return undefined;
    case 'SymbolicLink':
      return leaves(entry.linkpath ?? '', posix.dirname(entry.path))
        ? 'a link in it leaves its folder'
        : undefined;
    case 'Link':
      return leaves(entry.linkpath ?? '') ? 'a link in it leaves its folder' : undefined;
    default:
      return 'it holds something that is neither a file, a folder nor a link';
  }
}

/** Whether a path, from a folder of the archive, leaves the archive's first folder: npm drops that one's name. */
function leaves(path: string, from = '.'): boolean {
  if (/[\0\\]/.test(path) || posix.isAbsolute(path) || /^[A-Za-z]:/.test(path)) return true;
  const steps = (text: string) => text.split('/').filter((part) => part !== '' && part !== '.');
  let depth = steps(from).length;
  return steps(path).some((part) => {
    depth += part === '..' ? -1 : 1;
    return part === '..' && depth < 1;
  });
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(2);
    await file.read(start, 0, 2, 0);
    return start[0] === 0x1f && start[1] === 0x8b;
  } finally {
    await file.close();
  }
}

function refused(why: string, cause?: unknown): AppError {
  return new AppError('invalid_tarball', { detail: `The file is not a valid module package: ${why}`, cause });
}
