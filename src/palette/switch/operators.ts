/** Where a message stands in its sequence. */
export interface Parts {
  id?: unknown;
  index?: number;
  count?: number;
}

/** Whether a value passes a rule: the value, the rule's first and second value, whether case matters not, the parts. */
export type Operator = (
  value: unknown,
  first: unknown,
  second: unknown,
  ignoreCase: unknown,
  parts: Parts | undefined,
) => unknown;

// Values of messages are compared as JavaScript compares them, whatever they are.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Comparable = any;

/** The operators by the names under which rules are stored. */
export const operators: { readonly [name: string]: Operator } = {
  // biome-ignore-start lint/suspicious/noDoubleEquals: flows rely on `"1" == 1`
  eq: (value, first) => value == first,
  neq: (value, first) => value != first,
  // biome-ignore-end lint/suspicious/noDoubleEquals: flows rely on `"1" == 1`
  lt: (value: Comparable, first: Comparable) => value < first,
  lte: (value: Comparable, first: Comparable) => value <= first,
  gt: (value: Comparable, first: Comparable) => value > first,
  gte: (value: Comparable, first: Comparable) => value >= first,
  btwn: (value: Comparable, first: Comparable, second: Comparable) =>
    (value >= first && value <= second) || (value <= first && value >= second),
  cont: (value, first) => asText(value).indexOf(first as string) !== -1,
  true: (value) => value === true,
  false: (value) => value === false,
  null: (value) => value === undefined || value === null,
  nnull: (value) => value !== undefined && value !== null,
  empty: (value) => sizeOf(value) === 0,
  nempty: (value) => (sizeOf(value) ?? 0) !== 0,
  istype: isOfType,
  head: (_value, first, _second, _case, parts) => indexOf(parts) < Number(first),
  tail: (_value, first, _second, _case, parts) => countOf(parts) - Number(first) <= indexOf(parts),
  index: (_value, first, second, _case, parts) =>
    Number(first) <= indexOf(parts) && indexOf(parts) <= Number(second),
  hask: (value, first) =>
    value !== undefined && value !== null && typeof first !== 'object' && Object.hasOwn(value, `${first}`),
  jsonata_exp: (_value, first) => first === true,
  else: (value) => value === true,
};

/**
 * A `regex` operator that keeps its pattern while it stays the same.
 * @throws SyntaxError when it is applied
 */
export function matching(): Operator {
  let text: unknown;
  let made: RegExp | undefined;
  return (value, first, _second, ignoreCase) => {
    if (made === undefined || text !== first) {
      made = pattern(first, ignoreCase);
      text = first;
    }
    return made.test(asText(value));
  };
}

function pattern(text: unknown, ignoreCase: unknown): RegExp {
  return new RegExp(text as string, ignoreCase ? 'i' : '');
}

/** Concatenation, not a template: an object's `valueOf` counts. */
function asText(value: Comparable): string {
  // biome-ignore lint/style/useTemplate: see above
  return value + '';
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value) || Buffer.isBuffer(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'buffer':
      return Buffer.isBuffer(value);
    case 'json':
      try {
        JSON.parse(value as string);
        return true;
      } catch {
        return false;
      }
    case 'null':
      return value === null;
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    default:
      return typeof value === type && !Array.isArray(value) && !Buffer.isBuffer(value) && value !== null;
  }
}

/** @throws TypeError where the message is of no sequence. */
function indexOf(parts: Parts | undefined): number {
  return (parts as Required<Parts>).index;
}

function countOf(parts: Parts | undefined): number {
  return (parts as Required<Parts>).count;
}
