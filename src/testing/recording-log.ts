import type { Log } from '../logging/create-logger.ts';
import type { LogMembers } from '../logging/logger.ts';

/** A log that hands every record to a function and shows nothing. */
export function recordingLog(record: (line: { level: number; [member: string]: unknown }) => unknown): Log {
  const at = (level: number) => (msg: string, members?: LogMembers) =>
    void record({ ...members, level, msg });
  return {
    fatal: at(10),
    error: at(20),
    warn: at(30),
    info: at(40),
    debug: at(50),
    trace: at(60),
    write: (line) => void record(line),
    metrics: false,
    close() {},
  };
}
