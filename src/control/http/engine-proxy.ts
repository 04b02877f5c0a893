import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import {
  clientPart,
  type ProxiedPrincipal,
  planeHeaderName,
  principalPart,
} from '../../link/plane-header.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Principal } from '../auth/principal.ts';
import { EnginePool } from './engine-pool.ts';
import type { Identifies } from './guard.ts';
import { answerError, ProxyExchange } from './proxy-exchange.ts';
import { Unauthorized } from './refusals.ts';
import { upgradeHead } from './request-head.ts';

/** The engine, as far as requests for its routes go. */
export interface ProxiedEngine {
  readonly state: { readonly is: string };
  readonly http: { readonly socketPath: string; readonly secret: string } | undefined;
  on(event: 'state', listener: (state: { readonly is: string }) => void): () => void;
}

/** What the proxy needs. */
export interface EngineProxyDeps {
  readonly engine: ProxiedEngine;
  readonly auth: Identifies;
  /** Absent: everybody may do everything, so that nobody needs to be identified. */
  readonly adminAuth: { readonly tokenHeader?: string; readonly default?: unknown } | undefined;
  readonly log: Logger;
}

/**
 * Passes requests and upgrades that are not the admin API's to the engine, with the client's address and who is asking.
 * @remarks What the engine cannot answer, because it is gone or does not respond, is a 503 that says which.
 */
export class EngineProxy {
  readonly #deps: EngineProxyDeps;
  readonly #pool = new EnginePool();
  readonly #exchanges = new Set<ProxyExchange>();
  readonly #clients = new WeakMap<Duplex, string>();
  readonly #tokenHeader: string;
  readonly #stopListening: () => void;
  #header = { secret: '', name: '' };

  constructor(deps: EngineProxyDeps) {
    this.#deps = deps;
    this.#tokenHeader = deps.adminAuth?.tokenHeader?.toLowerCase() ?? 'authorization';
    this.#stopListening = deps.engine.on('state', ({ is }) => {
      if (is === 'unresponsive') this.#giveUp();
    });
  }

  /** Passes a request on, and the answer back. */
  request(req: IncomingMessage, res: ServerResponse): void {
    const principal = this.#identify(req);
    if (principal instanceof Promise) {
      void principal.then((known) => this.#pass(req, res, known));
    } else {
      this.#pass(req, res, principal);
    }
  }

  /** Passes an upgrade on: from then on, whatever either side sends. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    void Promise.resolve(this.#identify(req)).then((principal) => {
      const refusal = this.#refusal();
      const { http } = this.#deps.engine;
      if (refusal || !http) return refuseUpgrade(socket, refusal ?? 'engine.gone');
      const plane = `${this.#headerName(http.secret)}: ${this.#planeValue(req, principal)}`;
      tunnel(socket, connect(http.socketPath), upgradeHead(req, plane), head);
    });
  }

  /** Ends what is under way. */
  close(): void {
    this.#stopListening();
    for (const exchange of [...this.#exchanges]) exchange.fail('engine.gone');
    this.#pool.close();
  }

  #pass(req: IncomingMessage, res: ServerResponse, principal: Principal | undefined): void {
    const refusal = this.#refusal();
    const { http } = this.#deps.engine;
    if (refusal || !http) {
      answerError(res, refusal ?? 'engine.gone');
      return;
    }
    // The client may have gone while it was identified.
    if (res.destroyed) return;
    const exchange = new ProxyExchange(req, res, {
      pool: this.#pool,
      path: http.socketPath,
      plane: `${this.#headerName(http.secret)}: ${this.#planeValue(req, principal)}`,
      settled: (settled) => this.#exchanges.delete(settled),
    });
    this.#exchanges.add(exchange);
  }

  /** Requests that the engine has begun to answer may have their end yet. */
  #giveUp(): void {
    for (const exchange of [...this.#exchanges]) if (!exchange.answered) exchange.fail('engine.unresponsive');
  }

  #refusal(): ErrorCode | undefined {
    const { is } = this.#deps.engine.state;
    if (is === 'unresponsive') return 'engine.unresponsive';
    // Its routes are not all there yet: a 404 would say that they do not exist.
    return is === 'starting' ? 'engine.starting' : undefined;
  }

  /** Who is asking, where routes of nodes may want to know. A refused token is nobody's: the route decides. */
  #identify(req: IncomingMessage): Principal | undefined | Promise<Principal | undefined> {
    const { adminAuth, auth, log } = this.#deps;
    if (!adminAuth) return undefined;
    const { headers } = req;
    const token = /^bearer /i.test(headers.authorization ?? '') || headers[this.#tokenHeader] !== undefined;
    if (!token && adminAuth.default === undefined) return undefined;
    const refused = (error: unknown): undefined => {
      if (!(error instanceof Unauthorized)) log.error('A client could not be identified', { err: error });
    };
    try {
      const principal = auth.identify(headers);
      return principal instanceof Promise ? principal.catch(refused) : principal;
    } catch (error) {
      return refused(error);
    }
  }

  #planeValue(req: IncomingMessage, principal: Principal | undefined): string {
    const { socket } = req;
    let client = this.#clients.get(socket);
    if (client === undefined) {
      client = clientPart({
        address: socket.remoteAddress ?? '',
        port: socket.remotePort ?? 0,
        encrypted: 'encrypted' in socket && socket.encrypted === true,
      });
      this.#clients.set(socket, client);
    }
    return principal === undefined ? client : client + principalPart(proxied(principal));
  }

  #headerName(secret: string): string {
    if (secret !== this.#header.secret) this.#header = { secret, name: planeHeaderName(secret) };
    return this.#header.name;
  }
}

function proxied({ scope, user, anonymous }: Principal): ProxiedPrincipal {
  return {
    scope,
    user: anonymous ? { anonymous: true, permissions: scope } : { ...user },
  };
}

function tunnel(client: Duplex, engine: Socket, head: string, first: Buffer): void {
  engine.write(head, 'latin1');
  if (first.length > 0) engine.write(first);
  engine.setNoDelay(true);
  client.pipe(engine);
  engine.pipe(client);
  let answered = false;
  engine.once('data', () => {
    answered = true;
  });
  engine.on('error', () => {
    if (!answered) refuseUpgrade(client, 'engine.gone');
  });
  engine.on('close', () => client.end());
  client.on('close', () => engine.destroy());
}

function refuseUpgrade(socket: Duplex, code: ErrorCode): void {
  const { status, detail } = new AppError(code);
  const body = JSON.stringify({ code, message: detail });
  socket.end(
    `HTTP/1.1 ${status} Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n${body}`,
  );
}
