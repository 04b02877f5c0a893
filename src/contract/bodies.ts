import { Type } from './schema.ts';

/** The body of every error of the admin API but those of the token endpoint. */
export const ErrorBody = Type.Object({
  code: Type.String({ description: 'A stable word; see docs/errors.md' }),
  message: Type.String({ description: 'Words for a person' }),
});

/** For the API document: an answer that has no body. */
export const noBody = (description: string) => Type.Null({ description });
