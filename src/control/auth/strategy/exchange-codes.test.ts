import { expect, it } from 'vitest';
import { ExchangeCodes } from './exchange-codes.ts';

it('a code stands for its value once, and for twenty seconds', () => {
  let now = 0;
  const codes = new ExchangeCodes<string>(() => now);
  const [first, second] = [codes.give('a'), codes.give('b')];
  expect(first).not.toBe(second);
  now = 19_999;
  expect([codes.take(first), codes.take(first), codes.take('')]).toEqual(['a', undefined, undefined]);
  now = 20_000;
  expect(codes.take(second)).toBeUndefined();
});

it('the oldest codes are forgotten where there are too many', () => {
  const codes = new ExchangeCodes<number>();
  const given = Array.from({ length: 1001 }, (_, index) => codes.give(index));
  expect([codes.take(given[0] ?? ''), codes.take(given[1] ?? ''), codes.take(given[1000] ?? '')]).toEqual([
    undefined,
    1,
    1000,
  ]);
});
