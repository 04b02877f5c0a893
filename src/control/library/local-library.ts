import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';

/** A file in a listing: its name, and what its head says of it. */
export interface LibraryFile {
  readonly fn: string;
  readonly [meta: string]: string;
}

/** What is found at a path: a text, or the names of folders and then files. */
export type LibraryEntry =
  | { readonly is: 'file'; readonly text: string }
  | { readonly is: 'folder'; readonly entries: readonly (string | LibraryFile)[] };

/** What a {@link LocalLibrary} needs. */
export interface LocalLibraryDeps {
  /** Absolute path; a folder for each type is below it. */
  readonly folder: string;
  /** Write flows with an indent. */
  readonly pretty: boolean;
  readonly readOnly: boolean;
}

/** One line of a file's head: `// name: value`, line breaks and backslashes escaped; it may end as Windows ends lines. */
const metaLine = /^\/\/ (\w+): (.*)\r?$/;

/**
 * The user's own library: texts and flows in files under `<userDir>/lib`, in the peer's layout.
 * @remarks Types other than flows keep what is known of a text in comment lines at its head.
 */
export class LocalLibrary {
  readonly #deps: LocalLibraryDeps;

  constructor(deps: LocalLibraryDeps) {
    this.#deps = deps;
  }

  /**
   * Reads a file or lists a folder; an empty path, or one with a slash at its end, is an empty folder where there is none.
   * @throws AppError `forbidden` for a path that leaves the library, `unexpected_error` where there is nothing
   */
  async read(type: string, path: string): Promise<LibraryEntry> {
    const full = this.#pathOf(type, path);
    const found = await stat(full).catch(() => undefined);
    if (found?.isDirectory()) return { is: 'folder', entries: await list(full) };
    if (found?.isFile()) return { is: 'file', text: withoutHead(await readFile(full, 'utf8')) };
    if (path === '' || path.endsWith('/')) return { is: 'folder', entries: [] };
    if (type === 'flows' && !path.endsWith('.json')) return this.read(type, `${path}.json`);
    throw new AppError('unexpected_error', { detail: `Library entry not found: ${path}` });
  }

  /**
   * Stores flows (`.json` is added to a name without it). Durable when the promise resolves.
   * @throws AppError `forbidden`, `invalid_request` (a name that can't be), `storage.failed`
   */
  async writeFlows(path: string, flows: unknown): Promise<void> {
    const name = path.endsWith('.json') ? path : `${path}.json`;
    await this.#write(this.#pathOf('flows', name), JSON.stringify(flows, null, this.#deps.pretty ? 4 : 0));
  }

  /** Stores a text with what is known of it. Durable when the promise resolves. */
  async writeText(
    type: string,
    path: string,
    text: string,
    meta: Readonly<Record<string, string>>,
  ): Promise<void> {
    const head = Object.entries(meta).map(([name, value]) => `// ${name}: ${escaped(value)}\n`);
    await this.#write(this.#pathOf(type, path), head.join('') + text);
  }

  #pathOf(type: string, path: string): string {
    if (/(^|[\\/])\.\.([\\/]|$)|\0/.test(path)) throw new AppError('forbidden');
    return join(this.#deps.folder, type, path);
  }

  async #write(path: string, text: string): Promise<void> {
    if (this.#deps.readOnly) return;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFileAtomic(path, text);
    } catch (cause) {
      // Names are the client's choice: one that the system can't have, or that a file or folder has already.
      const { code } = Object(cause) as { code?: unknown };
      if (code === 'ENAMETOOLONG' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'EEXIST') {
        throw new AppError('invalid_request', { detail: 'Nothing can be stored by this name', cause });
      }
      throw new AppError('storage.failed', { message: `library: ${cause}`, cause });
    }
  }
}

/** Folders first, each by name; hidden ones are left out, as is what vanishes or can't be read. */
async function list(folder: string): Promise<(string | LibraryFile)[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const entries = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      try {
        if ((await stat(path)).isDirectory()) return name;
        return { ...headOf(await readFile(path, 'utf8')), fn: name };
      } catch {
        return undefined;
      }
    }),
  );
  const found = entries.filter((entry) => entry !== undefined);
  return [
    ...found.filter((entry) => typeof entry === 'string'),
    ...found.filter((entry) => typeof entry !== 'string'),
  ];
}

function headOf(text: string): Record<string, string> {
  const head = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = metaLine.exec(line) ?? [];
    if (name === undefined || value === undefined) break;
    head.set(name, unescaped(value));
  }
  return Object.fromEntries(head);
}

function withoutHead(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !metaLine.test(line));
  return first === -1 ? '' : lines.slice(first).join('\n');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function unescaped(value: string): string {
  return value.replaceAll(/\\[\\n]/g, (pair) => (pair === '\\\\' ? '\\' : '\n'));
}
