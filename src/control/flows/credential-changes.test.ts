import { describe, expect, it } from 'vitest';
import type { FlowItem, NodeCredentials } from '../../contract/flows.ts';
import { type CredentialTypes, changedIds, takeCredentials } from './credential-changes.ts';

const types: CredentialTypes = {
  credentialFields: (type) =>
    type === 'mqtt-broker' || type === 'http-request'
      ? { user: { type: 'text' }, password: { type: 'password' } }
      : undefined,
  isRegistered: (type) => ['mqtt-broker', 'http request', 'inject'].includes(type),
};

/** Deploys one node with stored credentials and gives what is stored then. */
function apply(
  type: string,
  stored: NodeCredentials | undefined,
  brought: unknown,
): NodeCredentials | undefined {
  const item = {
    id: 'n',
    type,
    name: 'kept',
    ...(brought === undefined ? {} : { credentials: brought }),
  } as FlowItem;
  const before = new Map(stored === undefined ? [] : [['n', stored] as const]);
  const taken = takeCredentials([item], before, types);
  expect(taken.flows).toEqual([{ id: 'n', type, name: 'kept' }]);
  expect(taken.carried).toEqual(brought === undefined || brought === null ? [] : ['n']);
  return taken.credentials.get('n');
}

describe('takeCredentials', () => {
  const stored = { user: 'fred', password: 'secret' };

  it.each([
    ['keeps what is not brought', undefined, stored],
    ['keeps fields that are absent', { user: 'jane' }, { user: 'jane', password: 'secret' }],
    [
      'keeps a password behind the placeholder',
      { user: 'jane', password: '__PWRD__' },
      { user: 'jane', password: 'secret' },
    ],
    [
      'takes the placeholder for text in a text field',
      { user: '__PWRD__' },
      { user: '__PWRD__', password: 'secret' },
    ],
    ['deletes what is blank', { user: ' \t', password: '' }, {}],
    ['ignores fields that are not declared', { other: 'x' }, stored],
    ['ignores credentials that are null', null, stored],
  ])('of a type that declares fields: %s', (_, brought, expected) => {
    expect(apply('mqtt-broker', stored, brought)).toEqual(expected);
  });

  it('finds the declaration of a type with blanks under its dashed name', () => {
    expect(apply('http request', undefined, { user: 'fred', other: 'x' })).toEqual({ user: 'fred' });
  });

  it('ignores those of a registered type that declares none, and says so', () => {
    const item = { id: 'n', type: 'inject', credentials: { a: 'b' } };
    expect(takeCredentials([item], new Map(), types)).toMatchObject({
      undeclared: ['inject'],
      carried: ['n'],
    });
    expect(apply('inject', { old: 'x' }, { a: 'b' })).toEqual({ old: 'x' });
  });

  it.each(['tab', 'group', 'a-type-that-is-not-there'])(
    'of %s: takes any names, deletes blank ones only',
    (type) => {
      expect(apply(type, { a: '1', b: '2', c: '3' }, { a: '__PWRD__', b: '', d: '4' })).toEqual({
        a: '1',
        c: '3',
        d: '4',
      });
    },
  );

  it.each(['subflow', 'subflow:sf1'])('of %s: takes any names, deletes absent ones too', (type) => {
    expect(apply(type, { a: '1', b: '2', c: '3' }, { a: '__PWRD__', b: '', d: '4' })).toEqual({
      a: '1',
      d: '4',
    });
  });

  it('of global-config: keeps a map with marks', () => {
    expect(apply('global-config', undefined, { map: { A: 'x', has_A: true } })).toEqual({
      map: { A: 'x', has_A: true },
    });
    const before = { map: { A: 'x', has_A: true, B: 'y', has_B: true } };
    expect(
      apply('global-config', before, { map: { A: '__PWRD__', has_A: true, C: 'z', has_C: true } }),
    ).toEqual({
      map: { A: 'x', has_A: true, C: 'z', has_C: true },
    });
    expect(apply('global-config', before, { map: { B: 'new', has_B: true } })).toEqual({
      map: { B: 'new', has_B: true },
    });
  });

  it('drops those of nodes that are gone, and is not led astray by odd ids', () => {
    const before = new Map([
      ['gone', { a: 1 }],
      ['__proto__', { a: 2 }],
      ['constructor', { a: 3 }],
    ]);
    const items = [
      { id: '__proto__', type: 'tab' },
      { id: 'toString', type: 'tab', credentials: { a: 'b' } },
    ] as FlowItem[];
    expect([...takeCredentials(items, before, types).credentials]).toEqual([
      ['__proto__', { a: 2 }],
      ['toString', { a: 'b' }],
    ]);
  });
});

describe('changedIds', () => {
  it('names ids that came, went or differ', () => {
    const before = new Map([
      ['same', { a: 1 }],
      ['went', {}],
      ['differs', { a: 1 }],
    ]);
    const now = new Map([
      ['same', { a: 1 }],
      ['differs', { a: 2 }],
      ['came', {}],
    ]);
    expect(changedIds(before, now)).toEqual(['went', 'differs', 'came']);
  });
});
