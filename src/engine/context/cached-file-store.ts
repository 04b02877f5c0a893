import type { ContextFiles } from './context-files.ts';
import type { MemoryStore } from './memory-store.ts';
import { ScopeText, type StoreLog } from './scope-text.ts';
import type { ContextCallback, ContextKeys, ContextStore } from './store.ts';

/**
 * `localfilesystem` with its cache: values live in memory; a scope is written some seconds after it first changed, and
 * when the store closes. A kill loses what was not yet written; the `sqlite` store loses nothing.
 */
export class CachedFileStore implements ContextStore {
  readonly #memory: MemoryStore;
  readonly #files: ContextFiles;
  readonly #log: StoreLog;
  readonly #text: ScopeText;
  readonly #flushMs: number;
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(
    memory: MemoryStore,
    files: ContextFiles,
    log: StoreLog,
    options: { readonly flushInterval?: unknown },
  ) {
    this.#memory = memory;
    this.#files = files;
    this.#log = log;
    this.#text = new ScopeText(log);
    this.#flushMs = Math.max(0, Number(options.flushInterval ?? 30)) * 1000;
  }

  async open(): Promise<void> {
    const load = async (scope: string): Promise<void> =>
      this.#memory.replace(scope, (await this.#files.read(scope)) ?? {});
    await Promise.all((await this.#files.scopes()).map(load));
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#flush();
  }

  get(scope: string, keys: ContextKeys, callback?: ContextCallback): unknown {
    return this.#memory.get(scope, keys, callback);
  }

  set(scope: string, keys: ContextKeys, value: unknown, callback?: ContextCallback): void {
    this.#changed.add(scope);
    // Closing writes everything itself.
    if (!this.#closing) this.#schedule(this.#flushMs);
    this.#memory.set(scope, keys, value, callback);
  }

  keys(scope: string, callback?: ContextCallback): string[] | undefined {
    return this.#memory.keys(scope, callback);
  }

  async delete(scope: string): Promise<void> {
    this.#changed.delete(scope);
    await this.#memory.delete(scope);
    await this.#afterWriting(() => this.#files.remove(scope));
  }

  async clean(active: readonly string[]): Promise<void> {
    const ids = new Set(active);
    await this.#memory.clean(active);
    for (const scope of this.#changed) {
      if (scope !== 'global' && !scope.split(':').every((id) => ids.has(id))) this.#changed.delete(scope);
    }
    await this.#afterWriting(() => this.#files.clean(ids));
  }

  #schedule(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, afterMs);
  }

  #flush(): Promise<unknown> {
    return this.#afterWriting(async () => {
      const scopes = [...this.#changed];
      this.#changed = new Set();
      await Promise.all(scopes.map((scope) => this.#write(scope)));
    });
  }

  /** Writes a scope as it is now. What fails stays changed and is tried again. */
  async #write(scope: string): Promise<void> {
    this.#log.debug(`Writing context ${scope}`);
    try {
      await this.#files.write(scope, this.#text.of(scope, this.#memory.valuesOf(scope)));
    } catch (error) {
      this.#log.error(`Context ${scope} could not be written: ${error}`);
      this.#changed.add(scope);
      if (!this.#closing) this.#schedule(Math.max(this.#flushMs, 1000));
    }
  }

  #afterWriting<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(action);
    this.#writing = done.catch(() => {});
    return done;
  }
}
