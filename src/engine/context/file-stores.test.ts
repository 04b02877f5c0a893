import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createPropertyAccess } from '../util/property-access.ts';
import { CachedFileStore } from './cached-file-store.ts';
import { ContextFiles, folderOf } from './context-files.ts';
import { MemoryStore } from './memory-store.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-file-stores-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const properties = createPropertyAccess();

function fixture(name: string, flushInterval = 3600) {
  const said: string[] = [];
  const say = (level: string) => (text: string) => void said.push(`${level}: ${text}`);
  const log = { warn: say('warn'), error: say('error'), debug() {} };
  const folder = join(root, name);
  const files = new ContextFiles(folder);
  const store = new CachedFileStore(new MemoryStore(properties), files, log, { flushInterval });
  return { store, folder, said, file: (path: string) => readFileSync(join(folder, path), 'utf8') };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(10);
};

describe('the files of localfilesystem', () => {
  it('lie where they always lay, as JSON with four spaces', async () => {
    const { store, file, folder } = fixture('layout');
    await store.open();
    store.set('global', 'a', { b: 1 });
    store.set('f1', 'c', [1]);
    store.set('n1:f1', 'd', 'x');
    await store.close();
    expect(file('global/global.json')).toBe('{\n    "a": {\n        "b": 1\n    }\n}');
    expect(file('f1/flow.json')).toBe('{\n    "c": [\n        1\n    ]\n}');
    expect(file('f1/n1.json')).toBe('{\n    "d": "x"\n}');
    expect(readdirSync(join(folder, 'f1')).sort()).toEqual(['flow.json', 'n1.json']);
  });

  it('are found by their options', () => {
    expect(folderOf({}, '/u')).toBe('/u/context');
    expect(folderOf({ base: 'b', dir: '/d' }, '/u')).toBe('/d/b');
  });

  it('take names that no expression can write', async () => {
    const { store, folder } = fixture('names');
    mkdirSync(join(folder, 'global'), { recursive: true });
    writeFileSync(join(folder, 'global', 'global.json'), '{"a b":1,"empty":{}}');
    await store.open();
    expect(store.keys('global')).toEqual(['a b', 'empty']);
    await store.close();
  });

  it('are named and left untouched where they are not JSON', async () => {
    const { store, folder, file } = fixture('broken');
    mkdirSync(join(folder, 'f1'), { recursive: true });
    writeFileSync(join(folder, 'f1', 'n1.json'), '{"a":');
    await expect(store.open()).rejects.toThrow(join(folder, 'f1', 'n1.json'));
    expect(file('f1/n1.json')).toBe('{"a":');
  });

  it('never lie outside their folder, whatever the ids', async () => {
    const { store, folder, said } = fixture('outside');
    await store.open();
    store.set('../../f1', 'a', 1);
    store.set('..:f1', 'a', 1);
    await store.close();
    expect(said.filter((line) => line.includes('is no file name'))).toHaveLength(2);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('localfilesystem', () => {
  it('writes a change after the interval, not at once', async () => {
    const { store, folder, file } = fixture('flush', 0.05);
    await store.open();
    store.set('f1', 'a', 1);
    expect(existsSync(join(folder, 'f1'))).toBe(false);
    await until(() => existsSync(join(folder, 'f1', 'flow.json')));
    store.set('f1', 'a', 2);
    await until(() => file('f1/flow.json').includes('2'));
    await store.close();
  });

  it('leaves out what leads back to itself, and says so once', async () => {
    const { store, file, said } = fixture('cycle', 0);
    await store.open();
    const cycle: Record<string, unknown> = { x: 1, list: [] };
    cycle['self'] = cycle;
    (cycle['list'] as unknown[]).push(cycle, cycle['list']);
    store.set('f1', 'cycle', cycle);
    await until(() => said.length > 0);
    store.set('f1', 'twice', [cycle['x'], { same: 1 }, { same: 1 }]);
    await store.close();
    expect(JSON.parse(file('f1/flow.json'))).toEqual({
      cycle: { x: 1, list: [null, null] },
      twice: [1, { same: 1 }, { same: 1 }],
    });
    expect(said).toEqual(['warn: Context f1 holds a circular reference, which is left out of its file']);
  });

  it('tries again what could not be written', async () => {
    const { store, folder, said, file } = fixture('retry', 0.01);
    await store.open();
    // A file where the flow's folder should be.
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'f1'), '');
    store.set('f1', 'a', 1);
    await until(() => said.length > 0);
    rmSync(join(folder, 'f1'));
    await store.close();
    expect(said[0]).toMatch(/^error: Context f1 could not be written/);
    expect(JSON.parse(file('f1/flow.json'))).toEqual({ a: 1 });
  });
});
