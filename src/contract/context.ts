import { Type } from './schema.ts';

/** Which store is meant, and how much is shown. */
export const ContextQuery = Type.Object({
  store: Type.Optional(Type.String({ description: 'Name of a context store; the default one where absent' })),
  keysOnly: Type.Optional(Type.String({ description: 'Present: names and kinds instead of values' })),
});

/** One value (`msg`, `format`), or values by store and key. */
export const ContextBody = Type.Object({}, { additionalProperties: true });
