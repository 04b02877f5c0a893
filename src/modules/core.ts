import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The name under which the core node sets, and loose files of the user, are known. */
export const coreModuleName = 'node-red';

/** Where the core node types lie on disk. */
export interface CorePackage {
  /** Absolute path of the package's folder. */
  readonly path: string;
  /** Also the version that is announced to node modules and to the editor. */
  readonly version: string;
}

/** Finds the package that holds the core node types, `@node-red/nodes`, as this program sees it. */
export function findCorePackage(): CorePackage {
  const file = createRequire(import.meta.url).resolve('@node-red/nodes/package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { path: dirname(file), version };
}

/** The `locales` folder of the core node types. */
export function coreLocales(core: CorePackage): string {
  return join(core.path, 'locales');
}
