import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grants } from '../../contract/permissions.ts';
import { silentLogger } from '../../logging/logger.ts';
import { openDatabase } from '../../storage/database.ts';
import { TokenStore } from '../../storage/token-store.ts';
import { Authenticator, type AuthSettings } from './authenticator.ts';
import type { Principal } from './principal.ts';

const password = await bcrypt('surf', { cost: 4 });
const users = [
  { username: 'admin', password, permissions: ['*'] },
  { username: 'reader', password, permissions: ['read'] },
  { username: 'narrow', password, permissions: ['flows.read', 'nodes.write'] },
];

let folder: string;
let closers: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-auth-'));
});
afterEach(() => {
  for (const close of closers.reverse()) close();
  closers = [];
  rmSync(folder, { recursive: true });
});

function open(adminAuth: Partial<AuthSettings> | undefined, now?: () => number) {
  const database = openDatabase(join(folder, 'sluice.db'));
  const settings = adminAuth && { sessionExpiryTime: 604_800, ...adminAuth };
  const auth = new Authenticator({
    adminAuth: settings,
    store: new TokenStore(database),
    log: silentLogger,
    ...(now ? { now } : {}),
  });
  closers.push(
    () => database.close(),
    () => auth.close(),
  );
  const logIn = async (username: string, scope = '', given = 'surf', clientId = 'svc-admin') =>
    auth.logIn({ client_id: clientId, grant_type: 'password', scope, username, password: given }, '10.0.0.1');
  const identify = async (
    authorization?: string,
    more: { [header: string]: string } = {},
  ): Promise<Principal | string> => {
    try {
      return await auth.identify({ ...(authorization === undefined ? {} : { authorization }), ...more });
    } catch (error) {
      return (error as { challenge?: string }).challenge ?? String(error);
    }
  };
  return {
    auth,
    logIn,
    identify,
    bearer: async (name: string, scope = '') => `Bearer ${(await logIn(name, scope)).access_token}`,
  };
}

const badToken = 'Bearer error="invalid_token"';

describe('without adminAuth', () => {
  it('everybody may do everything, with whatever token', async () => {
    const { auth, identify } = open(undefined);
    expect(auth.enabled).toBe(false);
    for (const header of [undefined, 'Bearer nonsense', 'Basic YTpi']) {
      expect(await identify(header)).toEqual({ scope: ['*'], anonymous: true });
    }
  });
});

describe('a request', () => {
  it('is its user’s, by the token of a log-in', async () => {
    const { identify, bearer } = open({ users });
    expect(await identify(await bearer('admin'))).toEqual({
      user: { username: 'admin', permissions: ['*'] },
      scope: ['*'],
      anonymous: false,
      tokenId: expect.any(String),
    });
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('may spell the scheme %j', async (scheme) => {
    const { identify, logIn } = open({ users });
    const { access_token } = await logIn('admin');
    expect(await identify(`${scheme} ${access_token}`)).toMatchObject({ user: { username: 'admin' } });
  });

  it('is refused without a token, and with a bad one', async () => {
    const { identify } = open({ users });
    expect(await identify()).toBe('Bearer');
    expect(await identify('Basic YTpi')).toBe('Bearer');
    for (const header of ['Bearer nonsense', 'Bearer', 'Bearer ', `Bearer ${'x'.repeat(10_000)}`]) {
      expect(await identify(header), header.slice(0, 20)).toBe(badToken);
    }
  });

  it('may do what its token grants and its user holds', async () => {
    const { identify, bearer } = open({ users });
    const may = async (name: string, scope: string, needed: string) => {
      const principal = await identify(await bearer(name, scope));
      return typeof principal === 'object' && grants(principal.scope, needed);
    };
    expect(await may('admin', 'read', 'flows.read')).toBe(true);
    expect(await may('admin', 'read', 'flows.write')).toBe(false);
    expect(await may('admin', 'flows.write nodes.read', 'nodes.read')).toBe(true);
    expect(await may('admin', 'flows.write nodes.read', 'nodes.write')).toBe(false);
    expect(await may('narrow', '', 'nodes.write')).toBe(true);
    expect(await may('narrow', 'flows.read', 'nodes.write')).toBe(false);
  });

  it('can do less from the moment its user is demoted, and nothing once it is removed', async () => {
    let permissions: string | undefined = '*';
    const { identify, bearer } = open({
      users: (name: string) => (permissions === undefined ? null : { username: name, password, permissions }),
    });
    const header = await bearer('admin', '*');
    expect(await identify(header)).toMatchObject({ scope: ['*'] });
    permissions = 'flows.read';
    expect(await identify(header)).toMatchObject({ scope: ['flows.read'] });
    permissions = undefined;
    expect(await identify(header)).toBe(badToken);
  });

  it('is anonymous without a token where that is configured; a bad token stays one', async () => {
    const { identify } = open({ users, default: { permissions: ['read'] } });
    expect(await identify()).toEqual({ scope: ['read'], anonymous: true });
    expect(await identify('Basic YTpi')).toEqual({ scope: ['read'], anonymous: true });
    expect(await identify('Bearer nonsense')).toBe(badToken);
  });

  it('may carry a token that the settings file lists', async () => {
    const { identify } = open({
      users,
      tokens: [
        { token: 'of-a-script', user: 'admin', scope: ['nodes.write'] },
        { token: 'of-nobody', user: 'nobody', scope: ['*'] },
      ],
    });
    expect(await identify('Bearer of-a-script')).toEqual({
      user: { username: 'admin', permissions: ['*'] },
      scope: ['nodes.write'],
      anonymous: false,
    });
    expect(await identify('Bearer of-nobody')).toBe(badToken);
  });

  it('may carry a token that a function of the settings file knows', async () => {
    const { identify, bearer } = open({
      users,
      tokens: async (token: string) => (token === 'own' ? { username: 'robot', permissions: 'read' } : null),
    });
    expect(await identify('Bearer own')).toMatchObject({ user: { username: 'robot' }, scope: ['read'] });
    expect(await identify('Bearer other')).toBe(badToken);
    expect(await identify(await bearer('admin'))).toMatchObject({ user: { username: 'admin' } });
  });

  it('may carry that token in a header of its own', async () => {
    const { identify, bearer } = open({
      users,
      tokens: (token: string) => (token === 'raw value' ? { username: 'robot', permissions: '*' } : null),
      tokenHeader: 'X-Surf-Token',
    });
    expect(await identify(undefined, { 'x-surf-token': 'raw value' })).toMatchObject({
      user: { username: 'robot' },
    });
    expect(await identify(undefined, { 'x-surf-token': 'other' })).toBe(badToken);
    expect(await identify('Bearer raw value')).toBe(badToken);
    expect(await identify(await bearer('admin'), { 'x-surf-token': 'other' })).toMatchObject({
      user: { username: 'admin' },
    });
  });
});

describe('a log-in', () => {
  it('gives a token, its lifetime in seconds and its type', async () => {
    const { logIn } = open({ users, sessionExpiryTime: 3600 });
    expect(await logIn('admin', '*')).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 3600,
      token_type: 'Bearer',
    });
  });

  it.each(['svc-admin', 'svc-editor', 'node-red-admin', 'node-red-editor'])(
    'may come from %s',
    async (client) => {
      const { logIn } = open({ users });
      expect(await logIn('admin', '*', 'surf', client)).toMatchObject({ token_type: 'Bearer' });
    },
  );

  it.each([
    ['a wrong password', 'admin', '*', 'sand', 'svc-admin'],
    ['an unknown user', 'nobody', '*', 'surf', 'svc-admin'],
    ['an unknown client', 'admin', '*', 'surf', 'curl'],
    ['a scope that is no permission', 'admin', 'surf', 'surf', 'svc-admin'],
    ['a scope that is partly no permission', 'admin', '* surf', 'surf', 'svc-admin'],
    ['a scope that the user does not hold', 'reader', '*', 'surf', 'svc-admin'],
    ['a scope that the user holds in part', 'narrow', 'flows.read flows.write', 'surf', 'svc-admin'],
    ['a group of which the user holds a part', 'narrow', 'read', 'surf', 'svc-admin'],
  ])('is refused for %s', async (_case, username, scope, given, client) => {
    const { logIn } = open({ users });
    await expect(logIn(username, scope, given, client)).rejects.toMatchObject({
      code: 'unauthorized',
      challenge: 'Bearer',
    });
  });

  it('slows after five failures; a wait later it succeeds and clears them', async () => {
    let now = 1_000_000;
    const { logIn } = open({ users }, () => now);
    for (let i = 0; i < 5; i++)
      await expect(logIn('admin', '', 'sand')).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(logIn('admin')).rejects.toMatchObject({ code: 'too_many_attempts', retryAfter: 1 });
    now += 1000;
    await expect(logIn('admin')).resolves.toBeDefined();
    for (let i = 0; i < 4; i++)
      await expect(logIn('admin', '', 'sand')).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(logIn('admin')).resolves.toBeDefined();
  });

  it('does not let many guesses slip through at once', async () => {
    const { logIn } = open({ users });
    const guesses = await Promise.allSettled(Array.from({ length: 60 }, () => logIn('admin', '', 'sand')));
    const refused = guesses.map((guess) => (guess as PromiseRejectedResult).reason.code);
    expect(refused.filter((code) => code === 'unauthorized').length).toBeLessThan(10);
    expect(new Set(refused)).toEqual(new Set(['unauthorized', 'too_many_attempts']));
  });

  it('hands out the token that the user’s own record names', async () => {
    const { logIn } = open({
      users: async () => ({ username: 'admin', password, permissions: '*', token: 'own' }),
    });
    expect(await logIn('admin')).toEqual({ access_token: 'own', token_type: 'Bearer' });
  });
});

describe('a revoked token', () => {
  it('is dead at once, and its death is told', async () => {
    const { auth, identify, logIn } = open({ users });
    const { access_token } = await logIn('admin');
    const principal = (await identify(`Bearer ${access_token}`)) as Principal;
    const dead: string[] = [];
    auth.onTokenDead((id) => dead.push(id));
    auth.revoke(access_token);
    expect(await identify(`Bearer ${access_token}`)).toBe(badToken);
    expect(await auth.principalOf(access_token)).toBeUndefined();
    expect(dead).toEqual([principal.tokenId]);
  });
});

describe('principalOf', () => {
  it('tells who holds a token, where there is no request', async () => {
    const { auth, logIn } = open({
      users,
      tokens: (token: string) => (token === 'own' ? { username: 'robot', permissions: 'read' } : null),
    });
    expect(await auth.principalOf((await logIn('reader')).access_token)).toMatchObject({
      user: { username: 'reader' },
    });
    expect(await auth.principalOf('own')).toMatchObject({ user: { username: 'robot' } });
    expect(await auth.principalOf('other')).toBeUndefined();
  });
});
