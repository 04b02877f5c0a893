import { describe, expect, it } from 'vitest';
import { acceptedEncoding } from './compression.ts';

describe('acceptedEncoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['BR;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000', undefined],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['identity', undefined],
  ])('%s: %s', (header, expected) => {
    expect(acceptedEncoding(header)).toBe(expected);
  });
});
