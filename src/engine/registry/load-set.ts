import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../contract/json.ts';

/**
 * Runs a set's code: loads the file and, where it gives a function, calls it with `RED` and waits for its promise.
 * CommonJS by `require`, so that other code that requires the module gets the same instance; ES modules by `import`.
 * @throws Whatever the code throws or rejects with.
 */
export async function loadSet(file: string, red: unknown): Promise<void> {
  const exported = moduleFunction(await loadFile(file));
  if (typeof exported === 'function') await exported(red);
}

/** Loads a file as what its name and the nearest `package.json` say it is. */
async function loadFile(file: string): Promise<unknown> {
  if (isEsModule(file)) return import(pathToFileURL(file).href);
  try {
    return createRequire(file)(file);
  } catch (error) {
    // ES syntax without the package saying so; `require` itself copes with it unless the code awaits at its top level.
    const code = isObject(error) ? error['code'] : undefined;
    if (code !== 'ERR_REQUIRE_ESM' && code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
    return import(pathToFileURL(file).href);
  }
}

/** What a module exports: `module.exports`, `export default`, or what a transpiler made of the latter. */
function moduleFunction(exported: unknown): unknown {
  let value = exported;
  for (let depth = 0; depth < 2 && typeof value !== 'function' && isObject(value); depth++) {
    value = value['default'];
  }
  return value;
}

function isEsModule(file: string): boolean {
  switch (extname(file)) {
    case '.mjs':
      return true;
    case '.js':
      return nearestPackageType(dirname(file)) === 'module';
    default:
      return false;
  }
}

function nearestPackageType(folder: string): unknown {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) {
      const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isObject(content) ? content['type'] : undefined;
    }
    if (dirname(at) === at) return undefined;
  }
}
