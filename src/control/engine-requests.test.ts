import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import { openObjectConfig } from '../storage/runtime-config.ts';
import { engineRequests, shownToEngine } from './engine-requests.ts';

let userDir: string;
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-requests-'));
});
afterEach(() => rmSync(userDir, { recursive: true }));

function open() {
  const credentials: unknown[] = [];
  const handlers = engineRequests({
    runtime: openObjectConfig(userDir, 'runtime', silentLogger),
    users: openObjectConfig(userDir, 'users', silentLogger),
    setCredentials: async (id, value) => void credentials.push([id, value]),
    installExternal: async (spec) => ({ version: `of ${spec}` }),
  });
  const onDisk = (name: string) => JSON.parse(readFileSync(join(userDir, `.config.${name}.json`), 'utf8'));
  return { handlers, credentials, onDisk };
}

describe('what the engine asks', () => {
  it('settings are stored and deleted by key', async () => {
    const { handlers, onDisk } = open();
    await handlers['settings.set']({ key: 'surf', value: { height: 2 } });
    await handlers['settings.set']({ key: 'sand', value: false });
    expect(onDisk('runtime')).toEqual({ surf: { height: 2 }, sand: false });
    await handlers['settings.set']({ key: 'surf' });
    expect(onDisk('runtime')).toEqual({ sand: false });
  });

  it.each(['instanceId', '_credentialSecret', 'runtimeFlowState'])(
    'the setting %s is neither changed nor shown',
    async (key) => {
      const { handlers } = open();
      await expect(handlers['settings.set']({ key, value: 'x' })).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(shownToEngine({ [key]: 'secret', surf: 1 })).toEqual({ surf: 1 });
    },
  );

  it('user settings are stored by user', async () => {
    const { handlers, onDisk } = open();
    await handlers['userSettings.set']({ user: 'fred', value: { theme: 'dark' } });
    await handlers['userSettings.set']({ user: '_', value: {} });
    expect(onDisk('users')).toEqual({ fred: { theme: 'dark' }, _: {} });
  });

  it('what can’t be written is an error of its own', async () => {
    const { handlers } = open();
    rmSync(userDir, { recursive: true });
    await expect(handlers['settings.set']({ key: 'surf', value: 1 })).rejects.toMatchObject({
      code: 'storage.failed',
    });
    userDir = mkdtempSync(join(tmpdir(), 'sluice-requests-'));
  });

  it('credentials and packages are handed on', async () => {
    const { handlers, credentials } = open();
    await handlers['credentials.set']({ id: 'n1', credentials: { user: 'fred' } });
    await handlers['credentials.set']({ id: 'n1', credentials: null });
    expect(credentials).toEqual([
      ['n1', { user: 'fred' }],
      ['n1', null],
    ]);
    expect(await handlers['external.install']({ module: 'surf', args: [] })).toEqual({ version: 'of surf' });
  });
});
