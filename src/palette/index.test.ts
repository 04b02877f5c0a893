import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findCorePackage } from '../modules/core.ts';
import { discover } from '../modules/discover.ts';
import { palette } from '../testing/index.ts';
import { ownSet, ownSetNames } from './index.ts';

const published = discover({ userDir: '/nowhere' }).modules[0]?.nodes ?? [];
const replaced = (wanted: boolean | readonly string[]) =>
  published
    .filter(({ name, file = '' }) => ownSet({ name, file }, wanted) !== undefined)
    .map(({ name }) => name)
    .sort();

it('replaces the sets that are wanted', () => {
  expect(replaced(true)).toEqual([...ownSetNames].sort());
  expect(replaced(['switch', 'no such set'])).toEqual(['switch']);
  expect(replaced(false)).toEqual([]);
});

it('leaves a file of the user alone that takes the place of a set', () => {
  expect(ownSet({ name: 'function', file: '/home/me/.sluice/nodes/10-function.js' }, true)).toBeUndefined();
});

it('registers the types that the published code registers', async () => {
  const typesOf = (run: (RED: never) => unknown) => {
    const types: [string, unknown][] = [];
    const registerType = (type: string, _: unknown, options?: unknown) => types.push([type, options]);
    run({ nodes: { registerType }, library: { register: () => {} } } as never);
    return types;
  };
  const require = createRequire(join(findCorePackage().path, 'package.json'));
  for (const { name, file = '' } of published) {
    const load = ownSet({ name, file }, true);
    if (load === undefined) continue;
    expect([name, typesOf(await load())]).toEqual([name, typesOf(require(file))]);
  }
});

it('can be required, as sluice/testing hands it out', () => {
  const require = createRequire(import.meta.url);
  for (const name of ownSetNames) expect(typeof require(`./${name}/index.ts`)).toBe('function');
  expect(Object.keys(palette)).toHaveLength(ownSetNames.length);
});
