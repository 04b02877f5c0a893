import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

const message = (topic: string, n: number) => ({ topic, json: JSON.stringify({ topic, data: n }) });

describe('Outbox', () => {
  it('gives frames of at most 50, in order', () => {
    const outbox = new Outbox();
    for (let n = 0; n < 120; n++) outbox.add(message('debug', n));
    const frames = [outbox.take(0), outbox.take(0), outbox.take(0)].map((frame) => JSON.parse(frame ?? '[]'));
    expect(frames.map((frame) => frame.length)).toEqual([50, 50, 20]);
    expect(frames.flat().map(({ data }) => data)).toEqual(Array.from({ length: 120 }, (_, n) => n));
    expect(outbox.take(0)).toBeUndefined();
  });

  it('is bounded: drops debug output of a slow reader and says how much', () => {
    const outbox = new Outbox();
    for (let n = 0; n < 6000; n++) outbox.add(message('debug', n));
    outbox.add(message('notification/runtime-state', 1));
    const all = [];
    for (let frame = outbox.take(7); frame !== undefined; frame = outbox.take(7))
      all.push(...JSON.parse(frame));
    expect(all.length).toBe(5001);
    expect(all.at(-2).topic).toBe('notification/runtime-state');
    expect(all.at(-1).data).toMatchObject({ level: 30, msg: expect.stringContaining('1001 debug messages') });
    expect(outbox.isEmpty).toBe(true);
  });

  it('is bounded in size as well, and keeps what is no debug output', () => {
    const outbox = new Outbox();
    const json = JSON.stringify({ topic: 'debug', data: 'x'.repeat(1024 * 1024) });
    for (let n = 0; n < 100; n++) outbox.add({ topic: 'debug', json });
    outbox.add({ topic: 'notification/a', json: JSON.stringify({ topic: 'notification/a', data: json }) });
    let size = 0;
    let last = '';
    for (let frame = outbox.take(7); frame !== undefined; frame = outbox.take(7)) {
      size += frame.length;
      last = frame;
    }
    expect(size).toBeLessThan(20 * 1024 * 1024);
    const end = JSON.parse(last).slice(-2);
    expect(end[0].topic).toBe('notification/a');
    expect(end[1].data.msg).toMatch(/^\d+ debug messages/);
  });
});
