import { native } from './trials.ts';
import { tryModules } from './try-modules.ts';

await tryModules('published node modules with native code', native);
