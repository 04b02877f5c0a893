import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import type { EngineStart } from '../link/protocol.ts';
import { createLogger } from '../logging/create-logger.ts';
import { discover } from '../modules/discover.ts';
import { compileSettings } from '../settings/settings.ts';
import { Engine } from './engine.ts';

let userDir: string;
const engines: Engine[] = [];
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-engine-'));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  rmSync(userDir, { recursive: true, force: true });
});

/** Puts a module with one set into the user directory. */
function install(name: string, code: string, packageJson: object = {}): void {
  const folder = join(userDir, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  const content = { name, version: '1.0.0', 'node-red': { nodes: { set: 'set.js' } }, ...packageJson };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
  writeFileSync(join(folder, 'set.js'), code);
  writeFileSync(join(userDir, 'package.json'), JSON.stringify({ dependencies: { [name]: '1.0.0' } }));
}

/** An engine, and all that it says to the control plane. */
function open(settings: object = {}) {
  const told: [string, unknown][] = [];
  const asked: [string, unknown][] = [];
  const source = { userDir, overrides: {} };
  const compiled = compileSettings({ logging: { console: { level: 'off' } }, ...settings }, source);
  const engine = new Engine({
    settings: compiled,
    log: createLogger(compiled, 'engine'),
    control: {
      async call(method, asks) {
        asked.push([method, asks]);
        if (method === 'external.install') throw new AppError('not_found');
        return null as never;
      },
      send: (event, data) => void told.push([event, data]),
    },
  });
  engines.push(engine);
  const start = (more: Partial<EngineStart> = {}) =>
    engine.handlers['engine.start']({
      settings: source,
      modules: discover({ userDir }).modules,
      flows: [],
      rev: 'r',
      credentials: {},
      state: 'start',
      runtimeSettings: {},
      userSettings: {},
      httpSocket: join(userDir, 'engine.sock'),
      httpSecret: 'secret',
      ...more,
    });
  return { engine, calls: engine.handlers, start, told, asked };
}

const tab = { id: 't', type: 'tab' };
const node = (id: string, type: string, more: object = {}) => ({
  id,
  type,
  z: 't',
  x: 0,
  y: 0,
  wires: [],
  ...more,
});

describe('an engine', () => {
  it('loads every core set and runs flows', async () => {
    const { start, engine, told } = open();
    const { sets, flows } = await start({ flows: [tab, node('d', 'debug')] });
    expect(sets.filter(({ loaded }) => !loaded)).toEqual([]);
    expect(sets.flatMap(({ types }) => types)).toEqual(
      expect.arrayContaining([
        'inject',
        'function',
        'junction',
        'mqtt-broker',
        'http in',
        'file in',
        'watch',
      ]),
    );
    expect(sets.find(({ id }) => id === 'node-red/mqtt')?.credentials).toEqual({
      'mqtt-broker': { user: { type: 'text' }, password: { type: 'password' } },
    });
    expect(flows).toEqual({ is: 'running' });
    expect(engine.figures).toEqual({ queued: 0, nodes: 1 });
    expect(told.filter(([event]) => event === 'set.loading')).toHaveLength(sets.length);
  });

  it('refuses calls before it has been started, and a second start', async () => {
    const { calls, start } = open();
    expect(() => calls['flows.stop'](null)).toThrow(AppError);
    await start({ modules: [] });
    await expect(start({ modules: [] })).rejects.toMatchObject({ code: 'engine.failed' });
  });

  it('runs flows that waited for a type once its module is installed, and forgets it when it is removed', async () => {
    const { start, calls, told } = open();
    const { flows } = await start({ flows: [tab, node('n', 'own')] });
    expect(flows).toEqual({ is: 'missing-types', types: ['own'] });
    install(
      'own-module',
      'module.exports = (RED) => RED.nodes.registerType("own", function (c) { RED.nodes.createNode(this, c) })',
    );
    const module = discover({ userDir }).modules.find(({ name }) => name === 'own-module');
    if (module === undefined) throw new Error('not found');
    expect(await calls['module.load']({ module })).toMatchObject([
      { id: 'own-module/set', loaded: true, types: ['own'] },
    ]);
    await expect.poll(() => told).toContainEqual(['flows.status', { is: 'running' }]);
    await calls['flows.stop'](null);
    await calls['module.unload']({ module: 'own-module' });
    expect(await calls['flows.start'](null)).toEqual({ is: 'missing-types', types: ['own'] });
  });

  it('disables and enables sets', async () => {
    const { start, calls } = open();
    const { modules } = discover({ userDir });
    await start({ modules, state: 'stop', flows: [tab, node('d', 'debug')] });
    const set = modules[0]?.nodes.find(({ id }) => id === 'node-red/debug');
    if (set === undefined) throw new Error('not found');
    await calls['set.disable']({ id: set.id });
    expect(await calls['flows.start'](null)).toMatchObject({ is: 'missing-types' });
    await calls['flows.stop'](null);
    expect(await calls['set.enable']({ set })).toMatchObject({ loaded: true, types: ['debug'] });
    expect(await calls['flows.start'](null)).toEqual({ is: 'running' });
  });

  it('tells what its types and plugins show to the editor', async () => {
    install(
      'shows',
      `module.exports = (RED) => {
        RED.nodes.registerType('own', function () {}, { settings: { ownA: { value: 1, exportable: true } } });
        RED.nodes.registerType('other', function () {}, { settings: { wrong: { value: 1, exportable: true } } });
        RED.plugins.registerPlugin('plug', { type: 'p', settings: { '*': { exportable: true } } });
        RED.library.register('things');
      }`,
    );
    const { start, calls } = open({ functionTimeout: 3, plug: { x: 1 } });
    await start();
    expect(await calls['settings.read'](null)).toEqual({
      exported: {
        ownA: 1,
        plug: { x: 1 },
        functionExternalModules: true,
        functionTimeout: 3,
        tlsConfigDisableLocalFiles: false,
      },
      context: { default: 'memory', stores: ['memory'] },
      libraryTypes: ['functions', 'templates', 'things'],
    });
  });

  it('keeps what code wants kept with the control plane', async () => {
    install(
      'keeps',
      `module.exports = async (RED) => {
        await RED.settings.set('mine', { a: RED.settings.get('before') });
        await RED.settings.delete('before');
        await RED.settings.setUserSettings('fred', { b: RED.settings.getUserSettings('fred').b + 1 });
        await RED.nodes.addCredentials('n', { key: 'k', old: RED.nodes.getCredentials('n') });
        await RED.nodes.deleteCredentials('n');
        RED.comms.publish('topic', { c: 1 }, true);
        RED.events.emit('runtime-event', { id: 'own', payload: { d: 1 } });
      }`,
    );
    const { start, asked, told } = open();
    const { sets } = await start({
      runtimeSettings: { before: 5 },
      userSettings: { fred: { b: 1 } },
      credentials: { n: { key: 'j' } },
    });
    expect(sets.at(-1)).toMatchObject({ id: 'keeps/set', loaded: true });
    expect(asked).toEqual([
      ['settings.set', { key: 'mine', value: { a: 5 } }],
      ['settings.set', { key: 'before', value: undefined }],
      ['userSettings.set', { user: 'fred', value: { b: 2 } }],
      ['credentials.set', { id: 'n', credentials: { key: 'k', old: { key: 'j' } } }],
      ['credentials.set', { id: 'n', credentials: null }],
    ]);
    expect(told).toContainEqual(['comms', { topic: 'topic', data: { c: 1 }, retain: true }]);
    expect(told).toContainEqual(['comms', { topic: 'notification/own', data: { d: 1 }, retain: false }]);
  });

  it('lets node modules hear the editors', async () => {
    install(
      'hears',
      `module.exports = (RED) => {
        for (const name of ['comms:message:own/topic', 'comms:connection-added', 'comms:connection-removed'])
          RED.events.on(name, (event) => RED.comms.publish('heard', [name, event]));
      }`,
    );
    const { start, engine, told } = open();
    await start();
    engine.hear('comms.connection', { session: 's', is: 'added' });
    engine.hear('comms.message', { session: 's', topic: 'own/topic', user: 'u', data: 1 });
    engine.hear('comms.connection', { session: 's', is: 'removed' });
    const heard = told
      .map(([, data]) => data as { topic?: string; data?: unknown })
      .filter(({ topic }) => topic === 'heard');
    expect(heard.map(({ data }) => data)).toEqual([
      ['comms:connection-added', { session: 's' }],
      ['comms:message:own/topic', { session: 's', user: 'u', data: 1 }],
      ['comms:connection-removed', { session: 's' }],
    ]);
  });

  it('asks for npm packages that function nodes lack, and says which could not be had', async () => {
    const { start, asked, calls } = open();
    const flows = [tab, node('f', 'function', { func: '', libs: [{ var: 'x', module: 'not-there@1' }] })];
    expect((await start({ flows })).flows).toEqual({
      is: 'missing-modules',
      modules: [{ module: 'not-there', error: '404' }],
    });
    expect(asked).toEqual([
      ['external.install', { module: 'not-there@1', args: ['--omit=dev', '--engine-strict'] }],
    ]);
    mkdirSync(join(userDir, 'node_modules', 'not-there'), { recursive: true });
    writeFileSync(join(userDir, 'node_modules', 'not-there', 'index.js'), '');
    writeFileSync(join(userDir, 'package.json'), JSON.stringify({ dependencies: { 'not-there': '1' } }));
    expect(await calls['flows.start'](null)).toEqual({ is: 'running' });
  });

  it('lets hooks take part in installing them', async () => {
    install(
      'hooks',
      `module.exports = (RED) => {
        RED.hooks.add('preInstall.own', (event) => { RED.comms.publish('hook', [event.module, event.version]); event.args.push('--prefer-offline'); return event.module !== 'skipped'; });
        RED.hooks.add('postInstall.own', (event) => { RED.comms.publish('hook', event.module); });
      }`,
    );
    const { start, asked, told } = open();
    const libs = ['skipped', 'wanted@2'].map((module) => ({ var: 'x', module }));
    await start({ flows: [tab, node('f', 'function', { func: '', libs })], state: 'start' });
    expect(asked).toEqual([
      [
        'external.install',
        { module: 'wanted@2', args: ['--omit=dev', '--engine-strict', '--prefer-offline'] },
      ],
    ]);
    const seen = told.map(([, data]) => data as { topic?: string; data?: unknown });
    expect(seen.filter(({ topic }) => topic === 'hook').map(({ data }) => data)).toEqual([
      ['skipped', undefined],
      'skipped',
      ['wanted', '2'],
    ]);
  });

  it('takes flows that are told by those it has, and touches nothing where it has others', async () => {
    const { start, engine, calls } = open();
    const [a, b] = [node('a', 'junction'), node('b', 'junction')];
    await start({ flows: [tab, a, b], rev: 'one' });
    const kept = engine.parts.flows.getNode('a');
    const pieces = [
      { is: 'kept', from: 0, count: 2 },
      { is: 'new', items: [node('c', 'junction')] },
    ] as const;
    const patch = (base: string) =>
      calls['flows.patch']({
        delta: { base, pieces },
        rev: 'two',
        credentials: {},
        changedCredentials: [],
        mode: 'nodes',
      });
    const { flows } = engine.parts;
    expect(await patch('other')).toEqual({ is: 'unknown-base' });
    expect(flows.config).toEqual({ flows: [tab, a, b], rev: 'one' });
    expect(await patch('one')).toEqual({ is: 'running' });
    expect(flows.config).toEqual({ flows: [tab, a, node('c', 'junction')], rev: 'two' });
    expect([flows.getNode('a'), flows.getNode('b'), flows.getNode('c')?.id]).toEqual([kept, null, 'c']);
  });

  it('hides the settings of a disabled set', async () => {
    const { start, calls } = open();
    const { modules } = discover({ userDir });
    await start({ modules, state: 'stop' });
    const exported = async () => Object.keys((await calls['settings.read'](null)).exported);
    expect(await exported()).toContain('tlsConfigDisableLocalFiles');
    await calls['set.disable']({ id: 'node-red/tls' });
    expect(await exported()).not.toContain('tlsConfigDisableLocalFiles');
  });

  it('offers subflows of modules as types', async () => {
    install(
      'subs',
      `module.exports = (RED) => RED.nodes.registerSubflow({
        id: 'sub', type: 'subflow', name: 'Twice', in: [{ x: 0, y: 0, wires: [{ id: 'f' }] }],
        out: [{ x: 0, y: 0, wires: [{ id: 'f', port: 0 }] }], env: [{ name: 'BY', type: 'num', value: '2' }, { name: 'KEY', type: 'cred' }],
        meta: { type: 'twice' },
        flow: [{ id: 'f', type: 'function', z: 'sub', x: 0, y: 0, func: 'msg.payload *= env.get("BY"); msg.key = env.get("KEY"); return msg', wires: [[]] }],
      })`,
    );
    const { start, engine } = open();
    const flows = [tab, node('s', 'twice', { BY: 3, wires: [['out']] }), node('out', 'debug')];
    const { sets } = await start({ flows, credentials: { s: { KEY: 'secret' } } });
    expect(sets.at(-1)).toMatchObject({
      types: ['twice'],
      credentials: { twice: { KEY: { type: 'password' } } },
      template: expect.stringContaining('data-template-name="twice"'),
    });
    const { flows: running } = engine.parts;
    const got = new Promise((resolve) => running.getNode('out')?.on('input', resolve));
    running.getNode('s')?.receive({ payload: 5 });
    expect(await got).toMatchObject({ payload: 15, key: 'secret' });
  });

  it('closes everything when it is stopped', async () => {
    install(
      'closes',
      `module.exports = (RED) => RED.nodes.registerType('own', function (c) {
        RED.nodes.createNode(this, c);
        this.on('close', (removed, done) => { RED.comms.publish('closed', removed); done(); });
      })`,
    );
    const { start, calls, told } = open({ contextStorage: { file: { module: 'localfilesystem' } } });
    await start({ flows: [tab, node('n', 'own')] });
    await calls['engine.stop'](null);
    expect(told).toContainEqual(['comms', { topic: 'closed', data: false, retain: false }]);
  });
});
