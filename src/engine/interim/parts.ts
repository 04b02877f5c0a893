import type { EventEmitter } from 'node:events';
import type { Log } from '../../logging/create-logger.ts';

/** Stands in for `RED.log` until `engine/log` is there. */
export function createRedLog(log: Log) {
  const handlers = new Set<EventEmitter>();
  const write = (record: { level: number; [member: string]: unknown }) => {
    const whole = { timestamp: Date.now(), ...record };
    log.write(whole);
    for (const handler of handlers) handler.emit('log', whole);
  };
  const at = (level: number) => (msg: unknown) => write({ level, msg });
  return {
    FATAL: 10,
    ERROR: 20,
    WARN: 30,
    INFO: 40,
    DEBUG: 50,
    TRACE: 60,
    AUDIT: 98,
    METRIC: 99,
    addHandler: (handler: EventEmitter) => void handlers.add(handler),
    removeHandler: (handler: EventEmitter) => void handlers.delete(handler),
    log: write,
    info: at(40),
    warn: at(30),
    error: at(20),
    trace: at(60),
    debug: at(50),
    metric: () => log.metrics,
    audit: (event: object) => write({ ...event, level: 98 }),
    _: (key: string) => key,
  };
}
