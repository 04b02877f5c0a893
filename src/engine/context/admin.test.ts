import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createPropertyAccess } from '../util/property-access.ts';
import { ContextManager } from './context-manager.ts';

async function open() {
  const seed = { lib: 'seed' };
  const contexts: ContextManager = await ContextManager.open({
    settings: {
      userDir: tmpdir(),
      contextStorage: { memoryOnly: { module: 'memory' }, file: { module: 'memory' } },
      functionGlobalContext: seed,
    },
    properties: createPropertyAccess(),
    log: { info() {}, warn() {}, error() {}, debug() {} },
    getNode: (id) => {
      if (id === 'n1') return { id, type: 'function', context: () => contexts.get('n1', 't1') };
      return id === 's1' ? { id, type: 'subflow:sub', context: () => contexts.get('s1', 't1') } : null;
    },
  });
  contexts.flow('t1').set('list', [1, { a: [] }]);
  contexts.flow('t1').set('object', { list: [1, 2], inner: { x: 1 }, nothing: null, n: 1 });
  contexts.flow('t1').set('onFile', 5, 'file');
  contexts.flow('s1', 't1').set('inSubflow', 1);
  contexts.get('n1', 't1').set('mine', 'x');
  contexts.global.set('all', undefined);
  contexts.global.set('all', true);
  return contexts;
}

describe('reading contexts for the admin API', () => {
  it('shows all values of all stores, or of one', async () => {
    const contexts = await open();
    expect(await contexts.read({ scope: 'node', id: 'n1' })).toEqual({
      memoryOnly: { mine: { msg: 'x', format: 'string[1]' } },
      file: {},
    });
    expect(await contexts.read({ scope: 'flow', id: 't1', store: 'file' })).toEqual({
      file: { onFile: { msg: '5', format: 'number' } },
    });
    expect(await contexts.read({ scope: 'node', id: 's1', store: 'memoryOnly' })).toEqual({
      memoryOnly: { inSubflow: { msg: '1', format: 'number' } },
    });
  });

  it('shows one value, and its store where that is not the default one', async () => {
    const contexts = await open();
    const flow = { scope: 'flow', id: 't1' } as const;
    expect(await contexts.read({ ...flow, key: 'object.n' })).toEqual({ msg: '1', format: 'number' });
    expect(await contexts.read({ ...flow, key: 'onFile', store: 'file' })).toEqual({
      msg: '5',
      format: 'number',
      store: 'file',
    });
    for (const key of ['nothing', 'not valid']) {
      expect(await contexts.read({ ...flow, key })).toEqual({ msg: '(undefined)', format: 'undefined' });
    }
  });

  it('shows values of the settings file once', async () => {
    const contexts = await open();
    expect(await contexts.read({ scope: 'global' })).toEqual({
      memoryOnly: { lib: { msg: 'seed', format: 'string[4]' }, all: { msg: 'true', format: 'boolean' } },
      file: {},
    });
  });

  it('shows keys only', async () => {
    const contexts = await open();
    const flow = { scope: 'flow', id: 't1', keysOnly: true } as const;
    expect(await contexts.read(flow)).toEqual({
      memoryOnly: { keys: [{ key: 'list' }, { key: 'object' }] },
      file: { keys: [{ key: 'onFile' }] },
    });
    expect(await contexts.read({ ...flow, key: 'object' })).toEqual({
      memoryOnly: {
        format: 'object',
        keys: [
          { key: 'list', format: 'array[2]', length: 2 },
          { key: 'inner', format: 'object' },
          { key: 'nothing', format: 'object' },
          { key: 'n' },
        ],
      },
    });
    expect(await contexts.read({ ...flow, key: 'list' })).toEqual({ memoryOnly: { format: 'array[2]' } });
    expect(await contexts.read({ ...flow, key: 'object.n' })).toEqual({ memoryOnly: { keys: [] } });
  });

  it('knows no unknown store, and nothing of an unknown node or flow', async () => {
    const contexts = await open();
    await expect(contexts.read({ scope: 'global', store: 'nowhere' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await contexts.read({ scope: 'node', id: 'nobody' })).toEqual({});
    expect(await contexts.read({ scope: 'flow', id: 'nowhere' })).toEqual({ memoryOnly: {}, file: {} });
  });
});

describe('deleting from contexts for the admin API', () => {
  it('deletes one value of one store', async () => {
    const contexts = await open();
    await contexts.remove({ scope: 'flow', id: 't1', key: 'object.inner' });
    await contexts.remove({ scope: 'flow', id: 't1', key: 'onFile', store: 'file' });
    await contexts.remove({ scope: 'node', id: 'nobody', key: 'a' });
    const flow = contexts.flow('t1');
    expect(flow.get('object')).toEqual({ list: [1, 2], nothing: null, n: 1 });
    expect(flow.keys('file')).toEqual([]);
  });

  it('refuses to delete without a key, or from an unknown store', async () => {
    const contexts = await open();
    const refused = { code: 'not_found' };
    await expect(contexts.remove({ scope: 'flow', id: 't1' })).rejects.toMatchObject(refused);
    await expect(contexts.remove({ scope: 'global', key: 'all', store: 'no' })).rejects.toMatchObject(
      refused,
    );
  });
});
