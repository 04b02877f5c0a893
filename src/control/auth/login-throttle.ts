import { TooManyAttempts } from '../http/refusals.ts';

/** Failures of one key. */
interface Failures {
  count: number;
  blockedUntil: number;
  forgetAt: number;
}

const freeFailuresOfPair = 5;
const freeFailuresOfAddress = 20;
/** From so many failures on, from anywhere, a user is under attack: each address has one free failure only. */
const siege = 20;
const longestBlockMs = 900_000;
const memoryMs = 900_000;
const mostKeys = 10_000;

/**
 * Slows those who guess passwords: by address, and by user name and address together.
 * @remarks After five failures for one user (twenty for any) an address must wait: a second, then two, then four, up to
 * fifteen minutes. An address that has not failed is never made to wait, so nobody can lock out somebody else's
 * address. A success clears what its user and its address have gathered.
 */
export class LoginThrottle {
  readonly #now: () => number;
  readonly #pairs = new Map<string, Failures>();
  readonly #addresses = new Map<string, Failures>();
  readonly #users = new Map<string, Failures>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws TooManyAttempts while the address must wait. */
  admit(username: string, address: string): void {
    const now = this.#now();
    const blockedUntil = Math.max(
      this.#pairs.get(pairOf(username, address))?.blockedUntil ?? 0,
      this.#addresses.get(networkOf(address))?.blockedUntil ?? 0,
    );
    if (blockedUntil > now) throw new TooManyAttempts(blockedUntil - now);
  }

  failed(username: string, address: string): void {
    const underSiege = this.#count(this.#users, userOf(username), Number.POSITIVE_INFINITY) >= siege;
    this.#count(this.#pairs, pairOf(username, address), underSiege ? 1 : freeFailuresOfPair);
    this.#count(this.#addresses, networkOf(address), freeFailuresOfAddress);
  }

  succeeded(username: string, address: string): void {
    this.#pairs.delete(pairOf(username, address));
    this.#addresses.delete(networkOf(address));
    this.#users.delete(userOf(username));
  }

  #count(failures: Map<string, Failures>, key: string, free: number): number {
    const now = this.#now();
    const before = failures.get(key);
    const count = before !== undefined && before.forgetAt > now ? before.count + 1 : 1;
    const block = count < free ? 0 : Math.min(1000 * 2 ** (count - free), longestBlockMs);
    // Deleted first, so that the map stays ordered by the latest failure and the oldest key can be dropped.
    failures.delete(key);
    failures.set(key, { count, blockedUntil: now + block, forgetAt: now + block + memoryMs });
    if (failures.size > mostKeys) {
      for (const oldest of failures.keys()) {
        failures.delete(oldest);
        break;
      }
    }
    return count;
  }
}

function userOf(username: string): string {
  return username.slice(0, 128);
}

function pairOf(username: string, address: string): string {
  return `${networkOf(address)} ${userOf(username)}`;
}

/** An IPv4 address, or the /64 network that one customer of IPv6 is given. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
