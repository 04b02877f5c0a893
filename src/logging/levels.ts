/** The levels that a destination can be set to, quietest first; each shows those before it too. */
export const logLevels = ['off', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The numbers that stand for levels in records, as node modules and log handlers know them. Audit and metric events are
 * switched on by themselves, not by the level.
 */
export const levelNumbers = {
  off: 1,
  fatal: 10,
  error: 20,
  warn: 30,
  info: 40,
  debug: 50,
  trace: 60,
  audit: 98,
  metric: 99,
} as const;

/** What a line of the log can be. */
export type RecordLevel = Exclude<keyof typeof levelNumbers, 'off'>;

const names = new Map<number, RecordLevel>(
  Object.entries(levelNumbers).flatMap(([name, number]) =>
    name === 'off' ? [] : [[number, name as RecordLevel]],
  ),
);

/** The name of a level's number; unknown numbers count as `info`. */
export function levelName(level: number): RecordLevel {
  return names.get(level) ?? 'info';
}
