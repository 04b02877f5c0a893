import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject } from '../contract/json.ts';
import { JsonSyntaxError, parseJson } from '../storage/json-syntax.ts';
import { SettingsError } from './settings-error.ts';

/** The names that are looked for in the user directory, in this order. */
export const settingsFileNames = [
  'settings.js',
  'settings.cjs',
  'settings.mjs',
  'settings.ts',
  'settings.json',
];

/**
 * What a settings file exports: `module.exports`, the default export, named exports, or the JSON. Node.js decides
 * whether a `.js` or `.ts` file is CommonJS or an ES module: by its syntax, or by `type` of the nearest package.json.
 * @throws SettingsError of one line that names the file and, where they can be known, the line and the column.
 */
export async function readSettingsFile(file: string): Promise<unknown> {
  if (extname(file) === '.json') return readJson(file);
  try {
    const exported: unknown = await import(pathToFileURL(file).href);
    if (!isObject(exported)) return exported;
    const main = exported['default'];
    // TypeScript compiled to CommonJS keeps its default export one level deeper.
    if (isObject(main) && main['__esModule'] === true && 'default' in main) return main['default'];
    return 'default' in exported ? main : { ...exported };
  } catch (error) {
    throw await failure(file, error);
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return parseJson(await readFile(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw await failure(file, error);
    const words = error.message.replace(/^line .*?: /, '');
    throw settingsError(file, { line: error.line, column: error.column }, words, error);
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

async function failure(file: string, error: unknown): Promise<SettingsError> {
  const code = isObject(error) ? error['code'] : undefined;
  const missing = code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND';
  if (missing && !(await exists(file))) return settingsError(file, undefined, 'there is no such file', error);
  if (error instanceof SyntaxError) {
    const place = placeInHead(file, error.stack ?? '') ?? placeInHead(file, await syntaxCheck(file));
    return settingsError(file, place, error.message, error);
  }
  if (error instanceof Error)
    return settingsError(file, placeInFrames(file, error.stack ?? ''), error.message, error);
  return settingsError(file, undefined, `it threw ${String(error)}`, error);
}

function settingsError(file: string, place: Place | undefined, words: string, cause: unknown): SettingsError {
  const at = place === undefined ? '' : `:${place.line}:${place.column}`;
  const [firstLine] = words.split('\n');
  return new SettingsError(`settings file ${file}${at}: ${firstLine}`, { file, cause });
}

/** Of a syntax error Node.js prints `file:line`, the line of code, and a caret below the place. */
function placeInHead(file: string, printed: string): Place | undefined {
  const lines = printed.split('\n');
  const head = lines.findIndex((line) => asPath(line.replace(/:\d+$/, '')) === file && /:\d+$/.test(line));
  const line = /:(\d+)$/.exec(lines[head] ?? '');
  if (!line) return undefined;
  const caret = lines.slice(head + 1).find((text) => /^\s*\^/.test(text));
  return { line: Number(line[1]), column: (caret?.indexOf('^') ?? 0) + 1 };
}

/** An error thrown while the file runs: the topmost frame in it. */
function placeInFrames(file: string, stack: string): Place | undefined {
  for (const frame of stack.split('\n')) {
    const match = /(?:\(|at )([^()]+):(\d+):(\d+)\)?$/.exec(frame.trim());
    if (match?.[1] && asPath(match[1].replace(/^(?:async )/, '')) === file) {
      return { line: Number(match[2]), column: Number(match[3]) };
    }
  }
  return undefined;
}

function asPath(pathOrUrl: string): string {
  return pathOrUrl.startsWith('file:') ? fileURLToPath(pathOrUrl) : pathOrUrl;
}

/** An ES module's syntax error comes without its place; `node --check` prints it. Only ever run on failure. */
function syntaxCheck(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], (_error, _stdout, stderr) => resolve(stderr));
  });
}

async function exists(file: string): Promise<boolean> {
  try {
    await readFile(file);
    return true;
  } catch (error) {
    return isObject(error) && error['code'] !== 'ENOENT';
  }
}
