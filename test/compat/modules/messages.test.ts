import { messages } from './trials.ts';
import { tryModules } from './try-modules.ts';

await tryModules('published node modules for messages', messages);
