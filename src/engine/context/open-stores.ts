import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../../contract/json.ts';
import type { PropertyAccess } from '../util/property-access.ts';
import { CachedFileStore } from './cached-file-store.ts';
import { ContextFiles, folderOf } from './context-files.ts';
import { FailedStore } from './failed-store.ts';
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
 * @remarks Never fails: a store that can't be created or opened is reported, and fails whenever it is used; a default that
 * is not there is reported, and the first store takes its place.
 */
export async function openStores(deps: OpenStoresDeps): Promise<Stores> {
  const { log, properties } = deps;
  const entries = Object.entries(deps.storage || {}).filter(([name]) => name !== '_');
  if (entries.length === 0) {
    return new Stores(new Map([['memory', new MemoryStore(properties)]]), 'memory', false, log.warn);
  }
  const stores = new Map<string, ContextStore>();
  for (const [name, entry] of entries) {
    if (name !== 'default' || typeof entry !== 'string') stores.set(name, await openStore(name, entry, deps));
  }
  const standard = stores.has('default') ? 'default' : Object.fromEntries(entries)['default'];
  const [first = 'memory'] = stores.keys();
  if (standard !== undefined && !stores.has(String(standard))) {
    log.error(`The default context store '${standard}' is not configured; '${first}' is used instead`);
  }
  if (stores.size === 0) stores.set(first, new MemoryStore(properties));
  const defaultName = stores.has(String(standard)) ? String(standard) : first;
  return new Stores(stores, defaultName, true, log.warn);
}

async function openStore(name: string, entry: unknown, deps: OpenStoresDeps): Promise<ContextStore> {
  try {
    const store = createStore(name, entry, deps);
    await store.open();
    return store;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new Error(`The context store '${name}' is not available: ${reason}`, { cause });
    deps.log.error(failure.message);
    return new FailedStore(failure);
  }
}

/** @throws an error if the entry is not valid or its module can't be loaded. */
function createStore(name: string, entry: unknown, deps: OpenStoresDeps): ContextStore {
  if (!/^[a-zA-Z0-9_]+$/.test(name)) throw new Error('its name may have letters, digits and _ only');
  if (!isObject(entry) || !entry['module']) throw new Error("it has no 'module'");
  const { module } = entry;
  // Stores are told where the user directory is beside their own options.
  const config = isObject(entry['config']) ? entry['config'] : {};
  const store = factoryOf(name, module, deps)({ ...config, settings: { userDir: deps.userDir } });
  const what =
    typeof module === 'string' ? module : Object.hasOwn(Object(module), 'toString') ? `${module}` : 'custom';
  deps.log.info(`Context store '${name}' is kept by ${what}`);
  return store;
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
