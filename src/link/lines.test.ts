import { describe, expect, it } from 'vitest';
import { Lines } from './lines.ts';

describe('the lines of a text', () => {
  it('are the same however the text is cut into chunks', () => {
    const text = 'one\n\ntwo and more\nthree\nno end';
    for (let size = 1; size <= text.length; size++) {
      const lines = new Lines();
      const cut: string[] = [];
      for (let at = 0; at < text.length; at += size) cut.push(...lines.cut(text.slice(at, at + size)));
      expect(cut).toEqual(['one', '', 'two and more', 'three']);
    }
  });

  it('end where one is longer than it may be', () => {
    const lines = new Lines(5);
    expect(lines.cut('12345\n123')).toEqual(['12345']);
    expect(lines.isTooLong).toBe(false);
    expect(lines.cut('456\nnext\n')).toEqual([]);
    expect(lines.isTooLong).toBe(true);
  });
});
