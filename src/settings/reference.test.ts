import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsReference } from './reference.ts';

it('docs/settings.md is what the schema says; `npm run docs` writes it', () => {
  const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  expect(page).toBe(settingsReference());
});
