import { AppError, type ErrorCode } from '../contract/errors.ts';
import type { Logger } from '../logging/logger.ts';
import { type Frame, readFrame } from './frames.ts';
import { Listeners } from './listeners.ts';
import { type CallOptions, PendingCalls } from './pending.ts';
import type { ControlCalls, ControlEvents, EngineCalls, EngineEvents, Handlers } from './protocol.ts';
import type { Transport } from './transport.ts';

export type { CallOptions } from './pending.ts';

/**
 * One end of the link between the planes: typed calls with answers, and events, in both directions.
 * @typeParam Calls - what may be called on the other side
 * @typeParam Sends - the events that go to the other side
 * @typeParam Hears - the events that come from it
 */
export interface Link<Calls extends CallsOf<Calls>, Sends, Hears> {
  /**
   * Calls a method of the other side.
   * @throws AppError what the handler threw (`engine.failed` or `internal_error` where that was not foreseen);
   * `engine.timeout`; `engine.gone` when the other side went; `engine.unresponsive` when it takes nothing any more and
   * too much waits already. The signal's reason when that aborts.
   */
  call<M extends keyof Calls & string>(
    method: M,
    asks: Calls[M]['asks'],
    options?: CallOptions,
  ): Promise<Calls[M]['gives']>;
  /**
   * Tells the other side. An event that may be lost (`droppable`) is lost when much waits already, any other only when
   * very much does, so that memory stays bounded whatever the other side does.
   * @returns whether it was sent
   */
  send<E extends keyof Sends & string>(
    event: E,
    data: Sends[E],
    options?: { readonly droppable?: boolean },
  ): boolean;
  /** Listens to an event. Returns the way to stop. */
  on<E extends keyof Hears & string>(event: E, listener: (data: Hears[E]) => void): () => void;
  /** Told once when the link ends, by whichever side. */
  onClose(listener: (reason: AppError) => void): () => void;
  /** Why the link ended, once it has. */
  readonly closed: AppError | undefined;
  /** Events that were dropped because too much waited. */
  readonly dropped: number;
  /** Ends the link. */
  close(reason?: AppError): void;
}

/** The methods of one direction. */
type CallsOf<C> = { readonly [M in keyof C]: { asks: unknown; gives: unknown } };

/** The control plane's end. */
export type EngineLink = Link<EngineCalls, ControlEvents, EngineEvents>;
/** The engine's end. */
export type ControlLink = Link<ControlCalls, EngineEvents, ControlEvents>;

/** How much may wait for a side that reads slowly or not at all. Characters of JSON. */
export interface LinkLimits {
  /** Above this, droppable events are dropped. */
  readonly droppable: number;
  /** Above this, calls fail and all events are dropped. One text may exceed it when nothing waits. */
  readonly all: number;
  /** Calls that may wait for an answer at once. */
  readonly calls: number;
}

const defaultLimits: LinkLimits = { droppable: 8 << 20, all: 64 << 20, calls: 10_000 };

/** What a link is made of. */
export interface LinkDeps<Handles> {
  readonly transport: Transport;
  /** Answers the other side's calls. */
  readonly handlers: Handlers<Handles>;
  readonly log: Logger;
  /** What the other side is told of an error that was not foreseen. */
  readonly unforeseen: Extract<ErrorCode, 'engine.failed' | 'internal_error'>;
  /** Time-out of calls that name none. */
  readonly timeoutMs?: number;
  readonly limits?: Partial<LinkLimits>;
}

/** Opens one end of a link over a transport. */
export function openLink<Calls extends CallsOf<Calls>, Handles, Sends, Hears>(
  deps: LinkDeps<Handles>,
): Link<Calls, Sends, Hears> {
  return new TransportLink<Calls, Handles, Sends, Hears>(deps);
}

class TransportLink<Calls extends CallsOf<Calls>, Handles, Sends, Hears>
  implements Link<Calls, Sends, Hears>
{
  readonly #deps: LinkDeps<Handles>;
  readonly #limits: LinkLimits;
  readonly #pending = new PendingCalls();
  readonly #heard: Listeners<Hears>;
  readonly #closeListeners = new Set<(reason: AppError) => void>();
  #closed: AppError | undefined;
  #dropped = 0;
  #dropping = false;

  constructor(deps: LinkDeps<Handles>) {
    this.#deps = deps;
    this.#heard = new Listeners(deps.log);
    this.#limits = { ...defaultLimits, ...deps.limits };
    deps.transport.onText((text) => this.#hear(text));
    deps.transport.onClose(() => this.#end(new AppError('engine.gone')));
  }

  get closed(): AppError | undefined {
    return this.#closed;
  }

  get dropped(): number {
    return this.#dropped;
  }

  call<M extends keyof Calls & string>(
    method: M,
    asks: Calls[M]['asks'],
    options: CallOptions = {},
  ): Promise<Calls[M]['gives']> {
    const timeoutMs = options.timeoutMs ?? this.#deps.timeoutMs ?? 30_000;
    const answer = this.#pending.open(method, timeoutMs, options.signal, (id) => {
      const full = this.#pending.size > this.#limits.calls;
      if (full || !this.#transmit({ is: 'call', id, method, asks }, this.#limits.all)) {
        throw new AppError('engine.unresponsive', {
          message: `${method}: too much waits for the other side`,
        });
      }
    });
    // The answer's type follows from the method: both ends are compiled against the same protocol.
    return answer as Promise<Calls[M]['gives']>;
  }

  send<E extends keyof Sends & string>(
    event: E,
    data: Sends[E],
    options?: { readonly droppable?: boolean },
  ): boolean {
    if (this.#closed) return false;
    const limit = options?.droppable ? this.#limits.droppable : this.#limits.all;
    const sent = this.#transmit({ is: 'event', event, data }, limit);
    if (sent) {
      this.#dropping = false;
    } else {
      this.#dropped++;
      if (!this.#dropping) {
        this.#deps.log.warn(`The other plane reads too slowly: events (${event}) are dropped`);
      }
      this.#dropping = true;
    }
    return sent;
  }

  on<E extends keyof Hears & string>(event: E, listener: (data: Hears[E]) => void): () => void {
    return this.#heard.on(event, listener);
  }

  onClose(listener: (reason: AppError) => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  close(reason = new AppError('engine.gone')): void {
    this.#end(reason);
    this.#deps.transport.close();
  }

  #end(reason: AppError): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#pending.failAll(reason);
    for (const listener of this.#closeListeners) listener(reason);
  }

  #transmit(frame: Frame, limit: number): boolean {
    const { transport } = this.#deps;
    const waiting = transport.buffered;
    // Checked before the text is made: what cannot be sent should cost nothing.
    if (waiting > limit) return false;
    const text = JSON.stringify(frame);
    if (waiting > 0 && waiting + text.length > limit) return false;
    transport.send(text);
    return true;
  }

  /** Whatever code of modules may have written into the pipe, this process goes on. */
  #hear(text: string): void {
    const frame = readFrame(text);
    if (frame !== undefined) this.#receive(frame);
    else this.#deps.log.warn('Something that is no message came from the other plane, and is ignored');
  }

  #receive(frame: Frame): void {
    switch (frame.is) {
      case 'call':
        void this.#answer(frame.id, frame.method, frame.asks);
        return;
      case 'answer':
        this.#pending.resolve(frame.id, frame.gives);
        return;
      case 'refusal':
        this.#pending.reject(frame.id, new AppError(frame.code, frame));
        return;
      case 'event':
        this.#heard.emit(frame.event as keyof Hears & string, frame.data as Hears[keyof Hears & string]);
        return;
      default:
        frame satisfies never;
    }
  }

  async #answer(id: number, method: string, asks: unknown): Promise<void> {
    const handlers = this.#deps.handlers as { [method: string]: ((asks: unknown) => unknown) | undefined };
    let frame: Frame;
    try {
      const handler = handlers[method];
      if (handler === undefined) throw new Error(`nobody answers ${method}`);
      // Called on the object: a handler may be a method of a class.
      const gives = await handler.call(handlers, asks);
      frame = { is: 'answer', id, gives: gives ?? null };
    } catch (error) {
      frame = { is: 'refusal', id, ...this.#explain(method, error) };
    }
    if (this.#closed) return;
    try {
      if (this.#transmit(frame, this.#limits.all)) return;
      this.#deps.log.warn(`The other plane reads too slowly: the answer to ${method} was dropped`);
    } catch (error) {
      // An answer that JSON cannot carry is a mistake of the handler.
      this.#transmit({ is: 'refusal', id, ...this.#explain(method, error) }, this.#limits.all);
    }
  }

  #explain(method: string, error: unknown): { code: ErrorCode; detail: string; message: string } {
    if (error instanceof AppError) {
      return { code: error.code, detail: error.detail, message: error.message };
    }
    this.#deps.log.error(`${method} failed`, { err: error });
    const { code, detail, message } = new AppError(this.#deps.unforeseen);
    return { code, detail, message };
  }
}
