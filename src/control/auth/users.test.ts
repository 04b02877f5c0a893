import { hash as bcrypt } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { Users } from './users.ts';

const password = await bcrypt('surf', { cost: 4 });
const fred = { username: 'fred', password, permissions: ['*'], image: 'fred.png' };

describe('Users of an array', () => {
  const users = new Users({ users: [fred, { username: 'guest', permissions: ['read'] }] });

  it('are found by their exact names, without their secrets', () => {
    expect(users.find('fred')).toEqual({ username: 'fred', permissions: ['*'], image: 'fred.png' });
    expect([users.find('Fred'), users.find('nobody'), users.find('__proto__')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('log in with their password', async () => {
    expect((await users.logIn('fred', 'surf'))?.user.username).toBe('fred');
    expect(await users.logIn('fred', 'SURF')).toBeUndefined();
    expect(await users.logIn('nobody', 'surf')).toBeUndefined();
  });

  it('do not log in where they have no password', async () => {
    expect(await users.logIn('guest', '')).toBeUndefined();
    // What the name is checked against is a hash of somebody else.
    expect(await users.logIn('guest', 'surf')).toBeUndefined();
  });
});

describe('Users of a function', () => {
  it('are asked for each time, so that a demotion takes effect at once', async () => {
    let permissions: string | string[] = '*';
    const users = new Users({
      users: async (name: string) => (name === 'fred' ? { ...fred, permissions } : null),
    });
    expect(await users.find('fred')).toMatchObject({ permissions: ['*'] });
    permissions = ['flows.read', 'nodes.read library.read'];
    expect(await users.find('fred')).toMatchObject({
      permissions: ['flows.read', 'nodes.read', 'library.read'],
    });
    expect(await users.find('nobody')).toBeUndefined();
    expect((await users.logIn('fred', 'surf'))?.user.permissions).toHaveLength(3);
  });

  it('that fails is an error of its own, and no refusal', async () => {
    const users = new Users({
      users: () => {
        throw new Error('no directory');
      },
    });
    await expect(users.find('fred')).rejects.toMatchObject({
      code: 'auth.unavailable',
      message: expect.stringContaining('adminAuth.users'),
    });
  });

  it('may answer without a promise, and with nonsense', async () => {
    const users = new Users({ users: (name: string) => (name === 'fred' ? fred : 'nonsense') });
    expect(await users.find('fred')).toMatchObject({ username: 'fred' });
    expect(await users.find('wilma')).toBeUndefined();
  });
});

describe('authenticate', () => {
  it('takes the place of the password check', async () => {
    const users = new Users({
      users: [fred],
      authenticate: async (name: string, given: string) =>
        given === `${name}!` ? { username: name, permissions: 'read' } : null,
    });
    expect(await users.logIn('fred', 'surf')).toBeUndefined();
    expect((await users.logIn('fred', 'fred!'))?.user).toEqual({ username: 'fred', permissions: ['read'] });
  });
});

describe('anonymous', () => {
  it('is nobody, a scope, or what a function says', async () => {
    expect(new Users({}).anonymous()).toBeUndefined();
    expect(new Users({ default: { permissions: ['read'] } }).anonymous()).toEqual(['read']);
    expect(await new Users({ default: async () => ({ permissions: 'read' }) }).anonymous()).toEqual(['read']);
    expect(await new Users({ default: async () => null }).anonymous()).toBeUndefined();
  });
});
