import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSet } from './load-set.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-load-set-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** Writes a file of its own folder and gives its path. */
function module(name: string, code: string, packageJson: object = {}): string {
  const at = mkdtempSync(join(folder, `${count++}-`));
  writeFileSync(join(at, 'package.json'), JSON.stringify(packageJson));
  writeFileSync(join(at, name), code);
  return join(at, name);
}

const body = 'RED.seen.push("ran")';

describe('loadSet', () => {
  it.each([
    ['a function', 'a.js', `module.exports = function (RED) { ${body} }`, {}],
    ['.cjs in an ES package', 'a.cjs', `module.exports = (RED) => { ${body} }`, { type: 'module' }],
    [
      'what a transpiler makes',
      'a.js',
      `exports.__esModule = true; exports.default = (RED) => { ${body} }`,
      {},
    ],
    ['an async function', 'a.js', `module.exports = async (RED) => { await null; ${body} }`, {}],
    ['a promise', 'a.js', `module.exports = (RED) => Promise.resolve().then(() => { ${body} })`, {}],
    ['.mjs', 'a.mjs', `export default function (RED) { ${body} }`, {}],
    ['.js in an ES package', 'a.js', `export default (RED) => { ${body} }`, { type: 'module' }],
    ['ES code that awaits', 'a.mjs', `await null; export default async (RED) => { ${body} }`, {}],
    ['ES syntax that nobody announced', 'a.js', `await null; export default (RED) => { ${body} }`, {}],
  ])('runs %s', async (_, name, code, packageJson) => {
    const red = { seen: [] as string[] };
    await loadSet(module(name, code, packageJson), red);
    expect(red.seen).toEqual(['ran']);
  });

  it('takes a module that exports something else as it is', async () => {
    await loadSet(module('a.js', 'module.exports = { version: 1 }'), {});
  });

  it('shares the instance with whoever requires the file', async () => {
    const file = module('a.js', 'module.exports = (RED) => { module.exports.red = RED }');
    const red = {};
    await loadSet(file, red);
    expect(createRequire(file)(file).red).toBe(red);
  });

  it.each([
    ['throws', 'a.js', 'throw new Error("no")'],
    ['throws in its function', 'a.js', 'module.exports = () => { throw new Error("no") }'],
    ['rejects', 'a.js', 'module.exports = async () => { throw new Error("no") }'],
    ['throws as an ES module', 'a.mjs', 'throw new Error("no")'],
  ])('fails where the code %s', async (_, name, code) => {
    await expect(loadSet(module(name, code), {})).rejects.toThrow('no');
  });
});
