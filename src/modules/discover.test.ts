import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { iconFolders } from './assets.ts';
import { findCorePackage } from './core.ts';
import { type DiscoverOptions, discover } from './discover.ts';
import type { NodeModule } from './node-module.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-discover-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

function write(path: string, text = ''): void {
  const file = join(userDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const html = (...types: string[]) =>
  types.map((type) => `<script type="text/html" data-template-name="${type}">x</script>`).join('\n');

/** Writes a node module with one set, or with what `section` says. */
function installed(name: string, section: object = { nodes: { main: 'main.js' } }, version = '1.0.0'): void {
  const folder = `node_modules/${name}`;
  write(`${folder}/package.json`, JSON.stringify({ name, version, 'node-red': section }));
  write(`${folder}/main.js`);
  write(`${folder}/main.html`, html(name));
}

const find = (options: Partial<DiscoverOptions> = {}) => discover({ userDir, ...options });
const modulesOf = (options: Partial<DiscoverOptions> = {}) => find(options).modules.slice(1);
const names = (modules: readonly NodeModule[]) => modules.map(({ name }) => name);

describe('the core module', () => {
  it('comes first, with every core set in order, named without digits', () => {
    const core = find().modules[0];
    expect(core).toMatchObject({
      name: 'node-red',
      version: findCorePackage().version,
      local: false,
      user: false,
    });
    const sets = core?.nodes.map(({ name }) => name) ?? [];
    expect(sets.slice(0, 4)).toEqual(['junction', 'inject', 'debug', 'complete']);
    expect(sets.slice(-2)).toEqual(['file', 'watch']);
    expect(sets).toHaveLength(37);
    const mqtt = core?.nodes.find(({ name }) => name === 'mqtt');
    expect(mqtt).toMatchObject({
      id: 'node-red/mqtt',
      types: ['mqtt in', 'mqtt out', 'mqtt-broker'],
      enabled: true,
      kind: 'nodes',
      namespace: 'node-red',
    });
  });

  it('holds the loose files of the user, which take the place of core sets of their name', () => {
    write('nodes/deep/20-surf.js');
    write('nodes/deep/20-surf.html', html('surf'));
    write('nodes/own.cjs');
    write('nodes/own.html', html('own'));
    write('nodes/10-inject.js');
    write('nodes/10-inject.html', html('inject'));
    write('nodes/without-html.js');
    write(
      'nodes/zcloned/package.json',
      JSON.stringify({ name: 'c', version: '1.0.0', 'node-red': { nodes: { c: 'c.js' } } }),
    );
    write('nodes/zcloned/c.js');
    write('nodes/zcloned/c.html', html('c'));
    for (const unseen of ['.hidden', 'lib', 'icons', 'node_modules', 'test', 'locales']) {
      write(`nodes/${unseen}/x.js`);
      write(`nodes/${unseen}/x.html`);
    }
    const sets = find().modules[0]?.nodes ?? [];
    expect(sets.slice(37).map(({ id }) => id)).toEqual(['node-red/surf', 'node-red/own', 'node-red/c']);
    expect(sets[1]).toMatchObject({ id: 'node-red/inject', file: join(userDir, 'nodes/10-inject.js') });
  });

  it('is thinned out by nodesExcludes and nodesIncludes', () => {
    const without = find({ nodesExcludes: ['90-exec.js'] }).modules[0]?.nodes ?? [];
    expect(without).toHaveLength(36);
    expect(without.some(({ name }) => name === 'exec')).toBe(false);
    const only = find({ nodesIncludes: ['20-inject.js', '90-exec.js'] }).modules[0]?.nodes ?? [];
    expect(only.map(({ name }) => name)).toEqual(['inject', 'exec']);
  });
});

describe('installed modules', () => {
  it('are those that say so, in order of their names; the listed ones are the user’s', () => {
    installed('b-nodes');
    installed('@acme/nodes');
    write('node_modules/lodash/package.json', '{"name":"lodash","version":"4.0.0"}');
    write('node_modules/broken/package.json', '{"node-red":');
    write('node_modules/.bin/x');
    write('package.json', JSON.stringify({ dependencies: { '@acme/nodes': '~1.0.0' } }));
    const modules = modulesOf();
    expect(names(modules)).toEqual(['@acme/nodes', 'b-nodes']);
    expect(modules[0]).toMatchObject({ version: '1.0.0', local: true, user: true, hidden: false });
    expect(modules[1]).toMatchObject({ local: true, user: false });
    expect(modules[0]?.nodes[0]).toMatchObject({
      id: '@acme/nodes/main',
      types: ['@acme/nodes'],
      local: true,
      namespace: '@acme/nodes',
    });
  });

  it('may have sets of code alone, of html alone, and plugins of either', () => {
    installed('odd', {
      nodes: {
        js: 'js.js',
        page: 'page.html',
        cjs: 'lib/c.cjs',
        mjs: 'lib/m.mjs',
        gone: 'gone.js',
        out: '../x.js',
      },
      plugins: { html: 'p.html', code: 'q.js', both: 'r.js', none: 's.js' },
    });
    const file = (path: string, text = '') => write(`node_modules/odd/${path}`, text);
    file('js.js');
    file('page.html', html('a page'));
    file('lib/c.cjs');
    file('lib/c.html', html('c1', 'c2'));
    file('lib/m.mjs');
    file('p.html');
    file('q.js');
    file('r.js');
    file('r.html');
    write('node_modules/x.js');
    const module = modulesOf()[0];
    const inside = (path: string) => join(userDir, 'node_modules/odd', path);
    const [js, page, cjs, mjs, gone, out] = module?.nodes ?? [];
    expect(js).toMatchObject({ file: inside('js.js'), types: [] });
    expect(js?.template).toBeUndefined();
    expect(page).toMatchObject({ template: inside('page.html'), types: ['a page'] });
    expect(page?.file).toBeUndefined();
    expect(cjs).toMatchObject({
      file: inside('lib/c.cjs'),
      template: inside('lib/c.html'),
      types: ['c1', 'c2'],
    });
    expect(mjs).toMatchObject({ file: inside('lib/m.mjs') });
    expect(gone).toMatchObject({ err: 'gone.js does not exist' });
    expect(out?.err).toMatch(/outside/);
    const [htmlOnly, code, both, none] = module?.plugins ?? [];
    expect(htmlOnly).toMatchObject({ kind: 'plugins', template: inside('p.html'), types: [] });
    expect(htmlOnly?.file).toBeUndefined();
    expect(code).toMatchObject({ file: inside('q.js') });
    expect(both).toMatchObject({ file: inside('r.js'), template: inside('r.html') });
    expect(none?.err).toMatch(/does not exist/);
  });

  it('need no version, and may list their files without naming the sets', () => {
    write(
      'node_modules/bare/package.json',
      JSON.stringify({ name: 'bare', 'node-red': { nodes: ['a.js'] } }),
    );
    write('node_modules/bare/a.js');
    write('node_modules/bare/a.html', html('a'));
    expect(modulesOf()).toMatchObject([
      { name: 'bare', version: '0.0.0', nodes: [{ id: 'bare/0', types: ['a'] }] },
    ]);
  });

  it('have a namespace of their own where a locales folder stands beside', () => {
    installed('spoken', { nodes: { main: 'main.js' } });
    write('node_modules/spoken/locales/en-US/main.json', '{}');
    expect(modulesOf()[0]?.nodes[0]).toMatchObject({
      namespace: 'spoken/main',
      locales: join(userDir, 'node_modules/spoken/locales'),
    });
  });

  it('remember what the administrator disabled, and what took the engine down', () => {
    installed('acme', { nodes: { main: 'main.js', other: 'main.js' } });
    const memory = {
      isDisabled: (_module: string, set: string) => set === 'main',
      quarantine: (_module: string, set: string) => (set === 'other' ? 'it ended the engine' : undefined),
    };
    const [main, other] = modulesOf({ memory })[0]?.nodes ?? [];
    expect(main).toMatchObject({ enabled: false });
    expect(other).toMatchObject({ enabled: true, err: 'it ended the engine' });
  });

  it('are left out where the lists, the version or a missing dependency say so', () => {
    installed('denied');
    installed('future', { version: '>=99', nodes: { main: 'main.js' } });
    installed('fitting', { version: '>=1.0.0', nodes: { main: 'main.js' } });
    installed('lonely', { dependencies: ['not-there'], nodes: { main: 'main.js' } });
    installed('lonelier', { dependencies: ['lonely'], nodes: { main: 'main.js' } });
    const { modules, leftOut } = find({ rules: { allowList: ['*'], denyList: ['denied'] } });
    expect(names(modules.slice(1))).toEqual(['fitting']);
    expect(leftOut.map(({ module, because }) => [module, because])).toEqual([
      ['denied', 'rules'],
      ['future', 'version'],
      ['lonely', 'dependencies'],
      ['lonelier', 'dependencies'],
    ]);
  });

  it('come after those they depend on, which are hidden unless the user asked for them', () => {
    installed('a-user', { dependencies: ['z-base'], nodes: { main: 'main.js' } });
    installed('z-base');
    const modules = modulesOf();
    expect(names(modules)).toEqual(['z-base', 'a-user']);
    expect(modules.map(({ hidden }) => hidden)).toEqual([true, false]);
    write('package.json', '{"dependencies":{"z-base":"1"}}');
    expect(modulesOf().map(({ hidden }) => hidden)).toEqual([false, false]);
  });

  it('are found in nodesDir too, but the copy in the user directory wins', () => {
    installed('twice', undefined, '2.0.0');
    const place = (name: string, version: string) => ({
      name,
      version,
      'node-red': { nodes: { main: 'main.js' } },
    });
    write('more/node_modules/twice/package.json', JSON.stringify(place('twice', '1.0.0')));
    write('more/node_modules/third/package.json', JSON.stringify(place('third', '1.0.0')));
    write('single/package.json', JSON.stringify(place('single', '1.0.0')));
    write('many/fourth/package.json', JSON.stringify(place('fourth', '1.0.0')));
    write('many/loose.js');
    write('many/loose.html', html('loose'));
    const nodesDir = ['more', 'single', 'many'].map((folder) => join(userDir, folder));
    const [core, ...modules] = find({ nodesDir }).modules;
    expect(modules.map(({ name, version, local }) => [name, version, local])).toEqual([
      ['twice', '2.0.0', true],
      ['third', '1.0.0', false],
      ['single', '1.0.0', false],
      ['fourth', '1.0.0', false],
    ]);
    expect(core?.nodes.at(-1)).toMatchObject({ id: 'node-red/loose', types: ['loose'] });
    const places = { core: findCorePackage(), userDir, nodesDir };
    for (const folder of ['many/icons', 'many/fourth/icons']) write(`${folder}/x.svg`);
    const icons = core ? iconFolders(core, places) : [];
    expect(icons.filter((folder) => folder.startsWith(userDir))).toEqual([join(userDir, 'many/icons')]);
  });
});
