import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { ConnectionUser, EngineConnection } from './engine-connection.ts';
import type { EnginePool } from './engine-pool.ts';
import { bodyOf, type RequestBody, requestHead } from './request-head.ts';

/** What an exchange needs of its proxy. */
export interface ExchangeDeps {
  readonly pool: EnginePool;
  readonly path: string;
  /** Name and value of the plane header. */
  readonly plane: string;
  /** Told once, when nothing more will happen. */
  readonly settled: (exchange: ProxyExchange) => void;
}

/** One request on its way to the engine, and the response on its way back. */
export class ProxyExchange implements ConnectionUser {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #deps: ExchangeDeps;
  readonly #connection: EngineConnection;
  readonly #body: RequestBody;
  #requestSent: boolean;
  #settled = false;

  constructor(req: IncomingMessage, res: ServerResponse, deps: ExchangeDeps) {
    this.#req = req;
    this.#res = res;
    this.#deps = deps;
    this.#body = bodyOf(req);
    this.#requestSent = this.#body === 'none';
    this.#connection = deps.pool.take(deps.path);
    res.on('close', () => this.#clientGone());
    const more = this.#connection.begin(
      this,
      requestHead(req, this.#body, deps.plane),
      req.method === 'HEAD',
    );
    if (!this.#requestSent) this.#sendBody(more);
  }

  /** Nothing is to be hoped for from the engine: answers in its place, where it has not begun to. */
  fail(code: ErrorCode): void {
    if (!this.#settle()) return;
    this.#connection.destroy();
    answerError(this.#res, code);
  }

  /** Whether the engine has begun to answer. */
  get answered(): boolean {
    return this.#res.headersSent;
  }

  interim(status: number, headers: readonly string[]): void {
    if (this.#req.httpVersionMinor === 0 || status !== 103) return;
    const links = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'link');
    if (links.length > 0) this.#res.writeEarlyHints({ link: links });
  }

  head(status: number, reason: string, headers: string[]): void {
    this.#res.writeHead(status, reason, headers);
  }

  body(chunk: Buffer, last: boolean): void {
    if (last) this.#res.end(chunk);
    else if (!this.#res.write(chunk)) {
      this.#connection.pause();
      this.#res.once('drain', () => {
        if (!this.#settled) this.#connection.resume();
      });
    }
  }

  end(): void {
    if (!this.#settle()) return;
    if (!this.#res.writableEnded) this.#res.end();
    // The parser is still at work on the bytes that held the end; only then it is known whether more came.
    queueMicrotask(() => {
      if (this.#requestSent) this.#deps.pool.give(this.#connection, this.#deps.path);
      else this.#connection.destroy();
    });
  }

  drained(): void {
    this.#req.resume();
  }

  broken(_error: Error | undefined): void {
    this.fail('engine.gone');
  }

  #sendBody(more: boolean): void {
    const req = this.#req;
    const connection = this.#connection;
    if (!more) req.pause();
    req.on('data', (chunk: Buffer) => {
      if (this.#settled) return;
      const fits = this.#body === 'chunked' ? connection.writeChunk(chunk) : connection.write(chunk);
      if (!fits) req.pause();
    });
    req.on('end', () => {
      if (this.#settled) return;
      if (this.#body === 'chunked') connection.writeChunk(Buffer.alloc(0));
      this.#requestSent = true;
    });
  }

  #clientGone(): void {
    if (!this.#settle()) return;
    this.#connection.destroy();
  }

  /** @returns false when it was settled before */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#deps.settled(this);
    // What is left of the request is read and dropped, or its sender would never come to read the answer.
    if (!this.#requestSent) this.#req.resume();
    return true;
  }
}

/** Answers with an error of the table; breaks off a response that has begun. */
export function answerError(res: ServerResponse, code: ErrorCode): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const error = new AppError(code);
  const body = JSON.stringify({ code, message: error.detail });
  res.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(error.status === 503 ? { 'Retry-After': '1' } : {}),
  });
  res.end(body);
}
