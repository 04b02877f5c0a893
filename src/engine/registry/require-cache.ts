import { createRequire } from 'node:module';
import { sep } from 'node:path';

/**
 * Drops the CommonJS code below a folder from memory's cache, so that the next `require` reads the files anew.
 * @remarks What already holds the old code keeps it; ES modules and native code cannot be dropped.
 */
export function forgetCode(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) {
    if (file.startsWith(folder + sep)) delete cache[file];
  }
}
