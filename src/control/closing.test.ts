import { describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import { Closing } from './closing.ts';

describe('Closing', () => {
  it('closes in the reverse order, one after the other, once, also where one fails', async () => {
    const order: string[] = [];
    const failed: string[] = [];
    const closing = new Closing({ ...silentLogger, error: (text) => failed.push(text) });
    closing.add('first', () => order.push('first'));
    closing.add('second', () => {
      throw new Error('stuck');
    });
    closing.add('third', async () => {
      await new Promise(setImmediate);
      order.push('third');
    });
    await closing.run();
    await closing.run();
    expect(order).toEqual(['third', 'first']);
    expect(failed).toEqual(['Closing failed: second']);
  });
});
