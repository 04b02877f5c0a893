import { createRequire } from 'node:module';
import type { Logger as Pino } from 'pino';
import { levelName, levelNumbers } from './levels.ts';
import type { LogSink } from './record.ts';
import { textLine } from './text-line.ts';

/** What the console is written through; `process.stdout`, or a test's. */
export interface LineWriter {
  readonly isTTY?: boolean;
  /** Characters that wait because whoever reads is slow. */
  readonly writableLength?: number;
  write(line: string): unknown;
}

/** How much may wait for a reader of the console, in characters. */
const waitingLimit = 1024 * 1024;

/**
 * Leaves lines out while nobody reads the console (a pipe to a process that hangs), rather than keeping them for ever.
 * How many were left out is said once there is somebody again.
 */
export function boundedSink(out: LineWriter, sink: LogSink): LogSink {
  let leftOut = 0;
  return {
    write(record) {
      if ((out.writableLength ?? 0) > waitingLimit) {
        leftOut++;
        return;
      }
      if (leftOut > 0) {
        const msg = `${leftOut} lines of the log were left out, because nobody read them`;
        leftOut = 0;
        sink.write({ level: levelNumbers.warn, msg, timestamp: record.timestamp });
      }
      sink.write(record);
    },
  };
}

/** The console as lines for people. One write to the line, so that the two planes never mix theirs. */
export function textSink(out: LineWriter, verbose: boolean): LogSink {
  const style = { colours: out.isTTY === true && !process.env['NO_COLOR'], verbose };
  return { write: (record) => void out.write(`${textLine(record, style)}\n`) };
}

/**
 * The console as one JSON object to the line (pino): `level` in words, `time`, `plane`, `msg`, and the members; an error
 * under `err` with its stack.
 */
export function jsonSink(out: LineWriter, plane: string): LogSink {
  // Loaded only where it is asked for: it costs more than the rest of the log together.
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  const log: Pino<'audit' | 'metric'> = pino(
    {
      level: 'trace',
      customLevels: { audit: 98, metric: 99 },
      base: { pid: process.pid, plane },
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => void out.write(line) },
  );
  return {
    write({ level, msg, timestamp: _, ...members }) {
      const text =
        typeof msg === 'string' || msg === undefined ? msg : msg instanceof Error ? msg.message : undefined;
      const rest =
        msg instanceof Error ? { err: msg } : text === undefined && msg !== undefined ? { value: msg } : {};
      log[levelName(level)]({ ...members, ...rest }, text);
    },
  };
}
