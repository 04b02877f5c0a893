import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../logging/logger.ts';
import { removeTemporaries, writeFileAtomic } from './atomic-file.ts';
import { Mutex } from './mutex.ts';
import { sectionOf, singleConfigName } from './single-config.ts';

/** Path of one of the user directory's configuration files, such as `runtime`, `nodes` or `users`. */
export function configFilePath(userDir: string, name: string): string {
  return join(userDir, `.config.${name}.json`);
}

/** What a {@link ConfigFile} needs. */
export interface ConfigFileOptions<T> {
  /** Absolute path; see {@link configFilePath}. */
  readonly path: string;
  /** Checks what the file holds; given `{}` where there is none, nor one of before 1.2 that says it. Throwing means that the content is broken. */
  readonly parse: (value: unknown) => T;
  readonly log: Logger;
  /** Keep changes in memory only. */
  readonly readOnly?: boolean;
}

/**
 * A small JSON file that is read once, kept in memory and written through on every change.
 * @remarks Layout of the peer's `.config.*.json`: 4-space JSON, the previous content in `<name>.backup`. Updates run one at
 * a time; each is on the disk before its promise resolves. An administrator is not locked out by a broken file: it is
 * named in the log, the backup serves instead (else nothing, as if there were no file), and the broken content is kept
 * as `<name>.broken` when the file is next written. Files may hold secrets and are readable by their owner only.
 */
export class ConfigFile<T> {
  readonly #options: ConfigFileOptions<T>;
  readonly #mutex = new Mutex();
  #value: Promise<T> | undefined;
  #broken = false;

  constructor(options: ConfigFileOptions<T>) {
    this.#options = options;
  }

  /** The present value. Rejects only where the file exists and can't be read at all (permissions, a folder). */
  read(): Promise<T> {
    this.#value ??= this.#load().catch((error) => {
      this.#value = undefined;
      throw error;
    });
    return this.#value;
  }

  /**
   * Replaces the value by what `change` makes of it and writes it. `change` returns a new value, it does not alter the old
   * one; returning the same object writes nothing. When writing fails the old value stays and the error is the caller's.
   */
  update(change: (old: T) => T): Promise<T> {
    return this.#mutex.run(async () => {
      const old = await this.read();
      const next = change(old);
      if (next === old) return old;
      if (!this.#options.readOnly) await this.#write(next);
      this.#value = Promise.resolve(next);
      return next;
    });
  }

  async #write(value: T): Promise<void> {
    const { path } = this.#options;
    await writeFileAtomic(path, JSON.stringify(value, null, 4), {
      mode: 0o600,
      backup: this.#broken ? `${path}.broken` : `${path}.backup`,
    });
    this.#broken = false;
  }

  async #load(): Promise<T> {
    const { path, parse, log, readOnly } = this.#options;
    if (!readOnly) await removeTemporaries(path);
    const found = await readJson(path);
    if (found.is === 'missing') return this.#beforeItWasSplit();
    try {
      if (found.is === 'broken') throw found.error;
      return parse(found.value);
    } catch (error) {
      this.#broken = true;
      const name = basename(path);
      const reason = error instanceof Error ? error.message : String(error);
      const backup = await readJson(`${path}.backup`);
      if (backup.is === 'json') {
        try {
          const value = parse(backup.value);
          log.error(`${name} in ${dirname(path)} is broken (${reason}); its backup is used instead`);
          return value;
        } catch {
          // The backup is no better; the message below covers both.
        }
      }
      log.error(
        `${name} in ${dirname(path)} is broken (${reason}) and has no usable backup; it is taken as empty`,
      );
      return parse({});
    }
  }

  /** What a user directory from before there was a file for each part says; that file stays as it is. */
  async #beforeItWasSplit(): Promise<T> {
    const { path, parse, log } = this.#options;
    const single = join(dirname(path), singleConfigName);
    try {
      const found = await readJson(single);
      if (found.is === 'missing') return parse({});
      if (found.is === 'broken') throw found.error;
      return parse(sectionOf(found.value, basename(path).slice('.config.'.length, -'.json'.length)) ?? {});
    } catch (error) {
      log.error(`${single} can't be used (${error instanceof Error ? error.message : String(error)})`);
      return parse({});
    }
  }
}

type Found = { is: 'missing' } | { is: 'json'; value: unknown } | { is: 'broken'; error: Error };

async function readJson(path: string): Promise<Found> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { is: 'missing' };
    throw error;
  }
  if (text.trim() === '') return { is: 'broken', error: new Error('the file is empty') };
  try {
    return { is: 'json', value: JSON.parse(text) };
  } catch (error) {
    return { is: 'broken', error: error instanceof Error ? error : new Error(String(error)) };
  }
}
