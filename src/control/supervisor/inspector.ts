import type { Debugger } from 'node:inspector';
import type WebSocket from 'ws';
import { isObject } from '../../contract/json.ts';

/** Of one message, in bytes; a script may bring its source map. */
const longestMessage = 64 * 1024 * 1024;

/** What a message of the protocol carries. */
export type Fields = { readonly [field: string]: unknown };

/** One connection to the inspector of a process (Chrome DevTools Protocol). */
export class Inspector {
  /** Resolves when the other side is gone. */
  readonly closed: Promise<undefined>;
  readonly #socket: WebSocket;
  readonly #urls = new Map<string, string>();
  readonly #answers = new Map<number, (result: Fields) => void>();
  readonly #listeners = new Map<string, (params: Fields) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve(undefined)));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => this.#hear(String(data)));
  }

  /**
   * Connects.
   * @returns undefined where nobody is there
   */
  static async at(url: string): Promise<Inspector | undefined> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url, { maxPayload: longestMessage, perMessageDeflate: false });
    const inspector = new Inspector(socket);
    const opened = new Promise<boolean>((resolve) => socket.once('open', () => resolve(true)));
    return (await Promise.race([opened, inspector.closed])) ? inspector : undefined;
  }

  /** Resolves with the next event of this name. */
  once(event: string): Promise<Fields> {
    return new Promise((resolve) => this.#listeners.set(event, resolve));
  }

  /** Calls a method; rejects when the other side is gone. */
  ask(method: string, params: Fields = {}): Promise<Fields> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, resolve);
      const gone = (): void => reject(new Error('the inspector is closed'));
      void this.closed.then(gone);
      if (this.#socket.readyState !== this.#socket.OPEN) return gone();
      this.#socket.send(JSON.stringify({ id, method, params }), (error) => error && reject(error));
    });
  }

  /** Calls a method whose answer nobody waits for. */
  tell(method: string): void {
    this.ask(method).catch(() => {});
  }

  /** The URL of the script that a frame is in; empty where that has none. */
  urlOf({ location }: Debugger.CallFrame): string {
    return this.#urls.get(location.scriptId) ?? '';
  }

  /** Has the process close its inspector, which lets it go on; as soon as it can be reached, where it can't be now. */
  end(): void {
    const expression = 'process.getBuiltinModule("node:inspector").close()';
    const answered = this.ask('Runtime.evaluate', { expression });
    void answered.catch(() => {}).then(() => this.#socket.terminate());
  }

  #hear(text: string): void {
    const { id, method, params, result } = parsed(text);
    if (typeof id === 'number') {
      this.#answers.get(id)?.(isObject(result) ? result : {});
      this.#answers.delete(id);
    } else if (typeof method === 'string' && isObject(params)) {
      if (method === 'Debugger.scriptParsed')
        this.#urls.set(String(params['scriptId']), String(params['url']));
      this.#listeners.get(method)?.(params);
    }
  }
}

/** Whoever invited us may be no inspector: what is no message is an empty one. */
function parsed(text: string): Fields {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}
