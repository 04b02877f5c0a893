import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import { isSealed, seal, unseal } from './credential-cipher.ts';
import { CredentialFile } from './credential-file.ts';
import { openObjectConfig } from './runtime-config.ts';

/** A user directory that Node-RED 5.0.7 wrote. */
const ofPeer = fileURLToPath(new URL('../../test/fixtures/peer-user-dir', import.meta.url));
const credentialsOfPeer = {
  t1: { SECRET: 'tab secret' },
  b1: { user: 'fred', password: 'pässword ✓' },
  u1: { a: 'b' },
  g: { map: { G: 'gv', has_G: true } },
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-credentials-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function open(secret?: string | false, readOnly = false): CredentialFile {
  const runtime = openObjectConfig(dir, 'runtime', silentLogger, readOnly);
  const path = join(dir, 'flows_cred.json');
  return new CredentialFile({ path, pretty: true, readOnly, secret, runtime, log: silentLogger });
}
const onDisk = async (): Promise<unknown> => JSON.parse(await readFile(join(dir, 'flows_cred.json'), 'utf8'));
const runtimeOnDisk = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(dir, '.config.runtime.json'), 'utf8').catch(() => '{}'));
const copies = async () => (await readdir(dir)).filter((name) => name.includes('.undecryptable-'));

describe('the cipher', () => {
  it('opens what it sealed, with the same secret only, and never seals twice alike', () => {
    const sealed = seal(credentialsOfPeer, 'secret');
    expect(sealed.$).toMatch(/^[0-9a-f]{32}[A-Za-z0-9+/]+=*$/);
    expect(unseal(sealed, 'secret')).toEqual(credentialsOfPeer);
    expect(unseal(sealed, 'Secret')).toBeUndefined();
    expect(seal(credentialsOfPeer, 'secret').$).not.toBe(sealed.$);
  });

  it.each(['', 'zz', 'a'.repeat(40), '00'.repeat(16)])('takes %j for undecryptable', ($) => {
    expect(unseal({ $ }, 'secret')).toBeUndefined();
  });
});

describe('CredentialFile', () => {
  it('is empty, and writes nothing, where there is no file', async () => {
    expect(await open().load()).toEqual({ is: 'open', credentials: {} });
    expect(await readdir(dir)).toEqual([]);
  });

  it('reads what the peer encrypted with its generated secret, and the peer can read what it writes', async () => {
    await cp(ofPeer, dir, { recursive: true });
    const secret = (await runtimeOnDisk())['_credentialSecret'];
    const file = open();
    expect(await file.load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    expect(file.encryption).toBe('system');
    expect(file.outdated).toBe(false);
    await file.save({ n1: { a: 'b' } });
    const content = await onDisk();
    if (!isSealed(content)) throw new Error('not encrypted');
    expect(unseal(content, String(secret))).toEqual({ n1: { a: 'b' } });
  });

  it('reads what somebody has added to by hand, but for what is no credentials', async () => {
    const path = join(dir, 'flows_cred.json');
    await writeFile(path, JSON.stringify({ ...seal(credentialsOfPeer, 'mine'), other: 1 }));
    expect(await open('mine').load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    await writeFile(path, JSON.stringify({ a: { user: 'u' }, b: null, c: 'text', d: 5 }));
    expect(await open('mine').load()).toEqual({ is: 'open', credentials: { a: { user: 'u' } } });
  });

  it('makes a secret at the first save, keeps it, and lets only the owner read', async () => {
    await open().save({ n1: { a: 'b' } });
    expect((await runtimeOnDisk())['_credentialSecret']).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(join(dir, 'flows_cred.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dir, 'flows_cred.json'), 'utf8')).toMatch(/^\{\n {4}"\$": "[^"]+"\n\}$/);
    expect(await open().load()).toEqual({ is: 'open', credentials: { n1: { a: 'b' } } });
  });

  it('moves from the generated secret to that of the settings', async () => {
    await cp(ofPeer, dir, { recursive: true });
    const file = open('mine');
    expect(await file.load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    expect([file.encryption, file.outdated]).toEqual(['user', true]);
    await file.save(credentialsOfPeer);
    expect(file.outdated).toBe(false);
    expect(await runtimeOnDisk()).not.toHaveProperty('_credentialSecret');
    expect((await runtimeOnDisk())['instanceId']).toBe('1fcba31e7a5bd3ee');
    expect(await open('mine').load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    expect((await open('other').load()).is).toBe('locked');
  });

  it('opens the file where a move was cut off before the generated secret was forgotten', async () => {
    await cp(ofPeer, dir, { recursive: true });
    await writeFile(join(dir, 'flows_cred.json'), JSON.stringify(seal(credentialsOfPeer, 'mine')));
    expect(await open('mine').load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
  });

  it('moves to no encryption and back', async () => {
    await cp(ofPeer, dir, { recursive: true });
    const plain = open(false);
    expect(await plain.load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    expect([plain.encryption, plain.outdated]).toEqual(['disabled', true]);
    await plain.save(credentialsOfPeer);
    expect(await onDisk()).toEqual(credentialsOfPeer);
    const sealed = open('mine');
    expect(await sealed.load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    expect(sealed.outdated).toBe(true);
    await sealed.save(credentialsOfPeer);
    expect(isSealed(await onDisk())).toBe(true);
  });

  it.each([
    ['a changed secret', 'other', 'credentialSecret'],
    ['encryption switched off without the old secret', false as const, 'credentialSecret is false'],
    ['a lost secret', undefined, 'neither'],
  ])(
    'reports %s, changes nothing, and keeps a copy when credentials are saved again',
    async (_, secret, words) => {
      await open('mine').save(credentialsOfPeer);
      const before = await readFile(join(dir, 'flows_cred.json'), 'utf8');
      const file = open(secret);
      const loaded = await file.load();
      expect(loaded).toMatchObject({ is: 'locked', reason: expect.stringContaining(words) });
      expect(JSON.stringify(loaded)).not.toContain('mine');
      expect(file.locked).toBe(true);
      expect(await readFile(join(dir, 'flows_cred.json'), 'utf8')).toBe(before);
      expect(await open('mine').load()).toEqual({ is: 'open', credentials: credentialsOfPeer });

      await file.save({ n1: { a: 'new' } });
      expect(file.locked).toBe(false);
      const [copy = '', ...more] = await copies();
      expect(more).toEqual([]);
      expect(await readFile(join(dir, copy), 'utf8')).toBe(before);
      expect(await open(secret).load()).toEqual({ is: 'open', credentials: { n1: { a: 'new' } } });
    },
  );

  it('reports a damaged file with its place and keeps it likewise', async () => {
    await writeFile(join(dir, 'flows_cred.json'), '{"$": "abc"\n');
    const file = open('mine');
    expect(await file.load()).toMatchObject({
      is: 'locked',
      reason: expect.stringContaining('line 2, column 1'),
    });
    await file.save({});
    expect(await copies()).toHaveLength(1);
  });

  it('writes nothing in read-only mode', async () => {
    await cp(ofPeer, dir, { recursive: true });
    const before = await readFile(join(dir, 'flows_cred.json'), 'utf8');
    const file = open('mine', true);
    expect(await file.load()).toEqual({ is: 'open', credentials: credentialsOfPeer });
    await file.save({});
    expect(await readFile(join(dir, 'flows_cred.json'), 'utf8')).toBe(before);
    expect(await runtimeOnDisk()).toHaveProperty('_credentialSecret');
  });
});
