import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grants, holds, intersect, isKnownScope, permissions } from './permissions.ts';

describe('grants', () => {
  it.each([
    [['*'], 'nodes.write', true],
    [['*'], 'surf.read', true],
    [['read'], 'nodes.read', true],
    [['*.read'], 'nodes.read', true],
    [['read'], 'nodes.write', false],
    [['write'], 'nodes.write', true],
    [['*.write'], 'nodes.read', false],
    [['flows.read'], 'flows.read', true],
    [['flows.read'], 'flows.write', false],
    [['flows.read', 'nodes.write'], 'nodes.write', true],
    [[], 'flows.read', false],
    [[], '', true],
  ])('%j: %s is %s', (scope, needed, granted) => {
    expect(grants(scope, needed)).toBe(granted);
  });
});

describe('intersect', () => {
  const word = fc.constantFrom('*', 'read', 'write', '*.read', '*.write', ...permissions, 'surf.read');
  const scope = fc.array(word, { maxLength: 4 });

  it('grants what both scopes grant, and nothing else', () => {
    fc.assert(
      fc.property(scope, scope, (one, other) => {
        const both = intersect(one, other);
        for (const needed of [...permissions, 'surf.read', 'surf.write', 'odd', 'read', '*']) {
          expect(grants(both, needed), needed).toBe(grants(one, needed) && grants(other, needed));
        }
      }),
    );
  });
});

describe('holds', () => {
  it.each([
    [['*'], '*', true],
    [['read'], '*', false],
    [['*.read'], 'read', true],
    [['read'], '*.read', true],
    [['read'], 'write', false],
    [['read'], 'flows.read', true],
    [['flows.read'], 'read', false],
  ])('%j holds %s: %s', (scope, wanted, held) => {
    expect(holds(scope, wanted)).toBe(held);
  });
});

describe('isKnownScope', () => {
  it('knows groups and permissions only', () => {
    for (const known of ['*', 'read', 'write', '*.read', '*.write', ...permissions])
      expect(isKnownScope(known)).toBe(true);
    for (const unknown of ['', 'admin', 'READ', 'flows', 'flows.*', 'nodes.delete'])
      expect(isKnownScope(unknown)).toBe(false);
  });
});
