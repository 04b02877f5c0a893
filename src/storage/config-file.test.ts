import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../contract/json.ts';
import { silentLogger } from '../logging/logger.ts';
import { ConfigFile, configFilePath } from './config-file.ts';

let dir: string;
let path: string;
let errors: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-config-'));
  path = configFilePath(dir, 'runtime');
  errors = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const parse = (value: unknown): JsonObject => {
  if (!isObject(value)) throw new Error('expected an object');
  return value;
};
const open = () =>
  new ConfigFile<JsonObject>({ path, parse, log: { ...silentLogger, error: (text) => errors.push(text) } });

describe('ConfigFile', () => {
  it('is empty where there is no file, and writes none for that', async () => {
    expect(await open().read()).toEqual({});
    expect(await readdir(dir)).toEqual([]);
  });

  it("writes the peer's layout: 4 spaces, backup beside it, readable by the owner only", async () => {
    const file = open();
    await file.update((old) => ({ ...old, a: 1 }));
    await file.update((old) => ({ ...old, b: 2 }));
    expect(await readFile(path, 'utf8')).toBe('{\n    "a": 1,\n    "b": 2\n}');
    expect(await readFile(`${path}.backup`, 'utf8')).toBe('{\n    "a": 1\n}');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await open().read()).toEqual({ a: 1, b: 2 });
  });

  it('loses none of many updates at once', async () => {
    const file = open();
    await Promise.all(Array.from({ length: 30 }, (_, i) => file.update((old) => ({ ...old, [`k${i}`]: i }))));
    expect(Object.keys(await open().read())).toHaveLength(30);
  });

  it('writes nothing when the change returns the old value', async () => {
    const file = open();
    await file.update((old) => old);
    expect(await readdir(dir)).toEqual([]);
  });

  it('goes on after a change that throws', async () => {
    const file = open();
    await expect(
      file.update(() => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await file.update(() => ({ a: 1 }))).toEqual({ a: 1 });
  });

  it.each(['', '{"a":', '[1]'])(
    'takes the backup of a broken file %j and keeps the broken one',
    async (content) => {
      await writeFile(path, content);
      await writeFile(`${path}.backup`, '{"a":1}');
      const file = open();
      expect(await file.read()).toEqual({ a: 1 });
      expect(errors.join()).toContain('.config.runtime.json');
      expect(await readFile(path, 'utf8')).toBe(content);
      await file.update((old) => ({ ...old, b: 2 }));
      if (content !== '') expect(await readFile(`${path}.broken`, 'utf8')).toBe(content);
      expect(await readFile(`${path}.backup`, 'utf8')).toBe('{"a":1}');
      expect(await open().read()).toEqual({ a: 1, b: 2 });
    },
  );

  it('is empty where neither the file nor the backup can be used', async () => {
    await writeFile(path, '{');
    await writeFile(`${path}.backup`, '{');
    expect(await open().read()).toEqual({});
    expect(errors).toHaveLength(1);
  });

  it('has what the one file of before Node-RED 1.2 says, until there is a file of its own', async () => {
    const single = join(dir, '.config.json');
    await writeFile(single, '{"_credentialSecret":"s","users":{"_":{"a":1}},"nodes":{"m":{"nodes":{}}}}');
    const part = (name: string) =>
      new ConfigFile<JsonObject>({ path: configFilePath(dir, name), parse, log: silentLogger });
    expect(await part('runtime').read()).toEqual({ _credentialSecret: 's' });
    expect(await part('nodes').read()).toEqual({ m: { nodes: {} } });
    expect(await part('projects').read()).toEqual({});
    const users = part('users');
    await users.update((old) => ({ ...old, fred: {} }));
    expect(await part('users').read()).toEqual({ _: { a: 1 }, fred: {} });
    expect(await readFile(single, 'utf8')).toContain('_credentialSecret');
  });

  it('is empty where the one file of before can not be used, and says so', async () => {
    await writeFile(join(dir, '.config.json'), '{');
    expect(await open().read()).toEqual({});
    expect(errors.join()).toContain('.config.json');
  });

  it('reads a file with a byte order mark', async () => {
    await writeFile(path, '\ufeff{"a":1}');
    expect(await open().read()).toEqual({ a: 1 });
  });
});
