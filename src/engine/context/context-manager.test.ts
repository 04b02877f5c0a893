import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPropertyAccess } from '../util/property-access.ts';
import { ContextManager, type ContextManagerDeps } from './context-manager.ts';
import type { ContextStore } from './store.ts';

const userDir = mkdtempSync(join(tmpdir(), 'sluice-contexts-'));
afterAll(() => rmSync(userDir, { recursive: true, force: true }));

async function open(settings: Omit<ContextManagerDeps['settings'], 'userDir'> = {}) {
  const said: string[] = [];
  const say = (level: string) => (text: string) => void said.push(`${level}: ${text}`);
  const contexts = await ContextManager.open({
    settings: { userDir, ...settings },
    properties: createPropertyAccess(),
    log: { info: say('info'), warn: say('warn'), error: say('error'), debug() {} },
    getNode: () => null,
  });
  return { contexts, said };
}

const twoStores = { memoryOnly: { module: 'memory' }, other: { module: 'memory' } };

describe('a context', () => {
  it('belongs to a node, its flow, or everything', async () => {
    const { contexts } = await open();
    const flow = contexts.flow('t1');
    const [one, two] = [contexts.get('n1', 't1'), contexts.get('n2', 't1')];
    one.set('a', 'of n1');
    one.flow?.set('a', 'of t1');
    one.global?.set('a', 'of all');
    expect(contexts.get('n1', 't1')).toBe(one);
    expect(two.get('a')).toBeUndefined();
    expect(two.flow).toBe(flow);
    expect(flow.get('a')).toBe('of t1');
    expect(contexts.flow('t2').get('a')).toBeUndefined();
    expect(contexts.global.get('a')).toBe('of all');
    expect(contexts.get('config').flow).toBeUndefined();
  });

  it('works whatever its members are called on', async () => {
    const { contexts } = await open();
    const { get, set, keys } = contexts.get('n1', 't1');
    set.call({}, 'a', 1);
    expect([get.call(undefined, 'a'), keys.apply(null)]).toEqual([1, ['a']]);
  });

  it('leads from subflow to what is around it with $parent', async () => {
    const { contexts } = await open();
    const outer = contexts.flow('t1');
    const middle = contexts.flow('s1', 't1');
    const inner = contexts.flow('s1-s2', 's1');
    inner.set('$parent.$parent.a', 1);
    inner.set('$parent.b.c', 2);
    outer.set('$parent.all', 3);
    expect(outer.get('a')).toBe(1);
    expect(middle.get('b')).toEqual({ c: 2 });
    expect(inner.get('$parent.$parent.$parent.all')).toBe(3);
    expect(contexts.global.get('all')).toBe(3);
    expect(contexts.global.get('$parent.x')).toBeUndefined();
    expect(contexts.get('n1', 's1').get('$parent.a')).toBeUndefined();
    expect(inner.$parent).toBe(middle);
    expect(inner.get('$parent')).toBeUndefined();
    expect(inner.get('$parents')).toBeUndefined();
  });

  it('hands its answer to a callback', async () => {
    const { contexts } = await open({ contextStorage: twoStores });
    const calls: unknown[] = [];
    const note = (...values: unknown[]) => void calls.push(values);
    const { global } = contexts;
    global.set('a', 1, note);
    global.set('b', 2, 'other', note);
    global.get('a', note);
    global.get(['a', 'b'], 'other', note);
    global.keys(note);
    global.keys('other', note);
    contexts.flow('t1').get('$parent.a', note);
    expect(calls).toEqual([
      [undefined],
      [undefined],
      [undefined, 1],
      [undefined, undefined, 2],
      [null, ['a']],
      [null, ['b']],
      [undefined, 1],
    ]);
  });

  it('refuses keys that are none, and callbacks that are none', async () => {
    const { contexts } = await open();
    for (const key of ['', [], [''], ['a', 5], 5, null, undefined]) {
      expect(() => contexts.global.get(key as string)).toThrow('Invalid context key');
      expect(() => contexts.global.set(key as string, 1)).toThrow('Invalid context key');
      const errors: unknown[] = [];
      contexts.global.get(key as string, (error) => errors.push(error));
      expect(errors).toEqual([expect.objectContaining({ message: 'Invalid context key' })]);
    }
    expect(() => contexts.global.get('a', 'memory', 'no function' as never)).toThrow(
      'Callback must be a function',
    );
  });
});

describe('stores', () => {
  it('are chosen by argument, by key, or the first', async () => {
    const { contexts } = await open({ contextStorage: twoStores });
    const { global } = contexts;
    global.set('a', 'first');
    global.set('#:(other)::a', 'second');
    expect([global.get('a'), global.get('a', 'memoryOnly'), global.get('a', 'other')]).toEqual([
      'first',
      'first',
      'second',
    ]);
    expect(global.get('#:(other)::a')).toBe('second');
    expect(global.get('#:(other)::a', 'memoryOnly')).toBe('first');
    expect(contexts.listStores()).toEqual({ default: 'memoryOnly', stores: ['memoryOnly', 'other'] });
  });

  it('have a default by alias or by that name', async () => {
    const { contexts } = await open({ contextStorage: { default: 'other', ...twoStores } });
    contexts.global.set('a', 1);
    expect(contexts.global.get('a', 'other')).toBe(1);
    expect(contexts.listStores()).toEqual({ default: 'other', stores: ['memoryOnly', 'other'] });
    const named = await open({ contextStorage: { ...twoStores, default: { module: 'memory' } } });
    expect(named.contexts.listStores().default).toBe('default');
  });

  it('that are unknown are the default one, with one warning', async () => {
    const { contexts, said } = await open({ contextStorage: twoStores });
    contexts.global.set('a', 1, 'nowhere');
    expect(contexts.global.get('a', 'nowhere')).toBe(1);
    expect(contexts.global.get('a', 'memoryOnly')).toBe(1);
    expect(said.filter((line) => line.startsWith('warn'))).toEqual([
      "warn: There is no context store 'nowhere'; the default store is used instead",
    ]);
  });

  it('may be brought along', async () => {
    const asked: unknown[] = [];
    const custom = (options: unknown): ContextStore => {
      asked.push(options);
      const note = (...values: unknown[]) => void asked.push(values);
      return {
        open: async () => note('open'),
        close: async () => note('close'),
        get: (...values) => note('get', ...values),
        set: (...values) => note('set', ...values),
        keys: (...values) => note('keys', ...values),
        delete: async (scope) => note('delete', scope),
        clean: async (active) => note('clean', active),
      };
    };
    const { contexts } = await open({ contextStorage: { mine: { module: custom, config: { x: 1 } } } });
    const done = () => {};
    contexts.get('n1', 't1').set('a.b', 1, done);
    contexts.get('n1', 't1').get(['a', 'b'], done);
    contexts.flow('t1').keys();
    await contexts.clean({ ids: new Set(['t1']) });
    await contexts.delete('n1', 't1');
    await contexts.close();
    expect(asked).toEqual([
      { x: 1, settings: { userDir } },
      ['open'],
      ['set', 'n1:t1', 'a.b', 1, done],
      ['get', 'n1:t1', ['a', 'b'], done],
      ['keys', 't1', undefined],
      ['clean', ['t1']],
      ['close'],
    ]);
  });

  it('may be a module of the user directory', async () => {
    const module = join(userDir, 'node_modules', 'my-store');
    mkdirSync(module, { recursive: true });
    writeFileSync(
      join(module, 'index.js'),
      `module.exports = () => ({ async open() {}, async close() {}, get: (scope, key) => scope + key });`,
    );
    const { contexts } = await open({ contextStorage: { mine: { module: 'my-store' } } });
    expect(contexts.flow('t1').get('a')).toBe('t1a');
  });

  it.each([
    [{ 'a-b': { module: 'memory' } }, 'a-b', 'its name may have letters, digits and _ only'],
    [{ a: {} }, 'a', "it has no 'module'"],
    [{ a: { module: 'no-such-store' } }, 'a', 'Cannot find module'],
    [{ a: { module: {} } }, 'a', 'its module is not a function'],
    [{ a: { module: () => ({ open: () => Promise.reject(new Error('no disk')) }) } }, 'a', 'no disk'],
  ])('that are wrong say so whenever they are used; the others work (%#)', async (wrong, name, why) => {
    const { contexts, said } = await open({ contextStorage: { ...wrong, good: { module: 'memory' } } });
    const message = `The context store '${name}' is not available: ${why}`;
    expect(said.find((line) => line.startsWith('error'))).toContain(message);
    expect(() => contexts.global.get('x', name)).toThrow(message);
    expect(() => contexts.global.set('x', 1, name)).toThrow(message);
    const failed = await new Promise((resolve) => contexts.global.keys(name, resolve));
    expect(String(failed)).toContain(message);
    contexts.global.set('x', 1, 'good');
    expect(contexts.global.get('x', 'good')).toBe(1);
    expect(await contexts.read({ scope: 'global' })).toEqual({
      [name]: {},
      good: { x: { msg: '1', format: 'number' } },
    });
    await expect(contexts.read({ scope: 'global', store: name })).rejects.toMatchObject({
      code: 'unexpected_error',
    });
    await contexts.clear();
    await contexts.close();
  });

  it('have the first as default where the named one is not there', async () => {
    const { contexts, said } = await open({ contextStorage: { default: 'nowhere', ...twoStores } });
    expect(contexts.listStores().default).toBe('memoryOnly');
    expect(said).toContain(
      "error: The default context store 'nowhere' is not configured; 'memoryOnly' is used instead",
    );
  });
});

describe('the global context', () => {
  const functionGlobalContext = { seed: { x: 1 }, shared: 'seed' };

  it('shows the values of the settings where the stores have none', async () => {
    const { contexts } = await open({ functionGlobalContext });
    const { global } = contexts;
    global.set('shared', 'own');
    expect(global.get('seed')).toBe(functionGlobalContext.seed);
    expect(global.get('seed.x')).toBe(1);
    expect(global.get(['seed.x', 'shared', 'nothing'])).toEqual([1, 'own', undefined]);
    let given: unknown;
    global.get('seed.x', (...values) => {
      given = values;
    });
    expect(given).toEqual([undefined, 1]);
    expect((global as unknown as typeof functionGlobalContext).seed.x).toBe(1);
    expect(Object.keys(global)).toEqual(['seed', 'shared']);
    expect(contexts.get('n1', 't1').get('seed')).toBeUndefined();
  });

  it('names them in keys, unless told not to', async () => {
    const { contexts } = await open({ functionGlobalContext });
    contexts.global.set('shared', 1);
    contexts.global.set('own', 2);
    expect(contexts.global.keys()).toEqual(['seed', 'shared', 'own']);
    const quiet = await open({ functionGlobalContext, exportGlobalContextKeys: false });
    quiet.contexts.global.set('own', 2);
    expect(quiet.contexts.global.keys()).toEqual(['own']);
  });
});

describe('life time', () => {
  it('ends with the node where no store is configured', async () => {
    const { contexts } = await open();
    contexts.get('n1', 't1').set('a', 1);
    contexts.flow('t1').set('a', 1);
    await contexts.delete('n1', 't1');
    expect(contexts.get('n1', 't1').get('a')).toBeUndefined();
    expect(contexts.flow('t1').get('a')).toBe(1);
  });

  it('goes on where stores are configured', async () => {
    const { contexts } = await open({ contextStorage: twoStores });
    contexts.get('n1', 't1').set('a', 1);
    await contexts.delete('n1', 't1');
    expect(contexts.get('n1', 't1').get('a')).toBe(1);
  });

  it('ends with the removal from the flows; global stays until it is cleared', async () => {
    const { contexts } = await open({ contextStorage: twoStores });
    contexts.global.set('a', 1);
    for (const [id, flow] of [
      ['n1', 't1'],
      ['n2', 't1'],
      ['n3', 't2'],
    ] as const) {
      contexts.get(id, flow).set('a', 1);
      contexts.flow(flow).set('a', 1, 'other');
    }
    await contexts.clean({ ids: new Set(['t1', 'n1']) });
    expect(contexts.get('n1', 't1').get('a')).toBe(1);
    expect(contexts.get('n2', 't1').get('a')).toBeUndefined();
    expect(contexts.flow('t1').get('a', 'other')).toBe(1);
    expect(contexts.flow('t2').get('a', 'other')).toBeUndefined();
    expect(contexts.global.get('a')).toBe(1);
    await contexts.clear();
    expect(contexts.global.get('a')).toBeUndefined();
    expect(contexts.get('n1', 't1').get('a')).toBeUndefined();
  });
});
