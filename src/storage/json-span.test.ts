import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOfObject } from './json-span.ts';

const bytes = (text: string) => Buffer.from(text);

it('the end of an object is found, whatever is in it and comes after', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      fc.constantFrom(undefined, 2),
      fc.constantFrom('', '}', ']', ',{"a":1}', '"', '\\"'),
      (value, indent, rest) => {
        const text = JSON.stringify(value, null, indent);
        expect(endOfObject(bytes(`x${text}${rest}`), 1)).toBe(1 + Buffer.byteLength(text));
      },
    ),
  );
});

it.each(['', ' {}', '[]', '"{}"', '{', '{"a":{}', '{"a":"}', '{"a\\"}'])('there is none in %s', (text) => {
  expect(endOfObject(bytes(text), 0)).toBe(-1);
});
