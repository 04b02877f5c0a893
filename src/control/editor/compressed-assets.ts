import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { type Encoding, packed, worthCompressing } from '../http/compression.ts';

const compressible = new Set(['.js', '.css', '.json', '.svg', '.html', '.ts', '.ttf', '.ico', '']);

/** Good compression at a speed that the first visitor does not notice. */
const quality = 5;

const suffixes = { br: 'br', gzip: 'gz' } as const satisfies Record<Encoding, string>;

/**
 * Compressed copies of a folder's files, made when a file is first asked for and kept in a cache folder.
 * @remarks The cache may be deleted at any time. Its folder must change when the files do (name it by version).
 */
export class CompressedAssets {
  readonly #source: string;
  readonly #cache: string;
  readonly #ready = new Map<string, Promise<void>>();

  constructor(source: string, cache: string) {
    this.#source = source;
    this.#cache = cache;
  }

  /** Resolves once the compressed copy is there, or it is known that there will be none. Never rejects. */
  ensure(name: string, encoding: Encoding | undefined): Promise<void> {
    if (encoding === undefined || !compressible.has(extname(name))) return Promise.resolve();
    const copy = `${name}.${suffixes[encoding]}`;
    const known = this.#ready.get(copy);
    if (known) return known;
    // Only names of files that exist are remembered, so that made-up ones cannot fill the map.
    const made = this.#make(name, copy, encoding).catch(() => void this.#ready.delete(copy));
    this.#ready.set(copy, made);
    return made;
  }

  async #make(name: string, copy: string, encoding: Encoding): Promise<void> {
    const target = join(this.#cache, copy);
    if (!target.startsWith(join(this.#cache, '/'))) throw new Error('outside of the folder');
    const exists = await stat(target).then(
      () => true,
      () => false,
    );
    if (exists) return;
    const content = await readFile(join(this.#source, name));
    if (content.length < worthCompressing) return;
    const smaller = await packed(content, encoding, quality);
    await mkdir(dirname(target), { recursive: true });
    // Written beside and renamed: two servers may share the folder.
    const temporary = `${target}.${process.pid}`;
    await writeFile(temporary, smaller);
    await rename(temporary, target);
  }
}
