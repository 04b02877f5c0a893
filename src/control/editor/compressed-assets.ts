import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);

const compressible = new Set(['.js', '.css', '.json', '.svg', '.html', '.ts', '.ttf', '.ico', '']);

/** Below this many bytes compressing saves no packet. */
const smallest = 1024;

/** Good compression at a speed that the first visitor does not notice. */
const quality = 5;

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
  ensure(name: string): Promise<void> {
    if (!compressible.has(extname(name))) return Promise.resolve();
    const known = this.#ready.get(name);
    if (known) return known;
    // Only names of files that exist are remembered, so that made-up ones cannot fill the map.
    const made = this.#make(name).catch(() => void this.#ready.delete(name));
    this.#ready.set(name, made);
    return made;
  }

  async #make(name: string): Promise<void> {
    const target = join(this.#cache, `${name}.br`);
    if (!target.startsWith(join(this.#cache, '/'))) throw new Error('outside of the folder');
    const exists = await stat(target).then(
      () => true,
      () => false,
    );
    if (exists) return;
    const content = await readFile(join(this.#source, name));
    if (content.length < smallest) return;
    const packed = await compress(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    await mkdir(dirname(target), { recursive: true });
    // Written beside and renamed: two servers may share the folder.
    const temporary = `${target}.${process.pid}`;
    await writeFile(temporary, packed);
    await rename(temporary, target);
  }
}
