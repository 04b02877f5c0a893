import { describe, expect, it } from 'vitest';
import { TooManyAttempts } from '../http/refusals.ts';
import { LoginThrottle, networkOf } from './login-throttle.ts';

function throttleAt(start = 0) {
  const clock = { now: start };
  const throttle = new LoginThrottle(() => clock.now);
  const attempt = (user: string, address: string): 'admitted' | number => {
    try {
      throttle.admit(user, address);
      return 'admitted';
    } catch (error) {
      if (error instanceof TooManyAttempts) return error.retryAfter;
      throw error;
    }
  };
  const fail = (times: number, user: string, address: string): void => {
    for (let i = 0; i < times; i++) throttle.failed(user, address);
  };
  return { clock, throttle, attempt, fail };
}

describe('LoginThrottle', () => {
  it('admits four failures, then makes the address wait ever longer, up to a quarter of an hour', () => {
    const { clock, attempt, fail } = throttleAt();
    fail(4, 'fred', '10.0.0.1');
    expect(attempt('fred', '10.0.0.1')).toBe('admitted');
    const waits: (number | string)[] = [];
    for (let i = 0; i < 14; i++) {
      fail(1, 'fred', '10.0.0.1');
      const wait = attempt('fred', '10.0.0.1');
      waits.push(wait);
      clock.now += Number(wait) * 1000;
      expect(attempt('fred', '10.0.0.1')).toBe('admitted');
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
  });

  it('never makes another address wait, also where a user is attacked from everywhere', () => {
    const { attempt, fail } = throttleAt();
    for (let host = 1; host < 200; host++) fail(10, 'fred', `10.0.0.${host}`);
    expect(attempt('fred', '10.0.1.1')).toBe('admitted');
    expect(attempt('fred', '10.0.0.7')).not.toBe('admitted');
  });

  it('gives an address one failure only while the user is attacked from everywhere', () => {
    const { attempt, fail } = throttleAt();
    for (let host = 1; host <= 20; host++) fail(1, 'fred', `10.0.0.${host}`);
    fail(1, 'fred', '10.0.1.1');
    expect(attempt('fred', '10.0.1.1')).toBe(1);
  });

  it('makes an address wait that tries many users', () => {
    const { attempt, fail } = throttleAt();
    for (let user = 0; user < 20; user++) fail(1, `user${user}`, '10.0.0.1');
    expect(attempt('somebody', '10.0.0.1')).toBe(1);
    expect(attempt('somebody', '10.0.0.2')).toBe('admitted');
  });

  it('forgets failures after a success', () => {
    const { throttle, attempt, fail } = throttleAt();
    fail(4, 'fred', '10.0.0.1');
    throttle.succeeded('fred', '10.0.0.1');
    fail(4, 'fred', '10.0.0.1');
    expect(attempt('fred', '10.0.0.1')).toBe('admitted');
  });

  it('does not forget failures for one user by a success of another', () => {
    const { throttle, attempt, fail } = throttleAt();
    fail(5, 'fred', '10.0.0.1');
    throttle.succeeded('mallory', '10.0.0.1');
    expect(attempt('fred', '10.0.0.1')).toBe(1);
  });

  it('forgets failures a quarter of an hour after the wait', () => {
    const { clock, attempt, fail } = throttleAt();
    fail(5, 'fred', '10.0.0.1');
    clock.now += 1000 + 900_001;
    fail(4, 'fred', '10.0.0.1');
    expect(attempt('fred', '10.0.0.1')).toBe('admitted');
  });
});

describe('networkOf', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s → %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
