import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { createPropertyAccess } from '../util/property-access.ts';
import { SqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-sqlite-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = async (name: string, options = {}): Promise<SqliteStore> => {
  const store = new SqliteStore(name, folder, createPropertyAccess(), options);
  await store.open();
  return store;
};

describe('the sqlite store', () => {
  it('has written a value when set returns', async () => {
    const store = await open('written');
    store.set('global', 'a.b', 'there');
    const other = new DatabaseSync(join(folder, 'context.db'), { readOnly: true });
    expect(other.prepare("SELECT value FROM context WHERE store = 'written'").get()).toEqual({
      value: '{"b":"there"}',
    });
    other.close();
    await store.close();
  });

  it('keeps what JSON can not carry', async () => {
    const store = await open('rich');
    const cycle: Record<string, unknown> = { name: 'c' };
    cycle['self'] = cycle;
    const value = {
      buffer: Buffer.from('abc'),
      date: new Date(0),
      map: new Map([['a', new Set([1])]]),
      big: 10n,
      nan: Number.NaN,
      nothing: undefined,
      bytes: new Uint8Array([1, 2]),
      cycle,
    };
    store.set('f1', 'rich', value);
    const found = store.get('f1', 'rich') as typeof value;
    expect(found).toEqual(value);
    expect(Buffer.isBuffer(found.buffer)).toBe(true);
    expect(Object.hasOwn(found, 'nothing')).toBe(true);
    await store.close();
  });

  it('says which value it can not keep, and keeps the old ones', async () => {
    const store = await open('function');
    store.set('f1', 'a', 1);
    expect(() => store.set('f1', ['a', 'b'], [2, () => 1])).toThrow(/"b" cannot be stored/);
    let failure: unknown;
    store.set('f1', 'b', { run() {} }, (error) => {
      failure = error;
    });
    expect(String(failure)).toMatch(/"b" cannot be stored/);
    expect(store.get('f1', 'a')).toBe(1);
    await store.close();
  });

  it('gives copies: what a flow does to them is not stored', async () => {
    const store = await open('copies');
    const value = { list: [1] };
    store.set('f1', 'a', value);
    value.list.push(2);
    (store.get('f1', 'a') as typeof value).list.push(3);
    expect(store.get('f1', 'a')).toEqual({ list: [1] });
    await store.close();
  });

  it('changes nothing where there is no place for a value', async () => {
    const store = await open('no-place');
    store.set('f1', 'a', 'text');
    store.set('f1', 'a.b', 1);
    store.set('f1', 'gone.x', undefined);
    expect(store.get('f1', 'a')).toBe('text');
    expect(store.keys('f1')).toEqual(['a']);
    await store.close();
  });

  it('shares its file with stores of other names', async () => {
    const [one, two] = [await open('one'), await open('two')];
    one.set('global', 'a', 1);
    two.set('global', 'a', 2);
    await two.clean([]);
    await two.delete('global');
    expect(one.get('global', 'a')).toBe(1);
    expect(two.get('global', 'a')).toBeUndefined();
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps its file where it is told to', async () => {
    const store = await open('elsewhere', { file: 'sub/other.db', synchronous: 'full' });
    store.set('global', 'a', 1);
    await store.close();
    const other = new DatabaseSync(join(folder, 'sub', 'other.db'), { readOnly: true });
    expect(other.prepare('SELECT count(*) AS n FROM context').get()).toEqual({ n: 1 });
    other.close();
  });

  it('fails clearly when it is closed', async () => {
    const store = await open('closed');
    await store.close();
    expect(() => store.get('f1', 'a')).toThrow('closed');
  });
});
