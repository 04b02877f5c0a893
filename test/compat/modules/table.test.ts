import { expect, it } from 'vitest';
import { documentedModules } from './table.ts';
import { messages, native, pages } from './trials.ts';

it('docs/compatibility.md tells of the modules that are tried, and of no other', () => {
  const tried = [...native, ...messages, ...pages].map(({ module }) => module);
  expect([...documentedModules()].sort()).toEqual(tried.sort());
});
