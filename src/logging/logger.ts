/**
 * The log as the rooms see it. Levels are those of the field; an object first puts structured members beside the text.
 * @remarks The implementation (pino behind it, the console format, handlers of the settings file) is `create-logger.ts`.
 */
export interface Logger {
  error(text: string, members?: LogMembers): void;
  warn(text: string, members?: LogMembers): void;
  info(text: string, members?: LogMembers): void;
  debug(text: string, members?: LogMembers): void;
  trace(text: string, members?: LogMembers): void;
}

/** Structured members of a log line; `err` is an error whose stack is logged. Never secrets. */
export type LogMembers = { readonly err?: unknown; readonly [name: string]: unknown };

/** A log that says nothing; for tests and for embedding. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  trace() {},
};
