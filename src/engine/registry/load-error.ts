import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { NodeSet } from '../../modules/node-module.ts';

/**
 * Puts into one line why a set could not be loaded, for an administrator: what was missing by its name, the line
 * number where the set's own file is at fault, the code where the message does not say it.
 * @param modulePath Absolute path of the module; shown as the module's name.
 */
export function describeLoadError(error: unknown, set: NodeSet, modulePath: string): string {
  if (error instanceof AppError) return error.detail;
  if (!isObject(error)) return firstLine(String(error)) || 'The module failed without saying why';
  const name = typeof error['name'] === 'string' ? error['name'] : 'Error';
  const code = typeof error['code'] === 'string' ? error['code'] : undefined;
  const text = firstLine(typeof error['message'] === 'string' ? error['message'] : '');
  const stack = typeof error['stack'] === 'string' ? error['stack'] : '';

  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(text)?.[1];
  if (missing !== undefined) return `Cannot find module '${shorten(missing, set, modulePath)}'`;

  const said = shorten(text, set, modulePath) || code || 'failed without saying why';
  const line = lineIn(stack, set.file);
  return [
    name === 'Error' || said.startsWith(name) ? said : `${name}: ${said}`,
    code !== undefined && !said.includes(code) && !code.startsWith('ERR_') ? ` [${code}]` : '',
    line === undefined ? '' : ` (line ${line})`,
  ].join('');
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim();
}

/** Where the stack first mentions the file: `…/file.js:12:3`, or `…/file.js:12` above a syntax error. */
function lineIn(stack: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const at = stack.indexOf(`${file}:`);
  return at === -1 ? undefined : /^\d+/.exec(stack.slice(at + file.length + 1))?.[0];
}

function shorten(text: string, set: NodeSet, modulePath: string): string {
  return text.replaceAll(modulePath, set.module);
}
