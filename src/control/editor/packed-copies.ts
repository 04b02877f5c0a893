import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { type Encoding, packed, worthCompressing } from '../http/compression.ts';

const compressible = new Set(['.js', '.css', '.json', '.svg', '.html', '.ts', '.ttf', '.ico', '']);

/** Good compression at a speed that the first visitor does not notice. */
const quality = 5;

const suffixes = { br: 'br', gzip: 'gz' } as const satisfies Record<Encoding, string>;

/** Where files and their copies are; absolute paths of folders. */
export interface PackedCopiesDeps {
  /** The files themselves. */
  readonly source: string;
  /** Copies that came with this program; the folder may be missing. */
  readonly shipped: string;
  /** Where copies are kept that had to be made; its name must change when the files do. May be deleted at any time. */
  readonly cache: string;
}

/** Compressed copies of a folder's files: those that were shipped, and others made when they are first asked for. */
export class PackedCopies {
  readonly #deps: PackedCopiesDeps;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(deps: PackedCopiesDeps) {
    this.#deps = deps;
  }

  /**
   * The absolute path of a file's compressed copy; undefined where there is none. Never rejects.
   * @param name - of a file that exists, relative to the source
   */
  of(name: string, encoding: Encoding): Promise<string | undefined> {
    if (!compressible.has(extname(name))) return Promise.resolve(undefined);
    const copy = `${name}.${suffixes[encoding]}`;
    const known = this.#known.get(copy);
    if (known) return known;
    // A disk that is full now may not be later.
    const found = this.#find(name, copy, encoding).catch(() => void this.#known.delete(copy));
    this.#known.set(copy, found);
    return found;
  }

  async #find(name: string, copy: string, encoding: Encoding): Promise<string | undefined> {
    const { source, shipped, cache } = this.#deps;
    for (const path of [join(shipped, copy), join(cache, copy)]) if (await exists(path)) return path;
    const content = await readFile(join(source, name));
    if (content.length < worthCompressing) return undefined;
    const target = join(cache, copy);
    const smaller = await packed(content, encoding, quality);
    await mkdir(dirname(target), { recursive: true });
    // Written beside and renamed: two servers may share the folder.
    const temporary = `${target}.${process.pid}`;
    await writeFile(temporary, smaller);
    await rename(temporary, target);
    return target;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
