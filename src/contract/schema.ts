/**
 * Makes JSON schemas, with the names and the types of TypeBox.
 * @remarks The types are TypeBox's own, so handlers are typed by their schemas; the schemas are made here, since TypeBox
 * itself has sixteen hundred files, whose loading would be a third of what the start takes.
 */
import type * as typebox from 'typebox';

export type { Static, TSchema } from 'typebox';

/** The builders that are used here. Add others as they are needed; `schema.test.ts` compares them with TypeBox's. */
type Builders = Pick<
  typeof typebox.Type,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
>;
type Schema = { readonly [keyword: string]: unknown };

/** Marks a schema as that of a property that may be absent; not part of the schema's JSON. */
const optional = Symbol('optional');

const plain =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

const builders = {
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Enum: (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Integer: plain('integer'),
  Literal: (value: unknown, options: Schema = {}): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: plain('null'),
  Number: plain('number'),
  Object: (properties: { readonly [name: string]: Schema }, options: Schema = {}): Schema => {
    const required = Object.keys(properties).filter((name) => !(optional in Object(properties[name])));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional: (schema: Schema): Schema =>
    Object.defineProperty({ ...schema }, optional, { value: true, enumerable: false }),
  Record: (_key: Schema, value: Schema, options: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Unknown: (options: Schema = {}): Schema => ({ ...options }),
};

/** Builders of schemas: `Type.Object({ name: Type.String() })`. */
export const Type = builders as unknown as Builders;
