import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FarCalls, type NearCalls, type NearLink, serveFar } from '../../test/fixtures/link/protocol.ts';
import { randomChange, randomFlows } from '../../test/support/random-flows.ts';
import { piecesOf } from '../contract/flows-delta.ts';
import { ItemPlaces } from '../contract/item-places.ts';
import { type Logger, silentLogger } from '../logging/logger.ts';
import { type LinkLimits, openLink } from './link.ts';
import { memoryTransports } from './memory-transport.ts';
import type { Handlers } from './protocol.ts';
import { linkDescriptor, streamTransport } from './stream-transport.ts';
import type { Transport } from './transport.ts';

/** A near end whose far side runs, and ways to lose that. */
interface Opened {
  readonly near: NearLink;
  /** The far side dies without a word. */
  loseFar(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Options {
  readonly limits?: Partial<LinkLimits>;
  readonly timeoutMs?: number;
  readonly log?: Logger;
}

const handlers: Handlers<NearCalls> = { add: ({ a, b }) => a + b };

function near(transport: Transport, options: Options): NearLink {
  return openLink<FarCalls, NearCalls, { ping: { n: number } }, { pong: { n: number }; other: null }>({
    transport,
    handlers,
    unforeseen: 'internal_error',
    log: silentLogger,
    ...options,
  });
}

const transports: { readonly [name: string]: (options?: Options) => Promise<Opened> } = {
  'in memory': async (options = {}) => {
    const pair = memoryTransports();
    serveFar(pair.engine, options.log ?? silentLogger, () => pair.stallEngine(true));
    const link = near(pair.control, options);
    return {
      near: link,
      loseFar: () => pair.sever(),
      [Symbol.asyncDispose]: async () => link.close(),
    };
  },
  'a child process': async (options = {}) => {
    const file = fileURLToPath(new URL('../../test/fixtures/link/child.ts', import.meta.url));
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'inherit', 'inherit', 'overlapped'] });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return {
      near: near(streamTransport(child.stdio[linkDescriptor] as Duplex), options),
      loseFar: () => child.kill('SIGKILL'),
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL');
        await gone;
      },
    };
  },
};

describe.each(Object.entries(transports))('the link over %s', (_, open) => {
  it('answers calls with what JSON carries, whatever order the answers come in', async () => {
    await using side = await open();
    const value = { text: 'zwölf \u2028 \n "quoted"', list: [1, null, { a: true }] };
    const answers = await Promise.all([
      side.near.call('slow', { ms: 30 }),
      side.near.call('echo', value),
      side.near.call('slow', { ms: 1 }),
    ]);
    expect(answers).toEqual(['after 30', value, 'after 1']);
    expect(await side.near.call('echo', 'x'.repeat(3 << 20))).toHaveLength(3 << 20);
  });

  it('carries what became of flows, so that the other side has the same', async () => {
    await using side = await open();
    await fc.assert(
      fc.asyncProperty(randomFlows, randomChange, async (before, change) => {
        const after = change(before);
        const pieces = piecesOf(new ItemPlaces(before), after);
        expect(await side.near.call('join', { before, pieces })).toEqual(after);
      }),
      { numRuns: 30 },
    );
  });

  it('carries calls the other way while a call waits', async () => {
    await using side = await open();
    expect(await side.near.call('ask', { a: 2, b: 40 })).toBe(42);
  });

  it('delivers events in order, until the listener stops', async () => {
    await using side = await open();
    const heard: number[] = [];
    const stop = side.near.on('pong', ({ n }) => heard.push(n));
    for (let n = 0; n < 100; n++) side.near.send('ping', { n });
    await side.near.call('echo', null);
    expect(heard).toEqual(Array.from({ length: 100 }, (_, n) => n));
    stop();
    side.near.send('ping', { n: 100 });
    await side.near.call('echo', null);
    expect(heard).toHaveLength(100);
  });

  it('keeps the code and the words of a foreseen error', async () => {
    await using side = await open();
    await expect(side.near.call('refuse', null)).rejects.toMatchObject({
      name: 'AppError',
      code: 'not_found',
      detail: 'No such store',
      message: 'store x',
    });
  });

  it('tells nothing of an unforeseen error but that it happened', async () => {
    await using side = await open();
    const failure = await side.near.call('explode', null).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'AppError', code: 'engine.failed' });
    expect(String(failure)).not.toContain('secret');
    await expect(side.near.call('unspeakable', null)).rejects.toMatchObject({ code: 'engine.failed' });
  });

  it('fails a call that gets no answer in time, and goes on', async () => {
    await using side = await open();
    await side.near.call('echo', null);
    await expect(side.near.call('never', null, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'engine.timeout',
    });
    await expect(side.near.call('slow', { ms: 40 }, { timeoutMs: 10 })).rejects.toMatchObject({
      code: 'engine.timeout',
    });
    expect(await side.near.call('slow', { ms: 60 })).toBe('after 60');
  });

  it('stops waiting when the caller calls it off', async () => {
    await using side = await open();
    const caller = new AbortController();
    const waiting = side.near.call('never', null, { signal: caller.signal });
    caller.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await expect(side.near.call('never', null, { signal: caller.signal })).rejects.toThrow('changed my mind');
  });

  it('fails all that waits, and all that comes later, when the other side goes', async () => {
    await using side = await open();
    await side.near.call('echo', null);
    const reasons: string[] = [];
    side.near.onClose((reason) => reasons.push(reason.code));
    const waiting = [side.near.call('never', null), side.near.call('slow', { ms: 10_000 })];
    side.loseFar();
    for (const call of waiting) await expect(call).rejects.toMatchObject({ code: 'engine.gone' });
    await expect(side.near.call('echo', null)).rejects.toMatchObject({ code: 'engine.gone' });
    expect(side.near.send('ping', { n: 1 })).toBe(false);
    expect(side.near.closed).toMatchObject({ code: 'engine.gone' });
    expect(reasons).toEqual(['engine.gone']);
  });

  it('holds no more than its limits for a side that stopped reading', async () => {
    await using side = await open({ limits: { droppable: 1 << 20, all: 4 << 20 } });
    await side.near.call('echo', null);
    const blocked = side.near.call('block', null, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    const chunk = { n: 1, filler: 'x'.repeat(100_000) };
    // More than the pipe between two processes takes by itself.
    await new Promise((resolve) => setTimeout(resolve, 50));
    let refused = 0;
    let refusedDroppable = 0;
    for (let i = 0; i < 400; i++) {
      if (!side.near.send('ping', chunk, { droppable: i % 2 === 0 })) i % 2 ? refused++ : refusedDroppable++;
    }
    expect(refused).toBeGreaterThan(100);
    expect(refusedDroppable).toBeGreaterThan(refused);
    expect(side.near.dropped).toBe(refused + refusedDroppable);
    await expect(side.near.call('echo', chunk)).rejects.toMatchObject({ code: 'engine.unresponsive' });
    side.loseFar();
    expect(await blocked).toMatchObject({ code: 'engine.gone' });
  });

  it('lets only so many calls wait', async () => {
    await using side = await open({ limits: { calls: 2 } });
    const waiting = [1, 2].map(() => side.near.call('never', null).catch((error: unknown) => error));
    await expect(side.near.call('never', null)).rejects.toMatchObject({ code: 'engine.unresponsive' });
    side.near.close();
    for (const call of waiting) expect(await call).toMatchObject({ code: 'engine.gone' });
  });

  it('survives a listener that throws', async () => {
    const logged: string[] = [];
    await using side = await open({ log: { ...silentLogger, error: (text) => logged.push(text) } });
    const heard: number[] = [];
    side.near.on('pong', () => {
      throw new Error('no');
    });
    side.near.on('pong', ({ n }) => heard.push(n));
    side.near.send('ping', { n: 1 });
    await side.near.call('echo', null);
    expect(heard).toEqual([1]);
    expect(logged).toEqual(['A listener to pong failed']);
  });
});

describe('a link whose pipe code of modules wrote into', () => {
  it.each([
    'no JSON',
    'null',
    '[]',
    '{"is":"what"}',
    '{"is":"call","id":1}',
    '{"is":"event","event":1}',
    '{"is":"refusal","id":1,"code":"no code"}',
    '{"is":"refusal","id":1,"code":"toString","detail":"","message":""}',
  ])('ignores %s, and goes on', async (text) => {
    const { control, engine } = memoryTransports();
    const link = near(control, {});
    const call = link.call('ask', { a: 1, b: 1 });
    engine.send(text);
    engine.send('{"is":"answer","id":1,"gives":2}');
    expect(await call).toBe(2);
  });
});
