/** One wrong value: where, what was found, what would do. */
export interface Problem {
  /** Dotted name of the setting, such as `externalModules.palette.allowList[0]`. */
  readonly setting: string;
  readonly found: string;
  readonly expected: string;
}

/** What became of reading a value. */
export type Reading<T> =
  | { readonly is: 'read'; readonly value: T }
  | { readonly is: 'wrong'; readonly problems: readonly Problem[] };

/** A kind of value. `read` gives the normalised value; it never changes the one it was given. */
export interface Kind<T> {
  /** Completes "expected …". */
  readonly expected: string;
  read(value: unknown, path: string): Reading<T>;
  /** Members with descriptions of their own, for the reference page. */
  readonly fields?: Fields;
}

/** A setting with a default: always present after reading. */
export interface DefaultedField<T> {
  readonly kind: Kind<T>;
  readonly description: string;
  readonly fallback: T;
}
/** A setting that may be absent. */
export interface OptionalField<T> {
  readonly kind: Kind<T>;
  readonly description: string;
}
/** A setting that must be there. */
export interface RequiredField<T> extends OptionalField<T> {
  readonly required: true;
}
/** A setting: how it is read, and what it is for. */
export type Field = DefaultedField<unknown> | OptionalField<unknown> | RequiredField<unknown>;
/** Settings by name. */
export type Fields = { readonly [name: string]: Field };

type ValueOf<F> = F extends { readonly kind: Kind<infer T> } ? T : never;

type AlwaysThere = { readonly fallback: unknown } | { readonly required: true };

/** The type that {@link Fields} are read as: required members and those with a default are always there. */
export type ReadAs<F extends Fields> = {
  readonly [K in keyof F as F[K] extends AlwaysThere ? K : never]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends AlwaysThere ? never : K]?: Exclude<ValueOf<F[K]>, undefined>;
};

/** The value that was read. */
export function readAs<T>(value: T): Reading<T> {
  return { is: 'read', value };
}

/** One problem, the value shown in words. */
export function wrong(setting: string, found: unknown, expected: string): Reading<never> {
  return mismatch(setting, inWords(found), expected);
}

/** One problem, in words of the caller's. */
export function mismatch(setting: string, found: string, expected: string): Reading<never> {
  return { is: 'wrong', problems: [{ setting, found, expected }] };
}

/** A value in words that fit in a line; never the text of a function, nor a long one. */
function inWords(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string')
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 57))}…` : JSON.stringify(value);
  return String(value);
}

/** Whether the problem lies deeper than the value itself: then its kind was the right one. */
export function isAboutMember(problems: readonly Problem[], path: string): boolean {
  return problems.some((problem) => problem.setting !== path);
}
