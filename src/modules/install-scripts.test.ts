import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildsNatively, chooseScripts, readInstalled, type ScriptPolicy } from './install-scripts.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-scripts-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

function installed(packages: { [path: string]: { version: string; scripts?: object; gyp?: boolean } }): void {
  const listed: Record<string, object> = {};
  for (const [path, { version, scripts, gyp }] of Object.entries(packages)) {
    const folder = join(userDir, path);
    mkdirSync(folder, { recursive: true });
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, scripts }));
    if (gyp) writeFileSync(join(folder, 'binding.gyp'), '{}');
    listed[path] = {
      version,
      integrity: `sha-${version}`,
      ...(scripts || gyp ? { hasInstallScript: true } : {}),
    };
  }
  writeFileSync(join(userDir, 'node_modules/.package-lock.json'), JSON.stringify({ packages: listed }));
}

const everything = {
  'node_modules/plain': { version: '1.0.0' },
  'node_modules/gyp': { version: '1.0.0', gyp: true },
  'node_modules/@acme/prebuilt': {
    version: '2.0.0',
    scripts: { install: 'prebuild-install || node-gyp rebuild' },
  },
  'node_modules/plain/node_modules/pregyp': {
    version: '3.0.0',
    scripts: { install: 'node-pre-gyp install --fallback-to-build' },
  },
  'node_modules/advert': { version: '1.0.0', scripts: { postinstall: 'node advert.js' } },
};

describe('install scripts', () => {
  it.each<[ScriptPolicy, string[]]>([
    ['native', ['gyp@1.0.0', '@acme/prebuilt@2.0.0', 'pregyp@3.0.0']],
    ['all', ['gyp@1.0.0', '@acme/prebuilt@2.0.0', 'pregyp@3.0.0', 'advert@1.0.0']],
    ['none', []],
    [
      ['advert', 'gyp'],
      ['gyp@1.0.0', 'advert@1.0.0'],
    ],
  ])('that %j allows', (policy, allowed) => {
    installed(everything);
    const { run, skipped } = chooseScripts(userDir, new Map(), policy);
    expect(run.map(({ name, version }) => `${name}@${version}`)).toEqual(allowed);
    expect(run.length + skipped.length).toBe(4);
  });

  it('are those of packages that are new or changed', () => {
    installed(everything);
    const before = readInstalled(userDir);
    expect(chooseScripts(userDir, before, 'all').run).toEqual([]);
    installed({ ...everything, 'node_modules/gyp': { version: '1.0.1', gyp: true } });
    expect(chooseScripts(userDir, before, 'all').run).toEqual([{ name: 'gyp', version: '1.0.1' }]);
  });

  it.each<[string, boolean]>([
    ['node-gyp rebuild', true],
    ['node-gyp-build', true],
    ['(node-gyp-build)', true],
    ['cmake-js compile', true],
    ['node ./node_modules/.bin/prebuild-install', true],
    ['node install.js', false],
    ['node not-node-gyp-at-all', false],
    ['echo', false],
  ])('%s builds natively: %s', (install, native) => {
    installed({ 'node_modules/a': { version: '1.0.0', scripts: { install } } });
    expect(buildsNatively(join(userDir, 'node_modules/a'))).toBe(native);
  });
});
