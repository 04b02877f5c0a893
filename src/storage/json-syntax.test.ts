import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, parseJson } from './json-syntax.ts';

function placeOf(text: string): string {
  try {
    parseJson(text);
    return 'fine';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `${error.line}:${error.column}`;
  }
}

describe('parseJson', () => {
  it('parses what JSON.parse parses', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(parseJson('\ufeff[1]')).toEqual([1]);
  });

  it.each([
    ['', '1:1'],
    ['[', '1:2'],
    ['[1,', '1:4'],
    ['[1,]', '1:4'],
    ['[1 2]', '1:4'],
    ['[\n  {"id": "a"},\n  {"id": "b",}\n]', '3:14'],
    ['[\n  {"id": "a"}\n  {"id": "b"}\n]', '3:3'],
    ['{"a" 1}', '1:6'],
    ['{a: 1}', '1:2'],
    ['{"a": tru}', '1:7'],
    ['["a\nb"]', '1:4'],
    ['["\\x"]', '1:4'],
    ['["\\u12g4"]', '1:4'],
    ['["abc', '1:6'],
    ['[01]', '1:3'],
    ['[] []', '1:4'],
    ['[1}', '1:3'],
    ['{"a":1]', '1:7'],
    ['\n<<<<<<< HEAD\n[]', '2:1'],
  ])('finds where %j goes wrong', (text, place) => {
    expect(placeOf(text)).toBe(place);
  });

  it('finds the end of every text that is cut short, and never quotes it', () => {
    const word = fc.stringMatching(/^[a-z {}[\],:]*$/);
    fc.assert(
      fc.property(fc.array(fc.dictionary(word, fc.array(word))), fc.nat(), (value, n) => {
        const text = JSON.stringify(value, null, 2);
        const cut = text.slice(0, n % text.length);
        const lines = cut.split('\n');
        expect(placeOf(cut)).toBe(`${lines.length}:${(lines.at(-1) ?? '').length + 1}`);
      }),
    );
    expect(() => parseJson('{"password": "hunter2" "x"}')).toThrow(
      /^line 1, column 24: unexpected character$/,
    );
  });
});
