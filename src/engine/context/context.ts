import { parseContextStore } from '../util/context-key.ts';
import { isInvalidExpression, type Properties, valueAt } from './scope-values.ts';
import type { ContextCallback, ContextKeys } from './store.ts';
import type { Stores } from './stores.ts';

/**
 * A context as node modules and functions use it.
 * @remarks Members work without their object; function nodes call them with another `this`.
 */
export interface Context {
  get(key: ContextKeys, store?: string | ContextCallback | null, callback?: ContextCallback): unknown;
  set(
    key: ContextKeys,
    value: unknown,
    store?: string | ContextCallback | null,
    callback?: ContextCallback,
  ): void;
  keys(store?: string | ContextCallback | null, callback?: ContextCallback): unknown;
  /** Of a flow: the context of what holds it. */
  readonly $parent?: Context;
  /** Of a node. */
  readonly flow?: Context;
  readonly global?: Context;
}

/** Values that a context shows where its stores have none. */
export interface Seed {
  readonly values: Readonly<Record<string, unknown>>;
  /** `keys` names them too. */
  readonly listed: boolean;
}

/** What a context is made of. */
export interface ContextDeps {
  readonly stores: Stores;
  readonly properties: Properties;
  readonly scope: string;
  /** Where `$parent.` in keys leads, asked each time. */
  readonly parent?: () => Context | undefined;
  readonly seed?: Seed;
}

const parentKey = '$parent';

/** Creates the context of a scope. Its members can't be seen or changed; the seed's values are members beside them. */
export function createContext({ stores, properties, scope, parent, seed }: ContextDeps): Context {
  const context: object = { ...seed?.values };
  return Object.defineProperties(context, {
    get: { value: seed ? withSeed(get, seed, properties) : get },
    set: { value: set },
    keys: { value: seed?.listed ? withSeedKeys(keys, Object.keys(seed.values)) : keys },
    ...(parent ? { $parent: { get: parent } } : {}),
  }) as Context;

  function get(key: ContextKeys, store?: unknown, callback?: unknown): unknown {
    const [name, done] = splitArguments(store, callback);
    if (!isValid(key)) return refuse(done);
    if (typeof key !== 'string') return stores.get(name).get(scope, key, done);
    const { key: path, store: own } = parseContextStore(key);
    const chosen = name || own;
    if (!leadsToParent(path)) return stores.get(chosen).get(scope, path, done);
    const rest = path.slice(parentKey.length + 1);
    const holder = rest ? parent?.() : undefined;
    if (holder) return holder.get(rest, chosen, done);
    done?.(undefined);
  }

  function set(key: ContextKeys, value: unknown, store?: unknown, callback?: unknown): unknown {
    const [name, done] = splitArguments(store, callback);
    if (!isValid(key)) return refuse(done);
    if (typeof key !== 'string') return void stores.get(name).set(scope, key, value, done);
    const { key: path, store: own } = parseContextStore(key);
    const chosen = name || own;
    if (!leadsToParent(path)) return void stores.get(chosen).set(scope, path, value, done);
    const rest = path.slice(parentKey.length + 1);
    const holder = rest ? parent?.() : undefined;
    if (holder) return holder.set(rest, value, chosen, done);
    done?.();
  }

  function keys(store?: unknown, callback?: unknown): unknown {
    const [name, done] = splitArguments(store, callback);
    return stores.get(name).keys(scope, done);
  }
}

/** Tells a store's name from a callback that took its place. */
function splitArguments(
  store: unknown,
  callback: unknown,
): [string | undefined, ContextCallback | undefined] {
  if (!callback && typeof store === 'function') return [undefined, store as ContextCallback];
  if (callback && typeof callback !== 'function') throw new Error('Callback must be a function');
  return [store as string | undefined, (callback || undefined) as ContextCallback | undefined];
}

function isValid(key: unknown): key is ContextKeys {
  if (typeof key === 'string') return key.length > 0;
  return (
    Array.isArray(key) && key.length > 0 && key.every((one) => typeof one === 'string' && one.length > 0)
  );
}

function refuse(callback: ContextCallback | undefined): void {
  const error = new Error('Invalid context key');
  if (!callback) throw error;
  callback(error);
}

function leadsToParent(key: string): boolean {
  return key.startsWith(parentKey) && (key.length === parentKey.length || key[parentKey.length] === '.');
}

type Get = (key: ContextKeys, store?: unknown, callback?: unknown) => unknown;
type Keys = (store?: unknown, callback?: unknown) => unknown;

/** Fills what the stores do not know from the seed. */
function withSeed(get: Get, seed: Seed, properties: Properties): Get {
  const fill = (path: string, value: unknown): unknown =>
    value === undefined ? valueAt(properties, seed.values, path) : value;
  const fillAll = (keys: ContextKeys, values: readonly unknown[]): unknown[] =>
    typeof keys === 'string'
      ? [fill(parseContextStore(keys).key, values[0])]
      : keys.map((path, at) => fill(path, values[at]));

  return (keys, store, callback) => {
    const [name, done] = splitArguments(store, callback);
    if (!done) {
      const found = get(keys, name);
      return typeof keys === 'string' ? fillAll(keys, [found])[0] : fillAll(keys, found as unknown[]);
    }
    return get(keys, name, (error: unknown, ...values: unknown[]) => {
      if (error) return done(error);
      let filled: unknown[];
      try {
        filled = fillAll(keys, values);
      } catch (invalid) {
        if (isInvalidExpression(invalid)) return done(invalid);
        throw invalid;
      }
      done(undefined, ...filled);
    });
  };
}

/** Names the seed's values before those of the stores. */
function withSeedKeys(keys: Keys, seeded: readonly string[]): Keys {
  const both = (names: unknown): string[] => [...new Set([...seeded, ...(names as string[])])];
  return (store, callback) => {
    const [name, done] = splitArguments(store, callback);
    if (!done) return both(keys(name));
    return keys(name, (error: unknown, names: unknown) => {
      if (error) done(error);
      else done(error, both(names));
    });
  };
}
