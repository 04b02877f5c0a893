import { boundedSink, jsonSink, type LineWriter, textSink } from './console-sink.ts';
import { type LogLevel, levelNumbers } from './levels.ts';
import type { Logger, LogMembers } from './logger.ts';
import type { LogRecord, LogSink } from './record.ts';

/** A destination of the log, as the settings have it. */
export interface LogDestination {
  readonly level: LogLevel;
  readonly metrics: boolean;
  readonly audit: boolean;
  readonly format: 'text' | 'json';
  /** Makes the function that is called with every line; without it the destination is the console. */
  readonly handler?: (settings: unknown) => (line: LogRecord) => void;
}

/** What the log needs of the settings. */
export interface LogSettings {
  readonly logging: { readonly [name: string]: LogDestination };
  /** Stacks and debug lines on the console. */
  readonly verbose: boolean;
}

/** The log of a plane: the rooms' view of it, and what nodes need besides. */
export interface Log extends Logger {
  /** For what ends the process. */
  fatal(text: string, members?: LogMembers): void;
  /** Writes a whole record to every destination that wants its level; `timestamp` is filled in. */
  write(record: { readonly level: number; readonly msg?: unknown; readonly [member: string]: unknown }): void;
  /** Whether any destination takes metric events. */
  readonly metrics: boolean;
  /** Lets handlers with a `close` end what they hold. */
  close(): void;
}

/**
 * The log that the settings describe.
 * @remarks Lines are written at once (a process that is killed has said all it had to say) and whole; while nobody reads
 * the console some are left out, so that the process neither waits nor grows. A handler that throws loses its line, nothing else; that is said once on the console's error stream.
 */
export function createLogger(
  settings: LogSettings,
  plane: 'control' | 'engine',
  out: LineWriter = process.stdout,
): Log {
  if (out === process.stdout) survivesClosedOutput();
  const destinations = Object.entries(settings.logging).map(([name, to]) =>
    destination(name, to, settings, plane, out),
  );
  const write: Log['write'] = (record) => {
    const whole: LogRecord = { ...record, timestamp: Date.now() };
    for (const to of destinations) if (to.wants(whole.level)) to.sink.write(whole);
  };
  const at = (level: number) => (text: string, members?: LogMembers) =>
    write({ ...members, level, msg: text });
  return {
    fatal: at(levelNumbers.fatal),
    error: at(levelNumbers.error),
    warn: at(levelNumbers.warn),
    info: at(levelNumbers.info),
    debug: at(levelNumbers.debug),
    trace: at(levelNumbers.trace),
    write,
    metrics: Object.values(settings.logging).some((to) => to.metrics),
    close: () => {
      for (const to of destinations) to.close();
    },
  };
}

interface Destination {
  readonly sink: LogSink;
  wants(level: number): boolean;
  close(): void;
}

function destination(
  name: string,
  to: LogDestination,
  settings: LogSettings,
  plane: 'control' | 'engine',
  out: LineWriter,
): Destination {
  const onConsole = to.handler === undefined;
  const limit = Math.max(
    levelNumbers[to.level],
    onConsole && settings.verbose && to.level !== 'off' ? levelNumbers.debug : 0,
  );
  const wants = (level: number) =>
    level === levelNumbers.metric ? to.metrics : level === levelNumbers.audit ? to.audit : level <= limit;
  if (to.handler) return { wants, ...handlerSink(name, to, to.handler) };
  return {
    wants,
    sink: boundedSink(out, to.format === 'json' ? jsonSink(out, plane) : textSink(out, settings.verbose)),
    close() {},
  };
}

function handlerSink(
  name: string,
  to: LogDestination,
  make: NonNullable<LogDestination['handler']>,
): Pick<Destination, 'sink' | 'close'> {
  let handle: ((line: LogRecord) => void) & { readonly close?: unknown };
  try {
    handle = make(to);
    if (typeof handle !== 'function') throw new TypeError('its handler returned no function');
  } catch (error) {
    process.stderr.write(`log ${name} is not used: ${error}\n`);
    return { sink: { write() {} }, close() {} };
  }
  let failed = false;
  return {
    sink: {
      write(record) {
        try {
          // A copy, since handlers of existing files change what they are given.
          handle({ ...record });
        } catch (error) {
          if (!failed) process.stderr.write(`log ${name} lost a line, and may lose more: ${error}\n`);
          failed = true;
        }
      },
    },
    close() {
      if (typeof handle.close === 'function') handle.close();
    },
  };
}

/**
 * A reader of the log that goes away (`sluice | head`) must not take the process with it, nor become an uncaught error
 * whose line of the log is the next one. Listeners of others do not count: pipes into the console remove theirs.
 */
function survivesClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

function ignore(): void {}
