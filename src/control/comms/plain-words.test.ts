import { expect, it } from 'vitest';
import { plainWords } from './plain-words.ts';

it('keeps words from being read as HTML by an editor', () => {
  expect(plainWords('a: <b> & "c"')).toEqual({
    text: 'a: <b> & "c"',
    defaultValue: 'a: &#60;b&#62; &#38; &#34;c&#34;',
  });
});
