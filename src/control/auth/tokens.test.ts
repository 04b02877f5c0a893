import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../logging/logger.ts';
import { openDatabase } from '../../storage/database.ts';
import { type TokenRecord, TokenStore } from '../../storage/token-store.ts';
import { type AccessToken, hashOf, newToken, Tokens } from './tokens.ts';

let folder: string;
let closers: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tokens-'));
});
afterEach(() => {
  for (const close of closers.reverse()) close();
  closers = [];
  rmSync(folder, { recursive: true });
});

function open(clock = { now: 1_000_000 }) {
  const database = openDatabase(join(folder, 'sluice.db'));
  const store = new TokenStore(database);
  const tokens = new Tokens({ store, log: silentLogger, now: () => clock.now });
  closers.push(
    () => database.close(),
    () => tokens.close(),
  );
  return { store, tokens, clock, database };
}

const grant = { username: 'fred', clientId: 'svc-admin', scope: ['read', 'nodes.write'], lifetimeMs: 1000 };

describe('newToken', () => {
  it('is 256 bits in base64url, another each time', () => {
    const tokens = new Set(Array.from({ length: 100 }, newToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('Tokens', () => {
  it('finds what it issued, until it expires', () => {
    const { tokens, clock } = open();
    const token = tokens.issue(grant);
    expect(tokens.find(token)).toMatchObject({ username: 'fred', scope: ['read', 'nodes.write'] });
    clock.now += 999;
    expect(tokens.find(token)).toBeDefined();
    clock.now += 1;
    expect(tokens.find(token)).toBeUndefined();
  });

  it('finds nothing for a token that it did not issue', () => {
    const { tokens } = open();
    tokens.issue(grant);
    expect(tokens.find(newToken())).toBeUndefined();
  });

  it('keeps tokens over a restart, and only their digests', () => {
    const first = open();
    const token = first.tokens.issue(grant);
    const again = open();
    expect(again.tokens.find(token)).toMatchObject({ username: 'fred' });
    const rows = JSON.stringify(again.database.prepare('SELECT * FROM token').all());
    expect(rows).toContain(hashOf(token));
    expect(rows).not.toContain(token);
  });

  it('forgets a revoked token at once and for good, and tells its public id', () => {
    const { tokens } = open();
    const token = tokens.issue(grant);
    const { id } = tokens.find(token) as TokenRecord;
    const dead: string[] = [];
    tokens.onDead((tokenId) => dead.push(tokenId));
    tokens.revoke(token);
    expect(tokens.find(token)).toBeUndefined();
    expect(open().tokens.find(token)).toBeUndefined();
    tokens.revoke(token);
    expect(dead).toEqual([id]);
    expect(token).not.toContain(id);
  });

  it('goes on where the disk takes nothing: what is issued is good, what is revoked is dead', () => {
    const { tokens, database, clock } = open();
    const stored = tokens.issue(grant);
    database.exec('PRAGMA query_only = ON');
    const late = tokens.issue(grant);
    expect(tokens.find(late)).toMatchObject({ username: 'fred' });
    expect(open().tokens.find(late)).toBeUndefined();
    expect(() => tokens.revoke(stored)).toThrow(expect.objectContaining({ code: 'storage.failed' }));
    expect(tokens.find(stored)).toBeUndefined();
    tokens.revoke(late);
    expect(tokens.find(late)).toBeUndefined();

    database.exec('PRAGMA query_only = OFF');
    clock.now += 1;
    tokens.revoke(stored);
    expect(open().tokens.find(stored)).toBeUndefined();
  });

  it('makes up for what the disk did not take, as soon as it does', () => {
    vi.useFakeTimers();
    try {
      const { tokens, database } = open();
      const revoked = tokens.issue(grant);
      database.exec('PRAGMA query_only = ON');
      const late = tokens.issue(grant);
      expect(() => tokens.revoke(revoked)).toThrow();
      vi.advanceTimersByTime(60_000);
      expect(tokens.find(late)).toBeDefined();
      database.exec('PRAGMA query_only = OFF');
      vi.advanceTimersByTime(60_000);
      const restarted = open().tokens;
      expect(restarted.find(late)).toMatchObject({ username: 'fred' });
      expect(restarted.find(revoked)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('sweeps expired tokens at the start', () => {
    const first = open();
    const old = first.tokens.issue(grant);
    const young = first.tokens.issue({ ...grant, lifetimeMs: 5000 });
    const later = open({ now: first.clock.now + 2000 });
    expect(later.store.find(hashOf(old))).toBeUndefined();
    expect(later.store.find(hashOf(young))).toBeDefined();
  });

  it('sweeps a token when it expires, and tells its public id', async () => {
    const clock = { now: Date.now() };
    const { tokens, store } = open(clock);
    const token = tokens.issue(grant);
    const { id } = tokens.find(token) as TokenRecord;
    const dead = new Promise<string>((resolve) => tokens.onDead(resolve));
    clock.now += 1000;
    await expect(dead).resolves.toBe(id);
    expect(store.find(hashOf(token))).toBeUndefined();
  });

  it('goes on telling when a listener throws', () => {
    const { tokens } = open();
    const heard: string[] = [];
    tokens.onDead(() => {
      throw new Error('deaf');
    });
    tokens.onDead((id) => heard.push(id));
    tokens.revoke(tokens.issue(grant));
    expect(heard).toHaveLength(1);
  });
});

describe('a secret', () => {
  it('does not fit where a digest is stored', () => {
    const record: Omit<TokenRecord, 'hash'> = {
      id: 'x',
      username: 'fred',
      clientId: 'svc-admin',
      scope: [],
      createdAt: 0,
      expiresAt: 1,
    };
    const secret: AccessToken = newToken();
    // @ts-expect-error a secret does not fit where a digest is stored
    const stored: TokenRecord = { ...record, hash: secret };
    // @ts-expect-error nor does any text that is not known to be a digest
    const plain: TokenRecord = { ...record, hash: 'text' };
    expect([stored, plain]).toHaveLength(2); // The compiler is what tests; `npm run check` runs it.
  });
});
