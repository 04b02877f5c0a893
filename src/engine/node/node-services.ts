import type { Hooks } from '../messaging/hooks.ts';
import type { Router } from '../messaging/router.ts';

/** Levels of log records: the peer's numbers, which log handlers of settings files compare. */
export const logLevel = { error: 20, warn: 30, info: 40, debug: 50, trace: 60, metric: 99 } as const;

/** A log record of a node or a flow. */
export interface LogRecord {
  level: number;
  msg?: unknown;
  [member: string]: unknown;
}

/** `RED.log`, as far as nodes and flows write to it. */
export interface FlowLog {
  log(record: LogRecord): void;
  info(message: unknown): void;
  warn(message: unknown): void;
  error(message: unknown): void;
  debug(message: unknown): void;
  trace(message: unknown): void;
  /** Whether metric records are wanted. */
  metric(): boolean;
}

/** A context of a node, a flow or everything, as node modules use it. */
export interface ContextLike {
  get(key: string | string[], ...rest: unknown[]): unknown;
  set(key: string | string[], value: unknown, ...rest: unknown[]): unknown;
  keys(...rest: unknown[]): unknown;
}

/** What nodes need of the engine. */
export interface NodeServices {
  readonly router: Router;
  readonly hooks: Hooks;
  readonly log: FlowLog;
  readonly contexts: {
    /** The context of a node in a flow, with its `flow` and `global`. */
    get(id: string, flowId?: string): ContextLike;
    /** The node has closed: forgets its context unless stores are configured. */
    delete(id: string, flowId?: string): Promise<unknown>;
  };
}
