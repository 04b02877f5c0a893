// `npm run check`: types, then lint and format. (Import directions are held by test/unit/boundaries.test.ts.)
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, root, run } from './ensure.js';

ensureInstalled();
run(pinnedNode(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json']);
run(pinnedNode(), [join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check']);
run(pinnedNode(), [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  'test/unit/boundaries.test.ts',
]);
