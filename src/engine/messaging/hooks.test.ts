import { describe, expect, it } from 'vitest';
import { Hooks, hookNames } from './hooks.ts';

/** How the handlers of a hook ended. */
function run(hooks: Hooks, name: string, event: unknown = {}): Promise<unknown> {
  return new Promise((resolve) => {
    hooks.trigger(name, event, resolve);
  });
}

describe('Hooks', () => {
  it('runs handlers in order, and each sees what the ones before changed', async () => {
    const hooks = new Hooks();
    hooks.add('onSend', (event: string[]) => void event.push('first'));
    hooks.add('onSend.label', async (event: string[]) => void event.push('second'));
    hooks.add('onSend', (event: string[], done) => {
      event.push('third');
      setTimeout(done, 1);
    });
    hooks.add('onSend', (event: string[]) => void event.push('fourth'));
    const event: string[] = [];
    expect(await run(hooks, 'onSend', event)).toBeUndefined();
    expect(event).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it.each([
    ['false', (_: unknown) => false, false],
    ['a promise of false', async (_: unknown) => false, false],
    ['false in the callback', (_: unknown, done: (result: unknown) => void) => done(false), false],
    ['an error in the callback', (_: unknown, done: (result: unknown) => void) => done('bad'), 'bad'],
    ['a rejection', (_: unknown) => Promise.reject('bad'), 'bad'],
    [
      'an exception',
      (_: unknown) => {
        throw 'bad';
      },
      'bad',
    ],
  ])('ends with %s', async (_, handler, result) => {
    const hooks = new Hooks();
    let reached = false;
    hooks.add('preRoute', handler);
    hooks.add('preRoute', (_event: unknown) => {
      reached = true;
    });
    expect(await run(hooks, 'preRoute')).toBe(result);
    expect(reached).toBe(false);
  });

  it('takes the first answer of a handler that calls back twice', () => {
    const hooks = new Hooks();
    const seen: unknown[] = [];
    hooks.add('onSend', (_: unknown, done: () => void) => {
      done();
      done();
    });
    hooks.add('onSend', (_: unknown) => void seen.push('next'));
    hooks.trigger('onSend', {}, (result) => seen.push(['done', result]));
    expect(seen).toEqual(['next', ['done', undefined]]);
  });

  it('treats a rejection without a reason as an error', async () => {
    const hooks = new Hooks();
    hooks.add('preRoute', (_: unknown) => Promise.reject());
    expect(await run(hooks, 'preRoute')).toBeInstanceOf(Error);
  });

  it('goes on after any other result of a synchronous handler', async () => {
    const hooks = new Hooks();
    for (const result of [null, 0, '', true, 'text', {}]) hooks.add('preRoute', (_: unknown) => result);
    expect(await run(hooks, 'preRoute')).toBeUndefined();
  });

  it('gives a promise where no callback is given, and names the hook in its error', async () => {
    const hooks = new Hooks();
    expect(await hooks.trigger('preInstall', {})).toBeUndefined();
    hooks.add('preInstall.a', (_: unknown) => false);
    expect(await hooks.trigger('preInstall', {})).toBe(false);
    hooks.remove('preInstall.a');
    hooks.add('preInstall.b', (_: unknown, done) => done('refused'));
    await expect(hooks.trigger('preInstall', {})).rejects.toMatchObject({
      message: 'refused',
      hook: 'preInstall',
    });
  });

  it('refuses other names, and a second handler of a label', () => {
    const hooks = new Hooks();
    for (const name of hookNames) hooks.add(`${name}.mine`, () => {});
    expect(() => hooks.add('onError', () => {})).toThrow("Invalid hook 'onError'");
    expect(() => hooks.add('onSend.mine', () => {})).toThrow('already registered');
    expect(() => hooks.remove('onSend')).toThrow('without label');
  });

  it('removes by label, also while handlers run', async () => {
    const hooks = new Hooks();
    const seen: string[] = [];
    hooks.add('onSend.one', (_: unknown) => {
      seen.push('one');
      hooks.remove('*.two');
    });
    hooks.add('onSend.two', (_: unknown) => void seen.push('two'));
    hooks.add('onReceive.two', () => {});
    await run(hooks, 'onSend');
    expect(seen).toEqual(['one']);
    expect([hooks.has('onSend'), hooks.has('onSend.two'), hooks.has('onReceive')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('says where anybody listens', () => {
    const hooks = new Hooks();
    const flags = () => [hooks.sending, hooks.receiving, hooks.completing];
    expect(flags()).toEqual([false, false, false]);
    hooks.add('postDeliver.a', () => {});
    expect(flags()).toEqual([true, false, false]);
    hooks.add('postReceive.a', () => {});
    hooks.add('onComplete.a', () => {});
    expect(flags()).toEqual([true, true, true]);
    hooks.remove('postDeliver.a');
    expect(flags()).toEqual([false, true, true]);
    hooks.clear();
    expect(flags()).toEqual([false, false, false]);
  });
});
