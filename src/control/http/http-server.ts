import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerOptions as HttpsOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refuseBrokenRequest } from './client-error.ts';
import { http, https } from './node-http.ts';

/** Answers requests, and takes upgrades. */
export interface Entrance {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Longer than any proxy keeps an idle connection, so that none is closed under a request on its way. */
const keepAliveTimeoutMs = 72_000;
/** What is being answered when the server closes gets so long. */
const graceMs = 1000;

/**
 * The real HTTP server. It can listen before what answers is built: requests then wait for {@link open}, so that an
 * address in use is known at once and everything else may start in parallel.
 */
export class HttpServer {
  readonly server: Server;
  readonly #opened = Promise.withResolvers<Entrance>();
  readonly #sockets = new Set<Socket>();
  #entrance: Entrance | undefined;

  /** @param secure serve HTTPS with these options */
  constructor(secure?: HttpsOptions) {
    const options = {
      keepAliveTimeout: keepAliveTimeoutMs,
      // HTTP/2 is declined by answering as usual (RFC 9110, 7.8); every other protocol is for a node to take.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => !/^h2c$/i.test(headers.upgrade ?? ''),
    };
    const server: Server = secure
      ? https.createServer({ ...options, ...secure })
      : http.createServer(options);
    server.on('request', (req, res) => {
      req.url = originForm(req.url);
      this.#enter((entrance) => entrance.request(req, res));
    });
    server.on('upgrade', (req, socket, head) =>
      this.#enter((entrance) => entrance.upgrade(req, socket, head)),
    );
    server.on('clientError', refuseBrokenRequest);
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.server = server;
  }

  /** @throws the system's error (`EADDRINUSE`, …) where the address can't be listened on */
  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve(this.server.address() as AddressInfo);
      });
    });
  }

  /** Lets requests in, those that have waited first. */
  open(entrance: Entrance): void {
    this.#entrance = entrance;
    this.#opened.resolve(entrance);
  }

  /** Stops listening, lets requests on their way end for a moment, and ends every connection, upgraded ones too. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const force = setTimeout(() => this.#sockets.forEach((socket) => void socket.destroy()), graceMs);
    await closed;
    clearTimeout(force);
  }

  #enter(through: (entrance: Entrance) => void): void {
    if (this.#entrance) through(this.#entrance);
    else void this.#opened.promise.then(through);
  }
}

/** What was asked for, also where the whole address was sent, as to a proxy (RFC 9112, 3.2.2). */
function originForm(url = '/'): string {
  if (url.startsWith('/')) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}
