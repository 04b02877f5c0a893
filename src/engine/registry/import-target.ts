import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../contract/json.ts';

/**
 * Finds the file that an `import` of a package means, seen from a folder that is not our own. Where the package can be
 * required, that same file, so that `require` and `import` give one instance; else its `import` entry.
 * @param from Absolute path of a file in the folder to look from.
 * @throws Node's own error (`MODULE_NOT_FOUND`, …) where there is none.
 */
export function importTarget(specifier: string, from: string): string {
  try {
    return createRequire(from).resolve(specifier);
  } catch (error) {
    const entry = importEntry(specifier, from);
    if (entry === undefined) throw error;
    return entry;
  }
}

/** The entry for `import` alone in a package's `exports`, for packages that cannot be required. */
function importEntry(specifier: string, from: string): string | undefined {
  const file = findPackageJSON(specifier, pathToFileURL(from));
  if (file === undefined) return undefined;
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isObject(content) || typeof content['name'] !== 'string') return undefined;
  const target = chooseEntry(content['exports'], `.${specifier.slice(content['name'].length)}`);
  return target === undefined ? undefined : join(dirname(file), target);
}

/** Source: Node.js documentation, "Packages", conditional exports. Patterns are left out. */
function chooseEntry(exports: unknown, subpath: string): string | undefined {
  if (typeof exports === 'string') return subpath === '.' ? exports : undefined;
  if (Array.isArray(exports)) {
    for (const entry of exports) {
      const found = chooseEntry(entry, subpath);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(exports)) return undefined;
  const isPathMap = Object.keys(exports).some((key) => key.startsWith('.'));
  if (isPathMap) return chooseEntry(exports[subpath], '.');
  for (const [condition, entry] of Object.entries(exports)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const found = chooseEntry(entry, subpath);
    if (found !== undefined) return found;
  }
  return undefined;
}
