import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../contract/json.ts';

/** What a settings file exports: `module.exports`, the default export, or the JSON. */
export async function readSettingsFile(file: string): Promise<unknown> {
  if (extname(file) === '.json') return JSON.parse(await readFile(file, 'utf8'));
  const exported: unknown = await import(pathToFileURL(file).href);
  if (!isObject(exported)) return exported;
  return 'default' in exported ? exported['default'] : { ...exported };
}
