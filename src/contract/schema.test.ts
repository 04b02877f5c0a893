import { Type as TypeBox } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Type } from './schema.ts';

/** The same schema, made by either. */
const made = (t: typeof Type) => ({
  plain: [t.Boolean(), t.Integer(), t.Null(), t.Number(), t.String(), t.Unknown()],
  described: [
    t.String({ description: 'x', minLength: 1 }),
    t.Integer({ minimum: 0 }),
    t.Unknown({ description: 'x' }),
    t.Null({ description: 'x' }),
  ],
  lists: [t.Array(t.String()), t.Array(t.Number(), { minItems: 3 })],
  choices: [
    t.Literal('a'),
    t.Literal(7),
    t.Literal(true),
    t.Enum(['a', 'b']),
    t.Union([t.Literal('a'), t.Number()], { $id: 'U' }),
  ],
  records: [t.Record(t.String(), t.Number()), t.Record(t.String(), t.Object({}), { description: 'x' })],
  objects: [
    t.Object({}),
    t.Object({ a: t.String(), b: t.Optional(t.Number()) }, { $id: 'O', additionalProperties: true }),
    t.Object({ a: t.Optional(t.Object({ b: t.String() })), c: t.Optional(t.Optional(t.Array(t.String()))) }),
    t.Object({ nested: t.Object({ a: t.Optional(t.String({ description: 'kept' })) }) }),
  ],
});

describe('Type', () => {
  it('makes the schemas that TypeBox makes', () => {
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    expect(plain(made(Type))).toEqual(plain(made(TypeBox)));
  });
});
