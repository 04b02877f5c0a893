import { inspect } from 'node:util';
import { AppError } from '../contract/errors.ts';
import { levelName, levelNumbers, type RecordLevel } from './levels.ts';
import type { LogRecord } from './record.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const colours: { readonly [L in RecordLevel]?: string } = {
  fatal: '\x1b[31m',
  error: '\x1b[31m',
  warn: '\x1b[33m',
  debug: '\x1b[36m',
  trace: '\x1b[90m',
};

/** Members that are in the tag, or that say nothing to a reader of the console. */
const notShown = new Set([
  'level',
  'msg',
  'timestamp',
  'id',
  'type',
  'name',
  'z',
  'path',
  '_alias',
  'err',
  'plane',
]);

/** How lines look. */
export interface TextStyle {
  readonly colours: boolean;
  /** Stacks are shown for every error, not only for unforeseen ones. */
  readonly verbose: boolean;
}

/**
 * The line for the console: `21 Nov 02:48:27 - [info] [type:name] text`, as tools that read such logs expect. Ends
 * without a line break. A message of several lines stays one.
 */
export function textLine(record: LogRecord, style: TextStyle): string {
  const level = levelName(record.level);
  const line = `${time(record.timestamp)} - [${level}] ${tag(record)}${body(record, level, style)}`;
  const colour = style.colours ? colours[level] : undefined;
  return colour === undefined ? line : `${colour}${line}\x1b[39m`;
}

function time(timestamp: number): string {
  const at = new Date(timestamp);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((n) => String(n).padStart(2, '0'))
    .join(':');
  return `${at.getDate()} ${months[at.getMonth()]} ${clock}`;
}

function tag(record: LogRecord): string {
  return typeof record['type'] === 'string' ? `[${record['type']}:${record['name'] || record['id']}] ` : '';
}

function body(record: LogRecord, level: RecordLevel, style: TextStyle): string {
  if (level === 'audit' || level === 'metric') return json(record);
  const { msg } = record;
  if (msg instanceof Error) return style.verbose && msg.stack ? msg.stack : String(msg);
  return `${words(msg)}${errorPart(record, style)}${members(record)}`;
}

/** A message that is an object shows its own text, or its `message`, or its members. */
function words(msg: unknown): string {
  if (typeof msg !== 'object' || msg === null) return String(msg);
  try {
    const own = String(msg);
    if (own !== '[object Object]') return own;
    const inner = (msg as { readonly message?: unknown }).message;
    return inner ? String(inner) : inspect(msg, { breakLength: Number.POSITIVE_INFINITY });
  } catch {
    return inspect(msg);
  }
}

/** `: <message>` of the error that came along, with its stack where nobody foresaw it. */
function errorPart(record: LogRecord, style: TextStyle): string {
  const { err } = record;
  if (err === undefined) return '';
  if (!(err instanceof Error)) return `: ${words(err)}`;
  const unforeseen = record.level <= levelNumbers.error && !(err instanceof AppError);
  if ((style.verbose || unforeseen) && err.stack) return `\n${err.stack}`;
  return words(record.msg).includes(err.message) ? '' : `: ${err.message}`;
}

function members(record: LogRecord): string {
  const shown = Object.entries(record).filter(([name, value]) => !notShown.has(name) && value !== undefined);
  return shown.map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : json(value)}`).join('');
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
}
