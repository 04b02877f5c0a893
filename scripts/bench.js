// `npm run bench [-- names]`: measures Sluice side by side with the peer; see bench/README.md.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, pinnedNode, root, run } from './ensure.js';

ensureInstalled();
ensureBuilt();
run(pinnedNode(), [join(root, 'bench', 'main.ts'), ...process.argv.slice(2)]);
