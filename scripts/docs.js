// `npm run docs`: writes the pages that are made from the sources. Tests compare them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './ensure.js';

ensureInstalled();
ensureBuilt();
const { settingsReference } = await import('../dist/settings/reference.js');
writeFileSync(join(root, 'docs', 'settings.md'), settingsReference());
