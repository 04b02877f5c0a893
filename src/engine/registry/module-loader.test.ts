import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeModule, nodeSet } from '../../../test/support/node-module.ts';
import type { SetStatus } from '../../link/protocol.ts';
import { silentLogger } from '../../logging/logger.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import { ModuleLoader } from './module-loader.ts';
import { PluginRegistry } from './plugin-registry.ts';
import { readTypeOptions, TypeRegistry } from './type-registry.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-loader-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A module on disk whose sets are given as code. */
function onDisk(
  name: string,
  code: { readonly [set: string]: string },
  more: Partial<NodeSet> = {},
): NodeModule {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), '{}');
  const nodes = Object.entries(code).map(([set, text]) => {
    const file = join(path, `${set}.js`);
    writeFileSync(file, text);
    return nodeSet(name, set, { file, ...more });
  });
  return nodeModule(name, path, nodes);
}

function open(limitMs = 5000, patienceMs = 5000) {
  const order: string[] = [];
  const told: SetStatus[] = [];
  const types = new TypeRegistry({ base: EventEmitter, onRegistered: () => {} });
  const plugins = new PluginRegistry({ onAdded: () => {} });
  const loader = new ModuleLoader({
    types,
    plugins,
    createRed: (set) => ({
      type: (type: string, options?: object) => types.register(set, type, class {}, readTypeOptions(options)),
      plugin: (id: string, definition: object) => plugins.register(set, '', id, definition),
    }),
    onLoading: (id) => order.push(id),
    onStatus: (status) => told.push(status),
    limitMs,
    patienceMs,
    log: silentLogger,
  });
  return { loader, types, plugins, order, told };
}

describe('ModuleLoader', () => {
  it('loads sets in order, plugins first, and says what each registered', async () => {
    const { loader, order } = open();
    const first = onDisk('first', {
      a: 'module.exports = (RED) => RED.type("my type", { credentials: { k: { type: "password" } } })',
    });
    const second = onDisk('second', { p: 'module.exports = (RED) => RED.plugin("plug", { type: "t" })' });
    const third = onDisk(
      'third',
      { b: 'module.exports = (RED) => RED.type("b")' },
      { types: ['b', 'c', 'c'] },
    );
    const statuses = await loader.load([
      first,
      { ...second, nodes: [], plugins: second.nodes.map((set) => ({ ...set, kind: 'plugins' as const })) },
      third,
    ]);
    expect(order).toEqual(['second/p', 'first/a', 'third/b']);
    expect(statuses).toEqual([
      {
        id: 'second/p',
        loaded: true,
        types: [],
        credentials: {},
        plugins: [{ id: 'plug', type: 't', module: 'second' }],
      },
      {
        id: 'first/a',
        loaded: true,
        types: ['my type'],
        credentials: { 'my-type': { k: { type: 'password' } } },
        plugins: [],
      },
      { id: 'third/b', loaded: true, types: ['b', 'c', 'c'], credentials: {}, plugins: [] },
    ]);
  });

  it('goes on where a set fails, says why, and forgets what it had registered', async () => {
    const { loader, types } = open();
    const statuses = await loader.load([
      onDisk('bad', {
        throws: 'module.exports = (RED) => { RED.type("lost"); throw new Error("no luck") }',
        rejects: 'module.exports = async () => { throw new Error("later") }',
        lacks: 'require("not-there")',
        syntax: 'module.exports = (',
      }),
      onDisk('good', { a: 'module.exports = (RED) => RED.type("lost")' }),
      onDisk('twice', { a: 'module.exports = (RED) => RED.type("lost")' }),
    ]);
    expect(statuses.map(({ id, loaded, err }) => [id, loaded, err])).toEqual([
      ['bad/throws', false, 'no luck (line 1)'],
      ['bad/rejects', false, 'later (line 1)'],
      ['bad/lacks', false, "Cannot find module 'not-there'"],
      ['bad/syntax', false, expect.stringMatching(/^SyntaxError: .*\(line 1\)$/)],
      ['good/a', true, undefined],
      ['twice/a', false, "The type 'lost' of twice is already registered by good"],
    ]);
    expect(types.get('lost')?.set.id).toBe('good/a');
  });

  it('gives up on a set that does not finish, and takes it in when it does', async () => {
    const { loader, types, told } = open(30);
    const slow = onDisk('slow', {
      a: 'module.exports = (RED) => { RED.type("slow"); return new Promise((go) => { globalThis.finishSlow = go }) }',
    });
    const [status] = await loader.load([slow]);
    expect(status).toMatchObject({ loaded: false, err: expect.stringContaining('within 0.03 s') });
    expect(types.get('slow')).toBeUndefined();
    (globalThis as unknown as { finishSlow: () => void }).finishSlow();
    await expect
      .poll(() => told)
      .toMatchObject([
        { id: 'slow/a', loaded: false },
        { id: 'slow/a', loaded: true, types: ['slow'] },
      ]);
    expect(told[1]).not.toHaveProperty('err');
    expect(types.get('slow')).toBeDefined();
  });

  it('names the set that would be the culprit, also while a slow one waits behind others', async () => {
    const { loader, order, told } = open(5000, 1);
    await loader.load([
      onDisk('slow', { a: 'module.exports = () => new Promise((go) => { globalThis.finishSlow = go })' }),
      onDisk('quick', { a: 'module.exports = () => { setTimeout(globalThis.finishSlow, 1) }' }),
    ]);
    expect(order).toEqual(['slow/a', 'quick/a', 'slow/a']);
    expect(told.map(({ id }) => id)).toEqual(['quick/a', 'slow/a']);
  });

  it('loads neither disabled sets nor those that must not be loaded, and takes sets without code', async () => {
    const { loader, order } = open();
    const disabled = onDisk('off', { a: 'module.exports = (RED) => RED.type("off")' }, { enabled: false });
    const denied = onDisk('denied', { a: '' }, { err: 'not allowed' });
    const html = nodeModule('html', folder, [nodeSet('html', 'a', { types: ['shown'] })]);
    const statuses = await loader.load([disabled, denied, html]);
    expect(order).toEqual([]);
    expect(statuses).toMatchObject([
      { id: 'off/a', loaded: false },
      { id: 'denied/a', loaded: false, err: 'not allowed' },
      { id: 'html/a', loaded: true, types: ['shown'] },
    ]);
    expect(statuses[0]).not.toHaveProperty('err');
    const [set] = disabled.nodes;
    if (set === undefined) throw new Error('no set');
    expect(await loader.enable({ ...set, enabled: true })).toMatchObject({ loaded: true, types: ['off'] });
  });

  it('disables and enables without running the code again', async () => {
    const { loader, types, order } = open();
    const module = onDisk('some', { a: 'module.exports = (RED) => RED.type("some")' });
    await loader.load([module]);
    loader.disable('some/a');
    expect(types.get('some')).toBeUndefined();
    for (const set of module.nodes) expect(await loader.enable(set)).toMatchObject({ loaded: true });
    expect(types.get('some')).toBeDefined();
    expect(order).toEqual(['some/a']);
  });

  it('unloads a module, so that another version of it can be loaded', async () => {
    const { loader, types, plugins } = open();
    await loader.load([
      onDisk('some', { a: 'module.exports = (RED) => { RED.type("one"); RED.plugin("p", {}) }' }),
    ]);
    expect(loader.pathOf('some')).toBe(join(folder, 'some'));
    loader.unload('some');
    expect(types.get('one')).toBeUndefined();
    expect(plugins.get('p')).toBeUndefined();
    expect(loader.pathOf('some')).toBeUndefined();
    await loader.load([onDisk('some', { a: 'module.exports = (RED) => RED.type("two")' })]);
    expect(types.get('one')).toBeUndefined();
    expect(types.get('two')).toBeDefined();
  });
});
