import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');

describe('the built package', () => {
  it('has code and types of every export', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const files = Object.values<string | Record<string, string>>(exports).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one),
    );
    expect(files.length).toBeGreaterThan(2);
    const isPlanned = (file: string) =>
      !existsSync(join(root, file.replace('dist', 'src').replace(/(\.d)?\.[jt]s$/, '.ts')));
    expect(
      files.filter((file) => file.startsWith('./dist/') && !isPlanned(file) && !existsSync(join(root, file))),
    ).toEqual([]);
  });

  it.each(['engine/main', 'engine/process/watchdog-thread', 'modules/npm-runner'])(
    'has %s where it is started from',
    (name) => {
      expect(existsSync(join(dist, `${name}.js`))).toBe(true);
    },
  );

  it('leaves no mark of the bundling in its files', () => {
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
    expect(files.filter((file) => readFileSync(join(dist, file), 'utf8').includes('__urlOf('))).toEqual([]);
  });

  it("has the editor's largest files compressed, as they are", () => {
    const client = dirname(createRequire(import.meta.url).resolve('@node-red/editor-client/package.json'));
    for (const name of ['red/red.min.js', 'vendor/monaco/dist/editor.js', 'vendor/vendor.js']) {
      const original = readFileSync(join(client, 'public', name));
      const packed = join(root, 'assets/editor/packed', name);
      expect(brotliDecompressSync(readFileSync(`${packed}.br`)).equals(original)).toBe(true);
      expect(gunzipSync(readFileSync(`${packed}.gz`)).equals(original)).toBe(true);
    }
  });

  it('gives sluice/testing to CommonJS and to ES modules', () => {
    const run = (args: readonly string[]) =>
      execFileSync(process.execPath, [...args], { cwd: root, encoding: 'utf8' });
    const script = 'const h = require("sluice/testing"); console.log(typeof h.load, h.NodeTestHelper.name)';
    expect(run(['--input-type=commonjs', '-e', script])).toBe('function NodeTestHelper\n');
    const module =
      'import h, { NodeTestHelper } from "sluice/testing"; console.log(typeof h.load, NodeTestHelper.name)';
    expect(run(['--input-type=module', '-e', module])).toBe('function NodeTestHelper\n');
  });

  it('names the sources in stack traces when asked to', () => {
    const args = ['--enable-source-maps', '--input-type=commonjs', '-e', 'require("sluice/testing").load()'];
    // Nothing to load: it fails inside.
    const { stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(stderr).toMatch(/src[/\\]testing[/\\]helper\.ts:\d+/);
  });
});
