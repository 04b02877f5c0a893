import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EngineLog, type EngineRecord } from './engine-log.ts';

function fixture(metrics = false) {
  const written: EngineRecord[] = [];
  const log = new EngineLog({
    log: { write: (record) => void written.push({ ...record }), metrics },
    translate: (key) => `text of ${key}`,
  });
  return { log, written };
}

describe('RED.log', () => {
  it('has the levels that node modules compare', () => {
    const { FATAL, ERROR, WARN, INFO, DEBUG, TRACE, AUDIT, METRIC } = fixture().log;
    expect([FATAL, ERROR, WARN, INFO, DEBUG, TRACE, AUDIT, METRIC]).toEqual([10, 20, 30, 40, 50, 60, 98, 99]);
  });

  it('writes what it is told, also by functions taken off it', () => {
    const { log, written } = fixture();
    const { error, warn, info, debug, trace } = log;
    const failure = new Error('x');
    for (const write of [error, warn, info, debug, trace]) write(failure);
    expect(written.map(({ level, msg }) => [level, msg])).toEqual(
      [20, 30, 40, 50, 60].map((level) => [level, failure]),
    );
    expect(written[0]?.timestamp).toEqual(expect.any(Number));
  });

  it('keeps every member of a record', () => {
    const { log, written } = fixture();
    log.log({ level: 30, id: 'n1', type: 'function', z: 't1', name: 'f', path: 't1', msg: { a: 1 } });
    expect(written).toEqual([
      {
        level: 30,
        id: 'n1',
        type: 'function',
        z: 't1',
        name: 'f',
        path: 't1',
        msg: { a: 1 },
        timestamp: expect.any(Number),
      },
    ]);
  });

  it('tells handlers after it has written, until they are removed', () => {
    const { log, written } = fixture();
    const heard: unknown[] = [];
    const handler = new EventEmitter().on('log', (record) => {
      heard.push(record.msg);
      record.msg = 'changed';
    });
    log.addHandler(handler);
    log.warn('one');
    log.removeHandler(handler);
    log.removeHandler(handler);
    log.warn('two');
    expect(heard).toEqual(['one']);
    expect(written.map(({ msg }) => msg)).toEqual(['one', 'two']);
  });

  it('is not stopped by a handler that throws', () => {
    const { log, written } = fixture();
    const heard: unknown[] = [];
    log.addHandler(
      new EventEmitter().on('log', () => {
        throw new Error('broken');
      }),
    );
    log.addHandler(new EventEmitter().on('log', (record) => heard.push(record.msg)));
    log.info('text');
    expect(heard).toEqual(['text']);
    expect(written.map(({ msg }) => String(msg).split('\n')[0])).toEqual([
      'text',
      'A log handler failed: Error: broken',
    ]);
  });

  it('writes who did what', () => {
    const { log, written } = fixture();
    log.audit({ event: 'x.y' });
    log.audit(
      { event: 'x.z' },
      { user: { username: 'fred' }, path: '/p', headers: { 'x-forwarded-for': '1.2.3.4' } },
    );
    expect(written).toEqual([
      { event: 'x.y', level: 98, timestamp: expect.any(Number) },
      {
        event: 'x.z',
        level: 98,
        user: { username: 'fred' },
        path: '/p',
        ip: '1.2.3.4',
        timestamp: expect.any(Number),
      },
    ]);
  });

  it('says whether metrics are wanted, and translates', () => {
    expect(fixture().log.metric()).toBe(false);
    expect(fixture(true).log.metric()).toBe(true);
    expect(fixture().log._('a:b')).toBe('text of a:b');
  });
});
