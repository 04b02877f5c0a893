import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// The table of what proves what names tests that exist, and leaves no decision out.

const folder = new URL('../contract/', import.meta.url);
const table = readFileSync(new URL('README.md', folder), 'utf8');
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|what|decision)/.test(line));
const named = rows.flatMap((row) =>
  [...row.matchAll(/`((?:\.\.\/)?[\w/-]+): ([^`]+)`/g)].map(([, file, words]) => [file, words] as const),
);

describe('the table of test/contract', () => {
  it('names tests that exist', () => {
    expect(named.length).toBeGreaterThan(100);
    const missing = named.filter(([file, words]) => {
      const text = readFileSync(new URL(`${file}.test.ts`, folder), 'utf8');
      return !text.includes(words ?? '');
    });
    expect(missing).toEqual([]);
  });

  it('has every decision, and a test in every row', () => {
    const decisions = rows
      .map((row) => Number(/^\| (\d+) /.exec(row)?.[1]))
      .filter((number) => number > 0 && number < 100);
    expect(decisions).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    expect(rows.filter((row) => !/`(?:\.\.\/)?[\w/-]+: [^`]+`/.test(row))).toEqual([]);
  });
});
