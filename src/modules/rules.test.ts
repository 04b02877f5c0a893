import { describe, expect, it } from 'vitest';
import { isAllowed, versionMatters } from './rules.ts';

describe('isAllowed', () => {
  it.each<[string[], string[], string, string | undefined, boolean]>([
    [['*'], [], 'any', undefined, true],
    [[], [], 'any', undefined, true],
    [['*'], ['bad'], 'bad', undefined, false],
    [['*'], ['bad*'], 'badly', undefined, false],
    [['good'], ['*'], 'good', undefined, true],
    [['good'], ['*'], 'other', undefined, false],
    [['@acme/*'], ['@acme/secret'], '@acme/secret', undefined, false],
    [['@acme/s*'], ['@acme/*'], '@acme/surf', undefined, true],
    [['*'], ['bad@<2'], 'bad', '1.9.0', false],
    [['*'], ['bad@<2'], 'bad', '2.0.0', true],
    [['*'], ['a.b'], 'aXb', undefined, true],
    [['*'], ['@acme/old@1.x'], '@acme/old', '1.4.0', false],
  ])('%j but not %j: %s %s is %s', (allowList, denyList, name, version, allowed) => {
    expect(isAllowed({ allowList, denyList }, name, version)).toBe(allowed);
  });
});

it('knows whether the version must be known to decide', () => {
  const rules = { allowList: ['*'], denyList: ['bad@<2', 'worse'] };
  expect(versionMatters(rules, 'bad')).toBe(true);
  expect(versionMatters(rules, 'worse')).toBe(false);
});
