import { describe, expect, it } from 'vitest';
import { createPropertyAccess } from './property-access.ts';

const { normalisePropertyExpression: normalise } = createPropertyAccess();

describe('a property expression', () => {
  it.each([
    ['a.b', ['a', 'b']],
    ['a["b"].c', ['a', 'b', 'c']],
    ["a['b c'].d", ['a', 'b c', 'd']],
    ['a.0.b', ['a', 0, 'b']],
    ['a.0', ['a', '0']],
    ['a[0]', ['a', 0]],
    ['1[0]', ['1', 0]],
    ['a[0].1.b', ['a', 0, 1, 'b']],
    ['a[0.1]', ['a', 0, 1]],
    ['a[0]"b"', ['a', 0, 'b']],
    ['"a".b', ['a', 'b']],
    ['a["]"]', ['a', ']']],
    ['a-b.$c._d', ['a-b', '$c', '_d']],
    ['a[msg.x].b', ['a', ['msg', 'x'], 'b']],
    ['a[msg.b[msg.c]]', ['a', ['msg', 'b', ['msg', 'c']]]],
  ])('%s is %j', (text, steps) => {
    expect(normalise(text)).toEqual(steps);
  });

  it.each([
    ['', 'zero-length'],
    ['.a', 'unexpected . at position 0'],
    ['[0]', 'unexpected [ at position 0'],
    ['a b', "unexpected ' ' at position 1"],
    ['a.', 'unterminated expression'],
    ['a[', 'unterminated expression'],
    ['a["b', 'unterminated expression'],
    ['a[0', 'unterminated expression'],
    ['a..b', 'unexpected . at position 2'],
    ['a[b]', 'unexpected b at position 2'],
    ['a]', 'unexpected ] at position 1'],
    ['a"b"', 'unexpected " at position 1'],
    ['a[""]', 'zero-length string at position 3'],
    ['a["b".c]', 'unexpected array expression at position 3'],
    ['a[0b]', 'unexpected array expression at position 2'],
    ['"a"b', 'unexpected b expression at position 3'],
    ['a[msg.x', "unmatched '[' at position 1"],
  ])('%j is refused: %s', (text, what) => {
    expect(() => normalise(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_EXPR', message: `Invalid property expression: ${what}` }),
    );
  });

  it('replaces references by their values in the message', () => {
    expect(normalise('a[msg.x].b', { x: 'y' })).toEqual(['a', 'y', 'b']);
    expect(normalise('a[msg.x.y]', { x: { y: 3 } })).toEqual(['a', 3]);
  });

  it('is refused where a reference has no value', () => {
    const refused = expect.objectContaining({
      code: 'INVALID_EXPR',
      message: 'Invalid expression started at position 2',
    });
    expect(() => normalise('a[msg.x]', { y: 1 })).toThrow(refused);
    expect(() => normalise('a[msg.x.z]', { y: 1 })).toThrow(refused);
    expect(() => normalise('a[msg.]')).toThrow(refused);
  });

  it('has a canonical text', () => {
    expect(normalise('a.b[0]', {}, true)).toBe('a["b"][0]');
    expect(normalise('a[msg.x].b', { x: 'say "y"' }, true)).toBe(`a['say "y"']["b"]`);
  });

  it('gives steps that the caller may change', () => {
    normalise('a.b').push('c');
    expect(normalise('a.b')).toEqual(['a', 'b']);
  });
});
