import { className, isError, markError, markMap, markSet, NestedEncoder } from './encode-nested.ts';

/** A record whose `msg` is encoded in place; `format` says what it was. */
export interface EncodableRecord {
  msg?: unknown;
  format?: string;
  [member: string]: unknown;
}

/** How {@link encodeObject} encodes. */
export interface EncodeOptions {
  /** The longest string, list or Buffer (in hexadecimal digits) that is shown whole; 1000 by default. */
  readonly maxLength?: number;
}

/**
 * Replaces a record's `msg` by text that the editor's debug and context panels show, and says in `format` what it was.
 * @remarks Never throws: a value that can't be shown becomes a marked error. The value itself is left as it is.
 * @returns the record given.
 */
export function encodeObject(record: EncodableRecord, options?: EncodeOptions): EncodableRecord {
  try {
    const { format, msg } = encode(record.msg, limitOf(options));
    record.format = format;
    record.msg = msg;
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const data = { name, message: `encodeObject Error: ${message}`, stack };
    record.format = 'error';
    record.msg = JSON.stringify({ __enc__: true, type: 'error', data });
  }
  return record;
}

function limitOf(options: EncodeOptions | undefined): number {
  if (!options || !Object.hasOwn(options, 'maxLength')) return 1000;
  const limit = Number(options.maxLength);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

type Encoded = { readonly format: string; readonly msg: unknown };

function encode(value: unknown, limit: number): Encoded {
  if (isError(value)) return { format: 'error', msg: JSON.stringify(markError(value)) };
  switch (typeof value) {
    case 'function':
      return { format: 'function', msg: '[function]' };
    case 'boolean':
    case 'number':
      return { format: typeof value, msg: `${value}` };
    case 'bigint':
      return { format: 'bigint', msg: { __enc__: true, type: 'bigint', data: `${value}` } };
    case 'undefined':
      return { format: 'undefined', msg: '(undefined)' };
    case 'object':
      if (value === null) return { format: 'null', msg: '(undefined)' };
      return Buffer.isBuffer(value) ? encodeBuffer(value, limit) : encodeClass(value, limit);
    case 'string': {
      const msg = value.length > limit ? `${value.substring(0, limit)}...` : value;
      return { format: `string[${value.length}]`, msg };
    }
    case 'symbol':
      return { format: 'string[undefined]', msg: value };
  }
}

function encodeBuffer(value: Buffer, limit: number): Encoded {
  const shown = value.subarray(0, Math.ceil(limit / 2)).toString('hex');
  return { format: `buffer[${value.length}]`, msg: shown.length > limit ? shown.substring(0, limit) : shown };
}

function encodeClass(value: object, limit: number): Encoded {
  const json = (shown: unknown): string => new NestedEncoder(limit).stringify(shown);
  const name = className(value);
  if (/error/i.test(name)) {
    const { name, message } = value as Error;
    return { format: className(value), msg: JSON.stringify({ name, message }) };
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as unknown as unknown[];
    const type = Array.isArray(value) ? 'array' : name;
    const long = list.length > limit;
    const shown = long ? { __enc__: true, type, data: list.slice(0, limit), length: list.length } : value;
    return { format: `${type}[${list.length}]`, msg: json(shown) };
  }
  switch (name) {
    case 'Set': {
      const set = value as Set<unknown>;
      return { format: `set[${set.size}]`, msg: json(markSet(set, limit)) };
    }
    case 'Map':
      return { format: 'map', msg: json(markMap(value as Map<PropertyKey, unknown>, limit)) };
    case 'RegExp':
      return { format: 'regexp', msg: value.toString() };
    case '':
    case undefined:
    case 'Object':
    // A request and its response are shown as the objects that they are.
    case 'IncomingMessage':
    case 'ServerResponse':
      return { format: 'Object', msg: json(value) };
    default:
      return { format: name, msg: textOf(value) };
  }
}

function textOf(value: object): unknown {
  try {
    return value.toString();
  } catch (error) {
    const { stack } = error as Error;
    const data = { message: '[Type not serializable]', stack };
    return JSON.stringify({ __enc__: true, type: 'error', data });
  }
}
