import { describe, expect, it } from 'vitest';
import { hasTag } from './entity-tag.ts';

describe('hasTag', () => {
  it.each(['W/"a"', '"a"', '*', '"b", W/"a"', ' "a" '])('knows the tag in %j', (header) => {
    expect(hasTag(header, 'W/"a"')).toBe(true);
  });

  it.each([undefined, '', '"b"', 'a', '"a'])('does not know it in %j', (header) => {
    expect(hasTag(header, 'W/"a"')).toBe(false);
  });
});
