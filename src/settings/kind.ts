/**
 * Kinds of values that a setting can have: each knows how to read a value and how to name what it expects.
 * @remarks Written by hand and not as JSON schemas, because settings hold functions, buffers and spellings of the same
 * thing ("5mb" and 5242880), and because each wrong value must be reported in words for an administrator.
 */
import { isObject } from '../contract/json.ts';

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

/** A setting that may be absent. */
export function optional<T>(kind: Kind<T>, description: string): OptionalField<T> {
  return { kind, description };
}

/** A setting that must be there. */
export function required<T>(kind: Kind<T>, description: string): RequiredField<T> {
  return { kind, description, required: true };
}

/** A setting with a default. */
export function defaulted<T>(kind: Kind<T>, fallback: T, description: string): DefaultedField<T> {
  return { kind, description, fallback };
}

/** Settings under one name; absent ones get their defaults. Members that are not described are kept as they are. */
export function group<F extends Fields>(fields: F, description: string): DefaultedField<ReadAs<F>> {
  const kind = objectOf(fields);
  const empty = kind.read({}, '');
  if (empty.is === 'wrong') throw new TypeError('every member of a group is optional or has a default');
  return { kind, description, fallback: empty.value };
}

/** An object with described members; others are kept as they are. */
export function objectOf<F extends Fields>(fields: F): Kind<ReadAs<F>> {
  return {
    expected: 'an object',
    fields,
    read(value, path) {
      if (!isObject(value)) return wrong(path, value, this.expected);
      const read: Record<string, unknown> = { ...value };
      const problems: Problem[] = [];
      for (const [name, field] of Object.entries(fields)) {
        const member = readField(field, value[name], path === '' ? name : `${path}.${name}`);
        if (member.is === 'wrong') problems.push(...member.problems);
        else if (member.value === undefined) delete read[name];
        else read[name] = member.value;
      }
      // The mapped type follows from the fields just read; the compiler cannot see through the loop.
      return problems.length > 0 ? { is: 'wrong', problems } : readAs(read as ReadAs<F>);
    },
  };
}

function readField(field: Field, value: unknown, path: string): Reading<unknown> {
  if (value === undefined || value === null) {
    if ('required' in field) return mismatch(path, 'nothing', field.kind.expected);
    return readAs('fallback' in field ? field.fallback : undefined);
  }
  return field.kind.read(value, path);
}

/** Text. */
export const text: Kind<string> = {
  expected: 'a string',
  read: (value, path) => (typeof value === 'string' ? readAs(value) : wrong(path, value, 'a string')),
};

/** Text that must never be shown, not even where it is wrong. */
export const secret: Kind<string> = {
  expected: 'a string',
  read: (value, path) =>
    typeof value === 'string' ? readAs(value) : mismatch(path, `a ${typeof value}`, 'a string'),
};

/** `true` or `false`; the same words as text are taken too, since environment variables carry text. */
export const flag: Kind<boolean> = {
  expected: 'true or false',
  read(value, path) {
    if (value === true || value === 'true') return readAs(true);
    if (value === false || value === 'false') return readAs(false);
    return wrong(path, value, this.expected);
  },
};

/** A whole number within limits; digits as text are taken too. */
export function integer(
  limits: { readonly min?: number; readonly max?: number; readonly unit?: string } = {},
): Kind<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = limits;
  return numeric(Number.isInteger, min, max, `a whole number${unitOf(limits.unit)}${rangeOf(min, max)}`);
}

/** A number, fractions included. */
export function number(
  limits: { readonly min?: number; readonly max?: number; readonly unit?: string } = {},
): Kind<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = limits;
  return numeric(Number.isFinite, min, max, `a number${unitOf(limits.unit)}${rangeOf(min, max)}`);
}

function numeric(fits: (n: number) => boolean, min: number, max: number, expected: string): Kind<number> {
  return {
    expected,
    read(value, path) {
      const asNumber = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof asNumber !== 'number' || !fits(asNumber) || asNumber < min || asNumber > max)
        return wrong(path, value, expected);
      return readAs(asNumber);
    },
  };
}

function unitOf(unit: string | undefined): string {
  return unit === undefined ? '' : ` of ${unit}`;
}

function rangeOf(min: number, max: number): string {
  if (max !== Number.MAX_SAFE_INTEGER) return ` from ${min} to ${max}`;
  return min === 0 ? '' : `, at least ${min}`;
}

const byteUnits: { readonly [unit: string]: number } = {
  b: 1,
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  tb: 2 ** 40,
};

/** A size: a number of bytes, or text such as `"5mb"`. Read as a number of bytes. */
export const bytes: Kind<number> = {
  expected: 'a number of bytes, or text such as "5mb"',
  read(value, path) {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return readAs(Math.floor(value));
    const match =
      typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|tb)?\s*$/i.exec(value) : null;
    if (!match) return wrong(path, value, this.expected);
    return readAs(Math.floor(Number(match[1]) * (byteUnits[(match[2] ?? 'b').toLowerCase()] ?? 1)));
  },
};

/** One of a closed list of words. */
export function oneOf<const W extends readonly string[]>(words: W): Kind<W[number]> {
  const expected = words.map((word) => JSON.stringify(word)).join(' or ');
  return {
    expected,
    read: (value, path) =>
      typeof value === 'string' && words.includes(value)
        ? readAs(value as W[number])
        : wrong(path, value, expected),
  };
}

/** A function of the settings file. Its parameters are between the file's author and the caller. */
export function func<F extends (...args: never[]) => unknown>(): Kind<F> {
  return {
    expected: 'a function',
    read: (value, path) =>
      typeof value === 'function' ? readAs(value as F) : wrong(path, value, 'a function'),
  };
}

/** An array of values of one kind. */
export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  const expected = `an array, each item ${kind.expected}`;
  return {
    expected,
    read(value, path) {
      if (!Array.isArray(value)) return wrong(path, value, expected);
      const items = value.map((item, index) => kind.read(item, `${path}[${index}]`));
      const problems = items.flatMap((item) => (item.is === 'wrong' ? item.problems : []));
      if (problems.length > 0) return { is: 'wrong', problems };
      return readAs(items.flatMap((item) => (item.is === 'read' ? [item.value] : [])));
    },
  };
}

/** One value or an array of them; read as an array. */
export function oneOrMore<T>(kind: Kind<T>): Kind<readonly T[]> {
  const list = listOf(kind);
  const one = mapped(kind, (value): readonly T[] => [value]);
  return {
    expected: `${kind.expected}, or an array of them`,
    read: (value, path) => (Array.isArray(value) ? list : one).read(value, path),
  };
}

/** An object with free names and values of one kind. */
export function recordOf<T>(kind: Kind<T>): Kind<{ readonly [name: string]: T }> {
  const expected = `an object, each value ${kind.expected}`;
  return {
    expected,
    read(value, path) {
      if (!isObject(value)) return wrong(path, value, expected);
      const read: Record<string, T> = {};
      const problems: Problem[] = [];
      for (const [name, member] of Object.entries(value)) {
        const reading = kind.read(member, `${path}.${name}`);
        if (reading.is === 'wrong') problems.push(...reading.problems);
        else read[name] = reading.value;
      }
      return problems.length > 0 ? { is: 'wrong', problems } : readAs(read);
    },
  };
}

/** The first of two kinds that fits. Where neither does, the kind that came closer (to a member) names the problem. */
export function either<A, B>(first: Kind<A>, second: Kind<B>): Kind<A | B> {
  const expected = `${first.expected}, or ${second.expected}`;
  return {
    expected,
    ...(first.fields ? { fields: first.fields } : {}),
    read(value, path) {
      const one = first.read(value, path);
      if (one.is === 'read' || isAboutMember(one.problems, path)) return one;
      const other = second.read(value, path);
      if (other.is === 'read' || isAboutMember(other.problems, path)) return other;
      return { is: 'wrong', problems: one.problems.map((problem) => ({ ...problem, expected })) };
    },
  };
}

/** The kind, or `false` (also the empty text), which switches it off and reads as absent. */
export function orOff<T>(kind: Kind<T>): Kind<T | undefined> {
  const expected = `${kind.expected}, or false`;
  return {
    expected,
    ...(kind.fields ? { fields: kind.fields } : {}),
    read(value, path) {
      if (value === false || value === '') return readAs(undefined);
      const reading = kind.read(value, path);
      if (reading.is === 'read' || isAboutMember(reading.problems, path)) return reading;
      return { is: 'wrong', problems: reading.problems.map((problem) => ({ ...problem, expected })) };
    },
  };
}

function isAboutMember(problems: readonly Problem[], path: string): boolean {
  return problems.some((problem) => problem.setting !== path);
}

/** Exactly `false`. */
export const off: Kind<false> = {
  expected: 'false',
  read: (value, path) => (value === false || value === 'false' ? readAs(false) : wrong(path, value, 'false')),
};

/** An object that is handed on untouched. */
export const plainObject: Kind<{ readonly [name: string]: unknown }> = {
  expected: 'an object',
  read: (value, path) => (isObject(value) ? readAs(value) : wrong(path, value, 'an object')),
};

/** Whatever it is; handed on untouched. */
export const anything: Kind<unknown> = { expected: 'any value', read: (value) => readAs(value) };

/** A kind made of another by a pure function. */
export function mapped<A, B>(kind: Kind<A>, map: (value: A) => B): Kind<B> {
  return {
    expected: kind.expected,
    ...(kind.fields ? { fields: kind.fields } : {}),
    read(value, path) {
      const reading = kind.read(value, path);
      return reading.is === 'read' ? readAs(map(reading.value)) : reading;
    },
  };
}

function readAs<T>(value: T): Reading<T> {
  return { is: 'read', value };
}

function wrong(setting: string, found: unknown, expected: string): Reading<never> {
  return mismatch(setting, inWords(found), expected);
}

function mismatch(setting: string, found: string, expected: string): Reading<never> {
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
