import { createRequire } from 'node:module';
import { inspect, isDeepStrictEqual } from 'node:util';
import { ensurePeer } from '../../bench/peer.ts';

// biome-ignore lint/suspicious/noExplicitAny: the peer's modules come without types
type Untyped = any;

/** One of the peer's own modules. */
export function requirePeer(name: string): Untyped {
  return createRequire(ensurePeer())(name);
}

/** What a call gave: its value, or the code and kind of what it threw. */
export function outcomeOf(call: () => unknown): unknown {
  try {
    return { value: call() };
  } catch (error) {
    const { code, message, constructor: kind } = error as Error & { code?: string };
    return { code, kind: kind.name, message: code === undefined ? undefined : message };
  }
}

/** Fails, showing both, unless they are equal in everything. */
export function expectSame(ours: unknown, peers: unknown): void {
  if (isDeepStrictEqual(ours, peers)) return;
  const show = (value: unknown) => inspect(value, { depth: 8 });
  throw new Error(`ours ${show(ours)}\nthe peer's ${show(peers)}`);
}
