import type { PropertyAccess } from '../util/property-access.ts';

/** The values of one scope by their first name. */
export type ScopeValues = Record<string, unknown>;

/** What reading and writing by expression needs. */
export type Properties = Pick<PropertyAccess, 'getObjectProperty' | 'setObjectProperty'>;

/** The value at a path; undefined where anything on the way is missing. @throws `INVALID_EXPR`. */
export function valueAt(properties: Properties, values: unknown, key: string): unknown {
  try {
    return properties.getObjectProperty(values, key);
  } catch (error) {
    if (isInvalidExpression(error)) throw error;
    return undefined;
  }
}

/** Whether an error says that a key can't be parsed. */
export function isInvalidExpression(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'INVALID_EXPR';
}
