import { pages } from './trials.ts';
import { tryModules } from './try-modules.ts';

await tryModules('published node modules with pages', pages);
