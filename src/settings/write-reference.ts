/** Program: writes docs/settings.md (`npm run docs`). */
import { writeFileSync } from 'node:fs';
import { settingsReference } from './reference.ts';

writeFileSync(new URL('../../docs/settings.md', import.meta.url), settingsReference());
