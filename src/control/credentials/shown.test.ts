import { describe, expect, it } from 'vitest';
import { shownCredentials } from './routes.ts';

const fields = { user: { type: 'text' }, password: { type: 'password' } } as const;

describe('shownCredentials', () => {
  it.each([
    [
      { user: 'fred', password: 'secret' },
      { user: 'fred', has_password: true },
    ],
    [
      { user: 'fred', password: '' },
      { user: 'fred', has_password: false },
    ],
    [{}, { user: '', has_password: false }],
    [{ other: 'secret' }, { user: '', has_password: false }],
  ])('of declared fields shows texts, and which passwords are set: %j', (stored, shown) => {
    expect(shownCredentials('mqtt-broker', stored, fields)).toEqual(shown);
  });

  it.each(['tab', 'group', 'subflow', 'subflow:abc'])('of %s shows which are set', (type) => {
    expect(shownCredentials(type, { a: 'secret', b: '' }, undefined)).toEqual({ has_a: true, has_b: false });
  });

  it.each(['inject', 'global-config', 'subflowish', 'tabular', '__proto__'])(
    'of %s shows nothing',
    (type) => {
      expect(shownCredentials(type, { map: { A: 'secret' }, a: 'secret' }, undefined)).toEqual({});
    },
  );

  it('of global-config shows nothing whatever it declares', () => {
    expect(shownCredentials('global-config', { map: { A: 'secret' } }, { map: { type: 'text' } })).toEqual(
      {},
    );
  });
});
