import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isObject } from '../contract/json.ts';
import { suggest } from '../settings/suggest.ts';
import { type CommandName, commands, type Flag, flags } from './flags.ts';
import { UsageError } from './usage-error.ts';

/** What `sluice` was asked to start with. */
export interface StartFlags {
  /** Absolute; where given. */
  readonly userDir?: string;
  /** Absolute path of the settings file, where given. */
  readonly settings?: string;
  /** Settings of the command line, by dotted name. */
  readonly overrides: { readonly [dottedName: string]: unknown };
  /** As given: its meaning depends on the current and the user directory. */
  readonly flowFile?: string;
  readonly title?: string;
}

/** What the command line asks for. */
export type Command =
  | { readonly is: 'help' }
  | { readonly is: 'version' }
  | { readonly is: 'start'; readonly flags: StartFlags }
  | { readonly is: 'init'; readonly userDir?: string; readonly port?: number }
  | { readonly is: 'hash-pw'; readonly algorithm: 'argon2id' | 'bcrypt' };

/**
 * Reads the arguments of `sluice`.
 * @throws UsageError for an unknown flag (with the likely one), a missing or a wrong value, too many arguments.
 */
export function parseCommandLine(args: readonly string[]): Command {
  // Its own strict mode gives up on the first oddity in words for programmers; the tokens are checked here instead.
  const { tokens } = parseArgs({
    args: [...args],
    options: flags,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Values = { define: [] };
  const positionals: string[] = [];
  const given: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'h') return { is: 'help' };
    const flag = checkedFlag(token.name, token.rawName, token.value, token.inlineValue);
    given.push(token.name);
    if (flag.type === 'boolean') values[token.name] = true;
    else if (flag.multiple) values.define.push(token.value ?? '');
    else values[token.name] = token.value;
  }
  if (values['help']) return { is: 'help' };
  if (values['version']) return { is: 'version' };
  const command = commands.find((name) => name === positionals[0]);
  if (command) positionals.shift();
  else refuseMistyped(positionals[0]);
  refuseMisplaced(command ?? 'start', given, positionals);
  switch (command) {
    case 'hash-pw':
      return { is: 'hash-pw', algorithm: values['bcrypt'] ? 'bcrypt' : 'argon2id' };
    case 'init':
      return { is: 'init', ...pathMember('userDir', values), ...portMember('port', values) };
    case 'start':
    case undefined:
      return { is: 'start', flags: startFlags(values, positionals[0]) };
    default:
      return command satisfies never;
  }
}

/** A word that is nearly a command, and no file that is there, is not the name of a flow file. */
function refuseMistyped(word: string | undefined): void {
  if (word === undefined || !/^[\w-]+$/.test(word) || existsSync(word)) return;
  const near = word === 'help' || word === 'version' ? `--${word}` : suggest(word, commands);
  if (near === undefined) return;
  throw new UsageError(
    `there is no command "${word}"; did you mean ${near}? A flow file of that name is given as ./${word}`,
  );
}

type Values = { define: string[]; [flag: string]: unknown };

function checkedFlag(name: string, rawName: string, value: string | undefined, inline?: boolean): Flag {
  const known: { readonly [name: string]: Flag } = flags;
  const flag = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!flag) {
    const near = suggest(name, Object.keys(flags));
    throw new UsageError(
      `unknown flag ${rawName}; ${near ? `did you mean --${near}?` : 'sluice --help lists the flags'}`,
    );
  }
  if (flag.type === 'boolean' && value !== undefined) throw new UsageError(`flag ${rawName} takes no value`);
  if (flag.type === 'string' && (value === undefined || value === '' || (!inline && /^-[^\d]/.test(value)))) {
    throw new UsageError(`flag ${rawName} needs a value: ${rawName} ${flag.value ?? ''}`);
  }
  return flag;
}

function refuseMisplaced(command: CommandName, given: readonly string[], rest: readonly string[]): void {
  const known: { readonly [name: string]: Flag } = flags;
  const misplaced = given.find((name) => !known[name]?.for.includes(command));
  if (misplaced !== undefined) throw new UsageError(`flag --${misplaced} is not for sluice ${command}`);
  const allowed = command === 'start' ? 1 : 0;
  if (rest.length > allowed) {
    throw new UsageError(
      `unexpected argument ${JSON.stringify(rest[allowed])}; sluice --help shows the usage`,
    );
  }
}

function startFlags(values: Values, flowFile: string | undefined): StartFlags {
  const { title } = values;
  return {
    ...pathMember('userDir', values),
    ...pathMember('settings', values),
    ...(flowFile === undefined ? {} : { flowFile }),
    ...(typeof title === 'string' ? { title } : {}),
    overrides: {
      ...Object.assign({}, ...values.define.map(parseDefinition)),
      ...portMember('uiPort', values),
      ...(values['safe'] ? { safeMode: true } : {}),
      ...(values['verbose'] ? { verbose: true } : {}),
    },
  };
}

/** `name=value`, the value JSON where it is JSON and text otherwise; or `@file`, a JSON object of such. */
function parseDefinition(text: string): { readonly [dottedName: string]: unknown } {
  if (text.startsWith('@')) return definitionsOf(text.slice(1));
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`flag -D needs name=value or @file, found ${JSON.stringify(text)}`);
  const value = text.slice(equals + 1);
  return { [text.slice(0, equals)]: jsonOrText(value) };
}

function definitionsOf(file: string): { readonly [dottedName: string]: unknown } {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `flag -D: ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (!isObject(content)) throw new UsageError(`flag -D: ${file} must hold a JSON object`);
  return content;
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function portMember<Name extends string>(name: Name, values: Values): { readonly [N in Name]?: number } {
  const { port } = values;
  if (typeof port !== 'string') return {};
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(
      `flag --port: found ${JSON.stringify(port)}, expected a whole number from 0 to 65535`,
    );
  }
  return { [name]: Number(port) } as { readonly [N in Name]?: number };
}

function pathMember<Name extends 'userDir' | 'settings'>(
  name: Name,
  values: Values,
): { readonly [N in Name]?: string } {
  const value = values[name];
  if (typeof value !== 'string') return {};
  // The shell leaves a ~ after an equals sign as it is.
  const path = value.startsWith('~/') ? join(homedir(), value.slice(2)) : resolve(value);
  return { [name]: path } as { readonly [N in Name]?: string };
}
