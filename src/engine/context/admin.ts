import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { ContextAddress } from '../../link/protocol.ts';
import { encodeObject } from '../util/encode-object.ts';
import type { Context } from './context.ts';

/** What the admin API reads contexts through. */
export interface ContextAdminDeps {
  readonly stores: { readonly defaultName: string; readonly names: readonly string[] };
  /** The context that an address means; undefined where there is no such node. */
  readonly find: (address: ContextAddress) => Context | undefined;
  /** Whether a value of the global context comes from the settings file. */
  readonly isSeed: (key: string, value: unknown) => boolean;
}

/** A question of the admin API. */
export type ContextQuestion = ContextAddress & { readonly keysOnly?: boolean };

/**
 * The body of `GET /context/…`: one value, or all values (or keys) by store.
 * @throws AppError `not_found` for a store that is not configured, `unexpected_error` if the store asked for fails.
 */
export async function readContext(deps: ContextAdminDeps, question: ContextQuestion): Promise<unknown> {
  const context = contextOf(deps, question);
  if (context === undefined) return {};
  const { key, keysOnly = false } = question;
  if (key) {
    const store = question.store || deps.stores.defaultName;
    // A key that can't be parsed, or read, has no value.
    const value = await readValue(context, key, store).catch(() => undefined);
    if (keysOnly) return { [store]: outline(value) };
    const encoded = encodeObject({ msg: value });
    return store === deps.stores.defaultName ? encoded : { ...encoded, store };
  }
  if (question.store) return { [question.store]: await readStore(deps, question, context, question.store) };
  const body: Record<string, unknown> = {};
  for (const store of deps.stores.names) {
    // One that fails does not hide the others; asked for by name, it says that it fails.
    body[store] = await readStore(deps, question, context, store).catch(() => (keysOnly ? { keys: [] } : {}));
  }
  return body;
}

/** Deletes one value. @throws AppError `not_found` without a key, or for a store that is not configured. */
export async function removeFromContext(deps: ContextAdminDeps, address: ContextAddress): Promise<null> {
  const context = contextOf(deps, address);
  const { key, store = deps.stores.defaultName } = address;
  if (context === undefined) return null;
  if (!key) throw new AppError('not_found');
  await new Promise<void>((resolve) => context.set(key, undefined, store, () => resolve()));
  return null;
}

function contextOf(deps: ContextAdminDeps, address: ContextAddress): Context | undefined {
  if (address.store && !deps.stores.names.includes(address.store)) throw new AppError('not_found');
  return deps.find(address);
}

/** Every key, or every value, of a store. @throws AppError `unexpected_error` if the store fails. */
async function readStore(
  deps: ContextAdminDeps,
  { scope, keysOnly }: ContextQuestion,
  context: Context,
  store: string,
): Promise<unknown> {
  try {
    const keys = await readKeys(context, store);
    if (keysOnly) return { keys: keys.map((key) => ({ key })) };
    const values: Record<string, unknown> = {};
    for (const key of keys) {
      const value = await readValue(context, key, store);
      // Every store shows the values of the settings file; they are listed once.
      const listed = scope !== 'global' || store === deps.stores.defaultName || !deps.isSeed(key, value);
      if (listed) values[key] = encodeObject({ msg: value });
    }
    return values;
  } catch (cause) {
    throw new AppError('unexpected_error', { message: `A context store failed: ${cause}`, cause });
  }
}

function readValue(context: Context, key: string, store: string): Promise<unknown> {
  return new Promise((resolve, reject) =>
    context.get(key, store, (error, value) => (error ? reject(error) : resolve(value))),
  );
}

function readKeys(context: Context, store: string): Promise<string[]> {
  return new Promise((resolve, reject) =>
    context.keys(store, (error, keys) => (error ? reject(error) : resolve(keys as string[]))),
  );
}

/** What lies below a value, for completion in the editor. */
function outline(value: unknown): unknown {
  if (Array.isArray(value)) return { format: `array[${value.length}]` };
  if (!isObject(value)) return { keys: [] };
  const keys = Object.keys(value).map((key) => {
    const member = value[key];
    if (Array.isArray(member)) return { key, format: `array[${member.length}]`, length: member.length };
    return typeof member === 'object' ? { key, format: 'object' } : { key };
  });
  return { keys, format: 'object' };
}
