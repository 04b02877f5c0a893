import { isObject } from '../../contract/json.ts';
import { type Kind, mismatch, readAs, wrong } from './kind.ts';

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
