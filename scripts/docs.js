// `npm run docs`: writes the pages that are made from the sources. Tests compare them.
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, root, run } from './ensure.js';

ensureInstalled();
run(pinnedNode(), [join(root, 'src', 'settings', 'write-reference.ts')]);
