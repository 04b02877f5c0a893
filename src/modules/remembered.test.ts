import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import type { NodeModule, NodeSet } from './node-module.ts';
import { RememberedModules } from './remembered.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-remembered-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

const file = () => JSON.parse(readFileSync(join(userDir, '.config.nodes.json'), 'utf8'));

async function opened(): Promise<RememberedModules> {
  const remembered = new RememberedModules(userDir, silentLogger);
  await remembered.load();
  return remembered;
}

const set = { module: '@acme/surf', name: 'board' };
const acme: NodeModule = {
  name: '@acme/surf',
  version: '1.0.0',
  path: '/x',
  local: true,
  user: true,
  hidden: false,
  dependencies: [],
  plugins: [],
  nodes: [
    {
      ...set,
      id: '@acme/surf/board',
      version: '1.0.0',
      kind: 'nodes',
      file: '/x/board.js',
      types: ['board'],
      enabled: true,
      local: true,
      namespace: '@acme/surf',
    },
  ],
};

describe('what is remembered of modules', () => {
  it('reads the peer’s file', async () => {
    const sets = {
      inject: { name: 'inject', types: ['inject'], enabled: true },
      exec: { name: 'exec', enabled: false },
    };
    writeFileSync(
      join(userDir, '.config.nodes.json'),
      JSON.stringify({ 'node-red': { name: 'node-red', nodes: sets } }),
    );
    const remembered = await opened();
    expect(remembered.isDisabled('node-red', 'exec')).toBe(true);
    expect(remembered.isDisabled('node-red', 'inject')).toBe(false);
    expect(remembered.isDisabled('node-red', 'constructor')).toBe(false);
    expect(remembered.isDisabled('toString', 'x')).toBe(false);
  });

  it('outlives a start, in the peer’s format', async () => {
    const first = await opened();
    await first.adopt([acme], { module: acme.name, did: 'install', skippedScripts: [] });
    await first.setEnabled([set], false);
    const again = await opened();
    expect(again.isDisabled('@acme/surf', 'board')).toBe(true);
    expect(Object.keys(file())[0]).toBe('node-red');
    expect(file()['@acme/surf']).toMatchObject({
      name: '@acme/surf',
      version: '1.0.0',
      local: true,
      user: true,
      nodes: {
        board: { name: 'board', types: ['board'], enabled: false, file: '/x/board.js', module: '@acme/surf' },
      },
    });
  });

  it('ends a quarantine when the set is enabled, updated or installed again', async () => {
    const remembered = await opened();
    const quarantine = () => remembered.quarantine('@acme/surf', 'board');
    await remembered.setQuarantine(set, 'it ended the engine');
    expect((await opened()).quarantine('@acme/surf', 'board')).toBe('it ended the engine');
    await remembered.setEnabled([set], true);
    expect(quarantine()).toBeUndefined();
    await remembered.setQuarantine(set, 'again');
    await remembered.adopt([acme], { module: acme.name, did: 'update', skippedScripts: [] });
    expect(quarantine()).toBeUndefined();
  });

  it('keeps sets disabled over an update and over changes of other modules, but not over a new installation', async () => {
    const remembered = await opened();
    const disabled = { ...acme, nodes: acme.nodes.map((one) => ({ ...one, enabled: false })) };
    await remembered.setEnabled([set], false);
    await remembered.adopt([disabled], { module: 'other', did: 'install', skippedScripts: [] });
    await remembered.adopt([disabled], { module: acme.name, did: 'update', skippedScripts: [] });
    expect(remembered.isDisabled('@acme/surf', 'board')).toBe(true);
    await remembered.adopt([], { module: acme.name, did: 'remove', skippedScripts: [] });
    expect(remembered.isDisabled('@acme/surf', 'board')).toBe(false);
    await remembered.adopt([disabled], { module: acme.name, did: 'install', skippedScripts: [] });
    expect(remembered.isDisabled('@acme/surf', 'board')).toBe(false);
  });

  it('keeps the quarantine of a plugin over changes of other modules', async () => {
    const remembered = await opened();
    const wave = { ...acme.nodes[0], id: '@acme/surf/wave', name: 'wave', kind: 'plugins' } as NodeSet;
    await remembered.setQuarantine(wave, 'it hung');
    await remembered.adopt([{ ...acme, plugins: [wave] }], {
      module: 'other',
      did: 'install',
      skippedScripts: [],
    });
    expect((await opened()).quarantine('@acme/surf', 'wave')).toBe('it hung');
  });

  it('knows which install scripts were left out, until the module is changed', async () => {
    const remembered = await opened();
    const skippedScripts = [{ name: 'advert', version: '1.0.0' }];
    await remembered.adopt([acme], { module: acme.name, did: 'install', skippedScripts });
    await remembered.adopt([acme], { module: 'other', did: 'install', skippedScripts: [] });
    expect((await opened()).skippedScripts('@acme/surf')).toEqual(['advert']);
    await remembered.adopt([acme], { module: acme.name, did: 'update', skippedScripts: [] });
    expect(remembered.skippedScripts('@acme/surf')).toEqual([]);
  });
});
