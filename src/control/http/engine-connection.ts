import { connect, type Socket } from 'node:net';
import { ResponseParser, type ResponseSink } from './response-parser.ts';

/** What happens on a connection while it serves one request. */
export interface ConnectionUser extends ResponseSink {
  /** The engine takes bytes again. */
  drained(): void;
  /** The connection broke before the response was complete. */
  broken(error: Error | undefined): void;
}

/**
 * One connection to the engine's private socket; it serves one request at a time.
 * @remarks Tells its user nothing after `end` or `broken`.
 */
export class EngineConnection {
  readonly #socket: Socket;
  readonly #onClose: (connection: EngineConnection) => void;
  #user: ConnectionUser | undefined;
  #parser: ResponseParser | undefined;

  constructor(path: string, onClose: (connection: EngineConnection) => void) {
    this.#onClose = onClose;
    this.#socket = connect(path);
    let failure: Error | undefined;
    this.#socket.on('data', (bytes) => this.#read(bytes));
    this.#socket.on('drain', () => this.#user?.drained());
    this.#socket.on('error', (error) => {
      failure = error;
    });
    this.#socket.on('close', () => {
      this.#onClose(this);
      if (this.#parser?.close() !== true) this.#break(failure);
    });
  }

  get alive(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** Begins a request. @returns whether more may be written at once */
  begin(user: ConnectionUser, head: string, headRequest: boolean): boolean {
    this.#user = user;
    this.#parser = new ResponseParser(user, headRequest);
    return this.#socket.write(head, 'latin1');
  }

  /** Writes a part of the request's body. @returns whether more may be written at once */
  write(chunk: Buffer): boolean {
    return this.#socket.write(chunk);
  }

  /** Writes a part of the request's body as a chunk (RFC 9112, 7.1); an empty one ends the body. */
  writeChunk(chunk: Buffer): boolean {
    this.#socket.cork();
    this.#socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    if (chunk.length > 0) this.#socket.write(chunk);
    const more = this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    return more;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The user is done. @returns whether the connection can serve another request */
  release(): boolean {
    const reusable = this.#parser?.reusable === true && this.alive;
    this.#user = undefined;
    this.#parser = undefined;
    if (!reusable) this.destroy();
    else if (this.#socket.isPaused()) this.#socket.resume();
    return reusable;
  }

  destroy(): void {
    this.#user = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    // Nobody asked: whatever it is, the connection cannot be trusted any more.
    if (!this.#parser) {
      this.destroy();
      return;
    }
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#break(error as Error);
      this.destroy();
    }
  }

  #break(error: Error | undefined): void {
    const user = this.#user;
    this.#user = undefined;
    user?.broken(error);
  }
}
