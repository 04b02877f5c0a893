import { levelNumbers } from '../../logging/levels.ts';

/** A record as nodes and node modules write it: `msg` and what else they know. */
export interface EngineRecord {
  level: number;
  msg?: unknown;
  timestamp?: number;
  [member: string]: unknown;
}

/** What a node module adds to hear the log: an emitter of `log` events. */
export interface LogHandler {
  emit(event: 'log', record: EngineRecord): unknown;
}

/** What of an HTTP request an audit record names. */
interface AuditedRequest {
  readonly user?: unknown;
  readonly path?: unknown;
  readonly ip?: unknown;
  readonly headers?: { readonly 'x-forwarded-for'?: unknown };
  readonly connection?: { readonly remoteAddress?: unknown };
}

/** What {@link EngineLog} writes to. */
export interface EngineLogDeps {
  readonly log: {
    write(record: EngineRecord): void;
    /** Whether metric records are wanted anywhere. */
    readonly metrics: boolean;
  };
  readonly translate: (key: string, ...options: unknown[]) => string;
}

/**
 * `RED.log`: writes to the engine's log and tells the handlers of node modules.
 * @remarks Members work without their object. The debug node hears warnings and errors as a handler like any other and
 * shows them in the editor; a handler may change the record, so the log is written first.
 */
export class EngineLog {
  readonly FATAL = levelNumbers.fatal;
  readonly ERROR = levelNumbers.error;
  readonly WARN = levelNumbers.warn;
  readonly INFO = levelNumbers.info;
  readonly DEBUG = levelNumbers.debug;
  readonly TRACE = levelNumbers.trace;
  readonly AUDIT = levelNumbers.audit;
  readonly METRIC = levelNumbers.metric;

  readonly #deps: EngineLogDeps;
  readonly #handlers: LogHandler[] = [];

  constructor(deps: EngineLogDeps) {
    this.#deps = deps;
    this._ = deps.translate;
  }

  /** Writes a record. */
  readonly log = (record: EngineRecord): void => {
    record.timestamp = Date.now();
    this.#deps.log.write(record);
    // A copy: handlers come and go meanwhile.
    for (const handler of [...this.#handlers]) this.#tell(handler, record);
  };

  readonly error = (msg: unknown): void => this.log({ level: this.ERROR, msg });
  readonly warn = (msg: unknown): void => this.log({ level: this.WARN, msg });
  readonly info = (msg: unknown): void => this.log({ level: this.INFO, msg });
  readonly debug = (msg: unknown): void => this.log({ level: this.DEBUG, msg });
  readonly trace = (msg: unknown): void => this.log({ level: this.TRACE, msg });

  /** Whether metric records are wanted. */
  readonly metric = (): boolean => this.#deps.log.metrics;

  /** Writes an audit record: an event, and who asked for it. */
  readonly audit = (event: Record<string, unknown>, request?: AuditedRequest): void => {
    const record: EngineRecord = Object.assign(event, { level: this.AUDIT });
    if (request) {
      const { user, path, ip, headers, connection } = request;
      const from = ip || headers?.['x-forwarded-for'] || connection?.remoteAddress || undefined;
      Object.assign(record, { user, path, ip: from });
    }
    this.log(record);
  };

  readonly addHandler = (handler: LogHandler): void => void this.#handlers.push(handler);

  readonly removeHandler = (handler: LogHandler): void => {
    const at = this.#handlers.indexOf(handler);
    if (at >= 0) this.#handlers.splice(at, 1);
  };

  /** Translates a key, which names its namespace. */
  readonly _: (key: string, ...options: unknown[]) => string;

  #tell(handler: LogHandler, record: EngineRecord): void {
    try {
      handler.emit('log', record);
    } catch (error) {
      // Whoever wrote the record has no part in this.
      const msg = `A log handler failed: ${error instanceof Error ? error.stack : error}`;
      this.#deps.log.write({ level: this.ERROR, msg, timestamp: Date.now() });
    }
  }
}
