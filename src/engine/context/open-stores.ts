import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../../contract/json.ts';
import type { PropertyAccess } from '../util/property-access.ts';
import { CachedFileStore } from './cached-file-store.ts';
import { ContextFiles, folderOf } from './context-files.ts';
import { MemoryStore } from './memory-store.ts';
import type { StoreLog } from './scope-text.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { ContextStore } from './store.ts';
import { Stores } from './stores.ts';
import { UncachedFileStore } from './uncached-file-store.ts';

/** What stores are opened with. */
export interface OpenStoresDeps {
  /** `contextStorage` of the settings. */
  readonly storage: Readonly<Record<string, unknown>> | false | null | undefined;
  readonly userDir: string;
  readonly properties: PropertyAccess;
  readonly log: StoreLog & { info(text: string): void };
}

/** Makes a store of its options. */
type StoreFactory = (options: Record<string, unknown>) => ContextStore;

/**
 * Opens the stores that the settings name; without any, one in memory.
 * @throws an error that names the store if its entry is not valid, its module can't be loaded, or it does not open. Those
 * opened before are closed again.
 */
export async function openStores(deps: OpenStoresDeps): Promise<Stores> {
  const entries = Object.entries(deps.storage || {}).filter(([name]) => name !== '_');
  if (entries.length === 0) {
    return new Stores(
      new Map([['memory', new MemoryStore(deps.properties)]]),
      'memory',
      false,
      deps.log.warn,
    );
  }
  const alias = entries.find(([name, entry]) => name === 'default' && typeof entry === 'string');
  const own = entries.filter((entry) => entry !== alias);
  const names = own.map(([name]) => name);
  const defaultName = alias ? String(alias[1]) : names.includes('default') ? 'default' : String(names[0]);
  if (!names.includes(defaultName))
    throw new Error(`The default context store '${defaultName}' is not configured`);

  const stores = new Map(own.map(([name, entry]) => [name, createStore(name, entry, deps)]));
  const opened: ContextStore[] = [];
  for (const [name, store] of stores) {
    try {
      await store.open();
    } catch (cause) {
      await Promise.allSettled(opened.map((each) => each.close()));
      throw new Error(`The context store '${name}' could not be opened: ${messageOf(cause)}`, { cause });
    }
    opened.push(store);
  }
  return new Stores(stores, defaultName, true, deps.log.warn);
}

function createStore(name: string, entry: unknown, deps: OpenStoresDeps): ContextStore {
  if (!/^[a-zA-Z0-9_]+$/.test(name)) {
    throw new Error(`'${name}' is no name for a context store: letters, digits and _ only`);
  }
  if (!isObject(entry) || !entry['module']) throw new Error(`The context store '${name}' has no 'module'`);
  const { module } = entry;
  // Stores are told where the user directory is beside their own options.
  const config = isObject(entry['config']) ? entry['config'] : {};
  const options = { ...config, settings: { userDir: deps.userDir } };
  try {
    const store = factoryOf(name, module, deps)(options);
    const what =
      typeof module === 'string'
        ? module
        : Object.hasOwn(Object(module), 'toString')
          ? `${module}`
          : 'custom';
    deps.log.info(`Context store '${name}' is kept by ${what}`);
    return store;
  } catch (cause) {
    throw new Error(`The context store '${name}' could not be created: ${messageOf(cause)}`, { cause });
  }
}

function factoryOf(name: string, module: unknown, deps: OpenStoresDeps): StoreFactory {
  const { properties, userDir, log } = deps;
  switch (module) {
    case 'memory':
      return () => new MemoryStore(properties);
    case 'localfilesystem':
      return (options) => {
        const files = new ContextFiles(folderOf(options, userDir));
        const cached = !Object.hasOwn(options, 'cache') || Boolean(options['cache']);
        return cached
          ? new CachedFileStore(new MemoryStore(properties), files, log, options)
          : new UncachedFileStore(files, properties, log);
      };
    case 'sqlite':
      return ({ file, synchronous }) =>
        new SqliteStore(name, userDir, properties, {
          ...(typeof file === 'string' ? { file } : {}),
          synchronous: synchronous === 'full' ? 'full' : 'normal',
        });
  }
  const custom = typeof module === 'string' ? createRequire(join(userDir, 'package.json'))(module) : module;
  if (typeof custom !== 'function') throw new TypeError('its module is not a function that makes a store');
  return custom as StoreFactory;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
