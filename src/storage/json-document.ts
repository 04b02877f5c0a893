import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../logging/logger.ts';
import { removeTemporaries, writeFileAtomic } from './atomic-file.ts';
import { JsonSyntaxError, parseJson } from './json-syntax.ts';
import { type Aside, setAside } from './set-aside.ts';

/** Where a file's previous content is kept. */
function backupPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.backup`);
}

/** How a {@link JsonDocument} is kept. */
export interface JsonDocumentOptions {
  /** Absolute path. */
  readonly path: string;
  /** Write with an indent of four spaces. */
  readonly pretty: boolean;
  /** Write nothing, ever. */
  readonly readOnly: boolean;
  /** Permissions; see `writeFileAtomic`. */
  readonly mode?: number;
  readonly log: Logger;
}

/** What was found on disk. */
export type JsonDocumentContent =
  | { readonly is: 'missing' }
  | { readonly is: 'json'; readonly value: unknown }
  /** There is something that can't be used; it stays as it is, and a copy stays when it is written over. */
  | { readonly is: 'broken'; readonly reason: string };

/**
 * A JSON file of the user's: the flow file or the credential file.
 * @remarks Written atomically, with the previous content in `.<name>.backup`. An empty file (a power cut under another
 * runtime) is restored from the backup. A broken one is never lost: {@link write} first copies it aside.
 */
export class JsonDocument {
  readonly path: string;
  readonly #options: JsonDocumentOptions;

  constructor(options: JsonDocumentOptions) {
    this.path = options.path;
    this.#options = options;
  }

  get readOnly(): boolean {
    return this.#options.readOnly;
  }

  /** Written with an indent. */
  get pretty(): boolean {
    return this.#options.pretty;
  }

  /** Reads what is there now. Never throws: what can't be read is `broken`. */
  async read(): Promise<JsonDocumentContent> {
    const { path, readOnly, log } = this.#options;
    try {
      if (!readOnly) await removeTemporaries(path).catch(() => {});
      const text = await readIfThere(path);
      if (text === undefined) return { is: 'missing' };
      if (text !== '') return { is: 'json', value: parseJson(text) };
      const backup = await readIfThere(backupPath(path));
      if (backup === undefined || backup === '') return { is: 'missing' };
      const value = tryParse(backup);
      if (value === undefined)
        return { is: 'broken', reason: 'it is empty, and its backup is not valid JSON' };
      log.warn(`${basename(path)} is empty; it is restored from ${basename(backupPath(path))}`);
      if (!readOnly) await writeFileAtomic(path, backup, this.#mode());
      return { is: 'json', value };
    } catch (error) {
      return { is: 'broken', reason: reasonOf(error) };
    }
  }

  /** Replaces the content by a value; see {@link writeText}. */
  async write(value: unknown, aside?: Aside): Promise<void> {
    if (!this.readOnly) await this.writeText(JSON.stringify(value, null, this.pretty ? 4 : 0), aside);
  }

  /**
   * Replaces the content. Durable when the promise resolves; when it rejects, the old content is still there.
   * @param text JSON
   * @param aside why the present content must be kept as a copy, where it must
   */
  async writeText(text: string | Buffer, aside?: Aside): Promise<void> {
    const { path, readOnly, log } = this.#options;
    if (readOnly) return;
    if (aside !== undefined && existsSync(path)) {
      const copy = await setAside(path, aside);
      log.warn(`${basename(path)} is replaced; its old content is kept in ${copy}`);
    }
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, text, { ...this.#mode(), backup: backupPath(path) });
  }

  #mode(): { mode?: number } {
    return this.#options.mode === undefined ? {} : { mode: this.#options.mode };
  }
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof JsonSyntaxError) return `it is not valid JSON, ${error.message}`;
  if (error instanceof Error && 'code' in error) return `it can't be read (${String(error.code)})`;
  return String(error);
}
