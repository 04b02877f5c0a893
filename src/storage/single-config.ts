import { isObject, type JsonObject } from '../contract/json.ts';

/** The one file that held all of them until Node-RED 1.2. */
export const singleConfigName = '.config.json';

/** What had a place of its own in it; everything else is `runtime`. */
const sections: ReadonlySet<string> = new Set(['nodes', 'users', 'projects', 'modules']);

/** What the file of all configuration says of one of its parts; undefined where that is nothing. */
export function sectionOf(single: unknown, name: string): unknown {
  if (!isObject(single)) return undefined;
  if (sections.has(name)) return single[name];
  return Object.fromEntries(
    Object.entries(single).filter(([key]) => !sections.has(key)),
  ) satisfies JsonObject;
}
