import type { ContextFiles } from './context-files.ts';
import { ScopeText, type StoreLog } from './scope-text.ts';
import { type Properties, valueAt } from './scope-values.ts';
import { answer, type ContextCallback, type ContextKeys, type ContextStore, pairs } from './store.ts';

/**
 * `localfilesystem` without a cache: every read reads the file, every change rewrites it, one after the other. Only
 * access with a callback is possible.
 */
export class UncachedFileStore implements ContextStore {
  readonly #files: ContextFiles;
  readonly #properties: Properties;
  readonly #log: StoreLog;
  readonly #text: ScopeText;
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: ContextFiles, properties: Properties, log: StoreLog) {
    this.#files = files;
    this.#properties = properties;
    this.#log = log;
    this.#text = new ScopeText(log);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    await this.#last;
  }

  get(scope: string, keys: ContextKeys, callback?: ContextCallback): void {
    if (typeof callback !== 'function') throw noCallback();
    const told: ContextCallback = (error, ...found) => callback(error ?? null, ...found);
    this.#read(scope, callback, (values) => {
      if (values === undefined) callback(null, undefined);
      else
        answer(
          keys,
          (key) => valueAt(this.#properties, values, key),
          typeof keys === 'string' ? told : callback,
        );
    });
  }

  set(scope: string, keys: ContextKeys, value: unknown, callback?: ContextCallback): void {
    if (callback !== undefined && typeof callback !== 'function') throw noCallback();
    const change = this.#then(async () => {
      const values = (await this.#files.read(scope)) ?? {};
      for (const [key, one] of pairs(keys, value)) this.#properties.setObjectProperty(values, key, one);
      await this.#files.write(scope, this.#text.of(scope, values));
    });
    change.then(
      () => callback?.(null),
      (error) => {
        if (callback) callback(error);
        else this.#log.error(`Context ${scope} could not be written: ${error}`);
      },
    );
  }

  keys(scope: string, callback?: ContextCallback): void {
    if (typeof callback !== 'function') throw new Error('Callback must be a function');
    this.#read(scope, callback, (values) => callback(null, Object.keys(values ?? {})));
  }

  async delete(scope: string): Promise<void> {
    await this.#then(() => this.#files.remove(scope));
  }

  async clean(active: readonly string[]): Promise<void> {
    await this.#then(() => this.#files.clean(new Set(active)));
  }

  #read(scope: string, callback: ContextCallback, then: (values: object | undefined) => void): void {
    this.#then(() => this.#files.read(scope)).then(then, callback);
  }

  #then<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }
}

function noCallback(): Error {
  return new Error('File Store cache disabled - only asynchronous access supported');
}
