// `npm test [-- vitest arguments]`: installs and builds what is missing, checks, then runs every test.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, pinnedNode, root, run } from './ensure.js';

ensureInstalled();
ensureBuilt();
const args = process.argv.slice(2);
if (args.length === 0) run(pinnedNode(), [join(root, 'scripts', 'check.js')]);
run(pinnedNode(), [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args]);
