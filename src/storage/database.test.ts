import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from './database.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-database-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('opens a database whose every file only the owner can read, even where it was wider before', async () => {
  const path = join(dir, 'data', 'sluice.db');
  openDatabase(path).close();
  await writeFile(join(dir, 'wide.db'), '', { mode: 0o644 });
  using wide = openDatabase(join(dir, 'wide.db'));
  wide.exec('CREATE TABLE t (a INTEGER) STRICT');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const names = (await readdir(dir)).filter((name) => name.startsWith('wide.db'));
  expect(names).toContain('wide.db-wal');
  for (const name of names) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
});

it('lets two connections work at once and refuses a file that is no database', async () => {
  using first = openDatabase(join(dir, 'a.db'));
  using second = openDatabase(join(dir, 'a.db'));
  first.exec('CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1)');
  expect(second.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
  await writeFile(join(dir, 'text.db'), 'this is no database at all, only some text '.repeat(30));
  expect(() => openDatabase(join(dir, 'text.db'))).toThrow('not a database');
});
