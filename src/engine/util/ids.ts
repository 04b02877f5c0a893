import { randomFillSync } from 'node:crypto';

/** The code of each hexadecimal digit. */
const digits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** Creates a generator of ids: 64 random bits as 16 hexadecimal digits, drawn from a pool that is filled in bulk. */
export function createIdGenerator(): () => string {
  const pool = new Uint8Array(4096);
  let at = pool.length;
  const digit = (nibble: number): number => digits[nibble] as number;
  const high = (index: number): number => digit((pool[index] as number) >> 4);
  const low = (index: number): number => digit((pool[index] as number) & 15);
  // One call with sixteen codes makes a flat string; slices of a longer one would keep all of it in memory.
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const i = at;
    at += 8;
    return String.fromCharCode(
      high(i),
      low(i),
      high(i + 1),
      low(i + 1),
      high(i + 2),
      low(i + 2),
      high(i + 3),
      low(i + 3),
      high(i + 4),
      low(i + 4),
      high(i + 5),
      low(i + 5),
      high(i + 6),
      low(i + 6),
      high(i + 7),
      low(i + 7),
    );
  };
}
