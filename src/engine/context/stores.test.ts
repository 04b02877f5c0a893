import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPropertyAccess } from '../util/property-access.ts';
import { CachedFileStore } from './cached-file-store.ts';
import { ContextFiles } from './context-files.ts';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { ContextKeys, ContextStore } from './store.ts';
import { UncachedFileStore } from './uncached-file-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-stores-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const properties = createPropertyAccess();
const silent = { warn() {}, error() {}, debug() {} };
const never = { flushInterval: 3600 };

/** Every kind of store, on files of its own. `keeps`: whether it outlives its process. */
const kinds = [
  { kind: 'memory', keeps: false, make: () => new MemoryStore(properties) },
  {
    kind: 'localfilesystem',
    keeps: true,
    make: (at: string) =>
      new CachedFileStore(new MemoryStore(properties), new ContextFiles(join(folder, at)), silent, never),
  },
  {
    kind: 'localfilesystem without cache',
    keeps: true,
    make: (at: string) => new UncachedFileStore(new ContextFiles(join(folder, at)), properties, silent),
  },
  { kind: 'sqlite', keeps: true, make: (at: string) => new SqliteStore('db', join(folder, at), properties) },
] as const;

const get = (store: ContextStore, scope: string, keys: ContextKeys): Promise<unknown> =>
  new Promise((resolve, reject) =>
    store.get(scope, keys, (error, ...values) =>
      error ? reject(error) : resolve(typeof keys === 'string' ? values[0] : values),
    ),
  );
const set = (store: ContextStore, scope: string, keys: ContextKeys, value: unknown): Promise<void> =>
  new Promise((resolve, reject) =>
    store.set(scope, keys, value, (error) => (error ? reject(error) : resolve())),
  );
const keysOf = (store: ContextStore, scope: string): Promise<unknown> =>
  new Promise((resolve, reject) =>
    store.keys(scope, (error, keys) => (error ? reject(error) : resolve(keys))),
  );

describe.each(kinds)('the store $kind', ({ kind, keeps, make }) => {
  const open = async (name: string): Promise<ContextStore> => {
    const store = make(`${kind}-${name}`);
    await store.open();
    return store;
  };

  it('gives what was set, in its scope', async () => {
    const store = await open('set');
    await set(store, 'f1', 'a', 1);
    await set(store, 'n1:f1', 'a', { b: [2] });
    expect(await get(store, 'f1', 'a')).toBe(1);
    expect(await get(store, 'n1:f1', 'a.b[0]')).toBe(2);
    expect(await get(store, 'f2', 'a')).toBeUndefined();
    expect(await get(store, 'n1:f1', 'a.x.y')).toBeUndefined();
    await store.close();
  });

  it('creates parents, replaces parts, and deletes with undefined', async () => {
    const store = await open('parts');
    await set(store, 'f1', 'a.b.c', 1);
    await set(store, 'f1', 'a.b.d', 2);
    await set(store, 'f1', 'list[1].x', 3);
    await set(store, 'f1', 'a.b.c', undefined);
    expect(await get(store, 'f1', 'a')).toEqual({ b: { d: 2 } });
    expect(await get(store, 'f1', 'list[1]')).toEqual({ x: 3 });
    await set(store, 'f1', 'a', undefined);
    expect(await keysOf(store, 'f1')).toEqual(['list']);
    await store.close();
  });

  it('takes several keys at once', async () => {
    const store = await open('several');
    await set(store, 'f1', ['a', 'b.c', 'd'], [1, 2]);
    expect(await get(store, 'f1', ['a', 'b', 'nothing', 'd'])).toEqual([1, { c: 2 }, undefined, null]);
    await set(store, 'f1', ['a', 'b'], 'only one');
    expect(await get(store, 'f1', ['a', 'b'])).toEqual(['only one', null]);
    await store.close();
  });

  it('lists keys in the order in which they were set', async () => {
    const store = await open('keys');
    expect(await keysOf(store, 'f1')).toEqual([]);
    for (const key of ['c', 'a', 'b']) await set(store, 'f1', key, key);
    await set(store, 'f1', 'c', 'again');
    expect(await keysOf(store, 'f1')).toEqual(['c', 'a', 'b']);
    await store.close();
  });

  it('refuses a key that can not be parsed', async () => {
    const store = await open('invalid');
    await set(store, 'f1', 'a', 1);
    const refused = { code: 'INVALID_EXPR' };
    await expect(get(store, 'f1', 'a b')).rejects.toMatchObject(refused);
    await expect(get(store, 'f1', ['a', 'a..b'])).rejects.toMatchObject(refused);
    await expect(set(store, 'f1', 'a b', 1)).rejects.toMatchObject(refused);
    await store.close();
  });

  it('forgets a scope, and what is not in use', async () => {
    const store = await open('clean');
    for (const scope of ['global', 'f1', 'f2', 'n1:f1', 'n2:f1', 'n3:f2'])
      await set(store, scope, 'a', scope);
    await store.clean(['f1', 'n1']);
    const left = async () => {
      const found: string[] = [];
      for (const scope of ['global', 'f1', 'f2', 'n1:f1', 'n2:f1', 'n3:f2']) {
        if ((await get(store, scope, 'a')) !== undefined) found.push(scope);
      }
      return found;
    };
    expect(await left()).toEqual(['global', 'f1', 'n1:f1']);
    await store.delete('f1');
    expect(await left()).toEqual(['global', 'n1:f1']);
    await store.close();
  });

  it.runIf(keeps)('has it again after it was closed and opened', async () => {
    const store = await open('reopen');
    await set(store, 'global', 'a', { text: 'é', list: [1, null] });
    await set(store, 'n1:f1', 'b', 2);
    await store.close();
    const again = await open('reopen');
    expect(await get(again, 'global', 'a')).toEqual({ text: 'é', list: [1, null] });
    expect(await get(again, 'n1:f1', 'b')).toBe(2);
    await again.close();
  });
});

describe('the store memory', () => {
  it('answers at once, with the object itself', () => {
    const store = new MemoryStore(properties);
    const value = { x: 1 };
    store.set('f1', 'a', value);
    expect(store.get('f1', 'a')).toBe(value);
    expect(store.get('f1', ['a.x', 'b'])).toEqual([1, undefined]);
    expect(store.keys('f1')).toEqual(['a']);
    expect(() => store.get('f1', 'a b')).toThrow(expect.objectContaining({ code: 'INVALID_EXPR' }));
  });
});

describe('the store localfilesystem without cache', () => {
  it('refuses access without a callback', () => {
    const store = new UncachedFileStore(new ContextFiles(folder), properties, silent);
    expect(() => store.get('f1', 'a')).toThrow('only asynchronous access');
    expect(() => store.keys('f1')).toThrow('Callback must be a function');
  });

  it('reads what was set just before', async () => {
    const store = new UncachedFileStore(new ContextFiles(join(folder, 'order')), properties, silent);
    for (let count = 0; count < 5; count++) store.set('f1', 'a', count);
    expect(await get(store, 'f1', 'a')).toBe(4);
  });
});
