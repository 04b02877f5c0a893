import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives the user directory a `package.json` where it has none: npm, also when somebody runs it by hand, would otherwise
 * install into the nearest folder above that has one.
 */
export function ensurePackageJson(userDir: string): void {
  const path = join(userDir, 'package.json');
  if (existsSync(path)) return;
  const file = {
    name: 'sluice-project',
    description: 'Modules installed by Sluice',
    version: '0.0.1',
    private: true,
  };
  writeFileSync(path, `${JSON.stringify(file, null, 4)}\n`);
}
