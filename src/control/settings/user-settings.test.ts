import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../logging/logger.ts';
import { openObjectConfig } from '../../storage/runtime-config.ts';
import { mergeSettings, UserSettings } from './user-settings.ts';

describe('mergeSettings', () => {
  it.each([
    [{ a: 1, b: 2 }, { a: 'x' }, { a: 'x', b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: 1, b: 2 }, { a: null, gone: null }, { b: 2 }],
    [{ a: { b: 1 } }, { a: { b: null } }, { a: {} }],
    [{ a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, { a: { b: null } }, { a: { b: null } }],
  ])('of %j and %j is %j', (old, patch, expected) => {
    const before = structuredClone(old);
    expect(mergeSettings(old, patch)).toEqual(expected);
    expect(old).toEqual(before);
  });
});

describe('UserSettings', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-users-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const open = (changes: unknown[] = []) =>
    new UserSettings({
      file: openObjectConfig(dir, 'users', silentLogger),
      changed: (user, value) => changes.push([user, value]),
    });

  it('keeps what each user stores apart, over a restart, and tells of it', async () => {
    const changes: unknown[] = [];
    const users = open(changes);
    expect(await users.of('fred')).toEqual({});
    await users.merge('fred', { a: 1 });
    await users.merge('_', { a: 2 });
    await users.merge('fred', { b: 3, telemetryEnabled: true });
    expect(await open().all()).toEqual({ fred: { a: 1, b: 3 }, _: { a: 2 } });
    expect(changes.at(-1)).toEqual(['fred', { a: 1, b: 3 }]);
  });

  it('is not led astray by odd names', async () => {
    const users = open();
    expect(await users.of('constructor')).toEqual({});
    await users.merge('toString', { a: 1 });
    expect(await users.of('toString')).toEqual({ a: 1 });
  });
});
