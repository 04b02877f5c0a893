import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { ExternalModules, readPackageSpec } from './external-modules.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-external-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

function write(path: string, content: string | object): void {
  const file = join(userDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function open(options: { allowInstall?: boolean; denied?: readonly string[]; install?: () => void } = {}) {
  const installed: string[] = [];
  const external = new ExternalModules({
    userDir,
    rules: {
      allowInstall: options.allowInstall ?? true,
      allowList: ['*'],
      denyList: options.denied ?? [],
    },
    nodeModulePath: (name) => (name === 'node-module' ? join(userDir, 'node_modules', name) : undefined),
    install: async ({ name, version }) => {
      installed.push(version === undefined ? name : `${name}@${version}`);
      options.install?.();
    },
  });
  return { external, installed };
}

describe('RED.require and RED.import', () => {
  it('give built-in modules', async () => {
    const { external } = open();
    expect(external.require('fs')).toBe(fs);
    expect(external.require('node:fs/promises')).toBe(fs.promises);
    expect(await external.import('fs')).toHaveProperty('readFileSync');
  });

  it('give packages that the user directory names, by both ways the same instance', async () => {
    write('package.json', { dependencies: { named: '1' } });
    write('node_modules/named/package.json', { name: 'named', main: 'main.js' });
    write('node_modules/named/main.js', 'module.exports = { it: true }');
    const { external } = open();
    const required = external.require('named');
    expect(required).toEqual({ it: true });
    expect(((await external.import('named')) as { default: unknown }).default).toBe(required);
    expect(external.require('named/main.js')).toBe(required);
    expect(external.require('named@1')).toBe(required);
    expect(await external.import('named@^1.0.0')).toHaveProperty('it', true);
  });

  it('import packages that cannot be required', async () => {
    write('package.json', { dependencies: { '@scope/es': '1' } });
    write('node_modules/@scope/es/package.json', {
      name: '@scope/es',
      type: 'module',
      exports: { '.': { browser: './no.js', import: './main.js' }, './sub': { import: './sub.js' } },
    });
    write('node_modules/@scope/es/main.js', 'export const it = true;');
    write('node_modules/@scope/es/sub.js', 'export const sub = true;');
    const { external } = open();
    expect(await external.import('@scope/es')).toHaveProperty('it', true);
    expect(await external.import('@scope/es/sub')).toHaveProperty('sub', true);
  });

  it('give loaded node modules, listed or not', async () => {
    write('node_modules/node-module/package.json', { name: 'node-module', main: 'x.js' });
    write('node_modules/node-module/x.js', 'module.exports = { nodes: true }');
    const { external } = open();
    expect(external.require('node-module')).toEqual({ nodes: true });
    expect(await external.import('node-module')).toHaveProperty('nodes', true);
  });

  it('refuse what the user directory does not name, and what is denied', async () => {
    write('package.json', { dependencies: { named: '1' } });
    write('node_modules/unnamed/index.js', '');
    const { external } = open({ denied: ['named', 'child_process'] });
    for (const name of [
      'unnamed',
      'named',
      './package.json',
      '../x',
      '/etc/passwd',
      'child_process',
      'node:child_process',
      '',
    ]) {
      expect(() => external.require(name), name).toThrow(
        expect.objectContaining({ code: 'module_not_allowed' }),
      );
      await expect(external.import(name), name).rejects.toMatchObject({ code: 'module_not_allowed' });
    }
  });
});

describe('packages that flows need', () => {
  const types = {
    dynamicModuleList: (type: string) => (type === 'function' ? 'libs' : undefined),
    subflowNodes: (type: string) =>
      type === 'sf' ? [{ id: 's', type: 'function', libs: [{ module: 'inside' }] }] : undefined,
  };
  const node = (id: string, ...libs: unknown[]) => ({ id, type: 'function', libs });

  it('are installed once each where they are absent', async () => {
    write('package.json', { dependencies: { present: '1' } });
    const { external, installed } = open();
    const missing = await external.ensure(
      [
        node('a', { var: 'x', module: 'absent@1.2' }, { module: 'present' }, { module: 'fs' }, {}),
        node('b', 'absent', '@scope/absent/sub'),
        { ...node('c', 'never'), d: true },
        { id: 'd', type: 'other', libs: ['never'] },
        { id: 'e', type: 'sf' },
        { id: 'f', type: 'sf' },
      ],
      types,
    );
    expect(missing).toEqual([]);
    expect(installed).toEqual(['absent@1.2', '@scope/absent', 'inside']);
  });

  it('are named where they could not be had', async () => {
    const { external } = open({
      denied: ['denied', 'os'],
      install: () => {
        throw new AppError('not_found');
      },
    });
    expect(await external.ensure([node('a', 'gone', 'denied', 'os')], types)).toEqual([
      { module: 'gone', error: '404' },
      { module: 'denied', error: 'install_not_allowed' },
      { module: 'os', error: 'module_not_allowed' },
    ]);
    const closed = open({ allowInstall: false });
    expect(await closed.external.ensure([node('a', 'gone')], types)).toEqual([
      { module: 'gone', error: 'install_not_allowed' },
    ]);
    expect(closed.installed).toEqual([]);
  });
});

describe('readPackageSpec', () => {
  it.each([
    ['a', { name: 'a', subpath: '' }],
    ['a@1.x', { name: 'a', subpath: '', version: '1.x' }],
    ['@s/a', { name: '@s/a', subpath: '' }],
    ['@s/a/b/c', { name: '@s/a', subpath: '/b/c' }],
    ['a/b@1', { name: 'a', subpath: '/b', version: '1' }],
    ['@s/a@^1.0.0 || 2', { name: '@s/a', subpath: '', version: '^1.0.0 || 2' }],
    ['a/../../b', undefined],
    ['../a', undefined],
    ['/a', undefined],
    ['', undefined],
  ])('reads %s', (text, spec) => {
    expect(readPackageSpec(text)).toEqual(spec);
  });
});
