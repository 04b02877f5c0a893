// `npm run build`: compiles `src` into `dist` when it is stale.
import { ensureBuilt, ensureInstalled } from './ensure.js';

ensureInstalled();
ensureBuilt();
