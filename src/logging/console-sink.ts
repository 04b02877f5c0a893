import { createRequire } from 'node:module';
import type { Logger as Pino } from 'pino';
import { levelName } from './levels.ts';
import type { LogSink } from './record.ts';
import { textLine } from './text-line.ts';

/** What the console is written through; `process.stdout`, or a test's. */
export interface LineWriter {
  readonly isTTY?: boolean;
  write(line: string): unknown;
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
