import { expect, it } from 'vitest';
import { depthOf } from './bodies.ts';

it.each([
  ['1', 0],
  ['[]', 1],
  ['{"a":[{}]}', 3],
  ['[[],[[]],[]]', 3],
  ['{"a[":"[{[","b":[]}', 2],
  ['"\\"[["', 0],
  ['{"a":"\\\\","b":[[]]}', 3],
  ['"[[', 0],
])('the JSON text %s is %i levels deep', (json, depth) => {
  expect(depthOf(json)).toBe(depth);
});
