/**
 * One line of the log: what handlers of the settings file are called with, and what nodes produce. Members of nodes are
 * `id`, `type`, `name`, `z`, `path`; those of audit and metric events depend on the event.
 */
export interface LogRecord {
  /** One of `levelNumbers`. */
  readonly level: number;
  /** Text, an error, or whatever a node passed. */
  readonly msg?: unknown;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly [member: string]: unknown;
}

/** Where records go. */
export interface LogSink {
  write(record: LogRecord): void;
}
