import { expect, it } from 'vitest';
import { suggest } from './suggest.ts';

const known = ['port', 'settings', 'userDir', 'safe', 'help'];

it.each([
  ['prot', 'port'],
  ['ports', 'port'],
  ['setings', 'settings'],
  ['userdir', 'userDir'],
  ['hlep', 'help'],
  ['x', undefined],
  ['something', undefined],
])('suggests for %s: %s', (word, expected) => {
  expect(suggest(word, known)).toBe(expected);
});
