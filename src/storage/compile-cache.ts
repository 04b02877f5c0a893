import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Lets Node.js keep the compiled code of modules in the user's cache folder, which makes every start but the first
 * faster. Never fails: without such a folder everything is compiled anew. `NODE_DISABLE_COMPILE_CACHE=1` switches it off.
 * @remarks In a folder of the user's own, not in the shared one for temporary files that Node.js would choose: whoever can
 * write there decides what is run.
 */
export function keepCompiledCode(): void {
  try {
    const { XDG_CACHE_HOME } = process.env;
    const cache = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const folder = join(cache, 'sluice');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(join(folder, 'compiled'));
  } catch {
    // No home directory, or not a writable one.
  }
}
