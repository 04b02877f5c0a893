import { describe, expect, it } from 'vitest';
import { LoginQueue } from './login-queue.ts';

describe('LoginQueue', () => {
  it('runs so many checks at a time, and the others in turns between addresses', async () => {
    const queue = new LoginQueue(1);
    const order: string[] = [];
    const check = (name: string) => async () => {
      order.push(name);
      await Promise.resolve();
    };
    await Promise.all([
      queue.run('a', check('a1')),
      queue.run('a', check('a2')),
      queue.run('a', check('a3')),
      queue.run('b', check('b1')),
      queue.run('c', check('c1')),
    ]);
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('never runs more than its limit', async () => {
    const queue = new LoginQueue(3);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        queue.run(String(i % 4), async () => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running -= 1;
        }),
      ),
    );
    expect([most, running]).toEqual([3, 0]);
  });

  it('gives the place back when a check fails', async () => {
    const queue = new LoginQueue(1);
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(queue.run('a', async () => 'yes')).resolves.toBe('yes');
  });

  it('turns away the 102nd of one address, and nobody else', async () => {
    const queue = new LoginQueue(1);
    let release = () => {};
    const first = queue.run(
      'a',
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const waiting = Array.from({ length: 100 }, () => queue.run('a', async () => {}));
    await expect(queue.run('a', async () => {})).rejects.toMatchObject({ code: 'too_many_attempts' });
    const other = queue.run('b', async () => 'b');
    release();
    await expect(other).resolves.toBe('b');
    await Promise.all([first, ...waiting]);
  });
});
