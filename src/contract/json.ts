/** A value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object whose members are read one by one. */
export type JsonObject = { readonly [key: string]: unknown };

/** A name that must never be mixed up with another string; the brand exists only for the compiler. */
export type Branded<T, Name extends string> = T & { readonly __brand: Name };

/** Whether a value is an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
