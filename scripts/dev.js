// `npm run dev [-- flags]`: runs the sources themselves and starts again whenever one of them changes.
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, root, run } from './ensure.js';

ensureInstalled();
run(pinnedNode(), ['--watch', join(root, 'src', 'cli', 'main.ts'), ...process.argv.slice(2)]);
