import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import cors, { type CorsOptions } from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import { errors } from '../../contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Settings } from '../../settings/settings.ts';
import { basicAuth } from './basic-auth.ts';
import { speakFor } from './client-socket.ts';
import { permissionGuard } from './needs-permission.ts';
import { planeInfo, planeRequestClass } from './plane-request.ts';
import { serveStaticFolders } from './static-folders.ts';

/** What the HTTP side of the engine is made of. */
export interface EngineHttpDeps {
  readonly settings: Pick<
    Settings,
    | 'adminAuth'
    | 'apiMaxLength'
    | 'httpAdminCors'
    | 'httpAdminMiddleware'
    | 'httpAdminRoot'
    | 'httpNodeAuth'
    | 'httpNodeRoot'
    | 'httpServerOptions'
    | 'httpStatic'
    | 'httpStaticAuth'
    | 'httpStaticCors'
    | 'inboundWebSocketTimeout'
  >;
  readonly log: Logger;
  /**
   * By this the control plane is known, which then speaks for its clients. Without it requests are taken as they come
   * (tests of node modules, embedding).
   */
  readonly secret?: string;
}

/** Longer than the control plane's own limit (16 KiB), so that what passed there, and who asks, fits here. */
const maxHeaderSize = 256 * 1024;

/**
 * The HTTP side of `RED`: `httpNode`, `httpAdmin` (express 4) and `server`, a real `http.Server` that takes part in
 * upgrades.
 * @remarks Order as existing modules rely on: the admin application at `httpAdminRoot` with its body parsers, then the
 * nodes' at `httpNodeRoot` behind `httpNodeAuth`, then static folders. What reaches nothing is a 404 in JSON.
 */
export class EngineHttp {
  /** Routes of `http in` nodes and the like; bodies come unparsed where the admin root does not enclose it. */
  readonly httpNode: Express;
  /** What nodes offer to the editor; guarded by {@link EngineHttp.needsPermission} where they ask for it. */
  readonly httpAdmin: Express;
  readonly server: Server;
  /** Makes the middleware that lets only holders of a permission pass. */
  readonly needsPermission: (permission: string | readonly string[]) => RequestHandler;
  readonly #deps: EngineHttpDeps;
  #listening = false;

  constructor(deps: EngineHttpDeps) {
    this.#deps = deps;
    const { settings, secret } = deps;
    const app = this.#express();
    this.httpAdmin = this.#adminApp();
    this.httpNode = this.#express();
    this.needsPermission = permissionGuard(settings.adminAuth !== undefined);
    if (settings.httpAdminRoot !== false) app.use(settings.httpAdminRoot, this.httpAdmin);
    if (settings.httpNodeRoot !== false) {
      for (const guard of nodeGuards(settings.httpNodeAuth)) app.use(settings.httpNodeRoot, guard);
      app.use(settings.httpNodeRoot, this.httpNode);
    }
    serveStaticFolders(app, settings);
    // Not `app.use`: it must come last, and modules add to the application later.
    const entrance = (req: IncomingMessage, res: ServerResponse): void =>
      app(req as never, res as never, ((error: unknown) => this.#unanswered(error, req, res)) as never);
    this.server =
      secret === undefined
        ? createServer(entrance)
        : createServer(
            {
              IncomingMessage: planeRequestClass(secret),
              maxHeaderSize,
              // A client of HTTP/1.0 may send none, and comes here in 1.1.
              requireHostHeader: false,
              // The other end is the control plane: it watches over clients, and ends connections.
              keepAliveTimeout: 0,
              headersTimeout: 0,
              requestTimeout: 0,
            },
            (req, res) => {
              if (speaksForClient(req)) entrance(req, res);
              else req.socket.destroy();
            },
          );
    this.server.maxHeadersCount = 0;
    this.server.setMaxListeners(0);
    this.server.on('upgrade', (req, socket) => this.#upgrade(req, socket));
  }

  /**
   * Begins to take requests.
   * @param where - a socket path, or a port (0: a free one) with a host
   */
  async listen(where: string | { readonly port: number; readonly host?: string }): Promise<void> {
    this.server.listen(where);
    await once(this.server, 'listening');
    this.#listening = true;
  }

  /** Takes no more requests, and ends the connections. */
  async close(): Promise<void> {
    if (!this.#listening) return;
    this.#listening = false;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  #express(): Express {
    const app = express();
    const options = { 'x-powered-by': false, ...this.#deps.settings.httpServerOptions };
    for (const [name, value] of Object.entries(options)) app.set(name, value);
    return app;
  }

  #adminApp(): Express {
    const { apiMaxLength: limit, httpAdminCors, httpAdminMiddleware } = this.#deps.settings;
    const app = this.#express();
    for (const handler of httpAdminMiddleware ?? []) app.use(handler as RequestHandler);
    app.use(express.json({ limit }), express.urlencoded({ limit, extended: true }));
    if (httpAdminCors) app.use(cors(httpAdminCors as CorsOptions));
    return app;
  }

  /** A request for which there is no route, or whose handler failed. Never tells what failed. */
  #unanswered(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    const status = error === undefined || error === null ? 404 : statusOf(error);
    if (status >= 500) this.#deps.log.error(`${req.method} ${req.url} failed`, { err: error });
    if (res.headersSent) {
      req.socket.destroy();
      return;
    }
    const code = codes[status] ?? (status >= 500 ? 'internal_error' : 'bad_request');
    const body = JSON.stringify({ code, message: errors[code].message });
    res.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  #upgrade(req: IncomingMessage, socket: Duplex): void {
    if (this.#deps.secret !== undefined && !speaksForClient(req)) {
      socket.destroy();
      return;
    }
    // The client may go before anybody takes the connection.
    socket.on('error', () => {});
    const patience = setTimeout(() => {
      // Whoever takes an upgrade answers it.
      if ((socket as Duplex & { bytesWritten?: number }).bytesWritten === 0) socket.destroy();
    }, this.#deps.settings.inboundWebSocketTimeout ?? 5000);
    socket.once('close', () => clearTimeout(patience));
  }
}

const codes: { readonly [status: number]: keyof typeof errors } = {
  404: 'not_found',
  413: 'body_too_large',
  500: 'internal_error',
};

function statusOf(error: unknown): number {
  const { status, statusCode } = Object(error) as { status?: unknown; statusCode?: unknown };
  const given = typeof status === 'number' ? status : statusCode;
  return typeof given === 'number' && given >= 400 && given < 600 ? given : 500;
}

/** Takes the client's part of a request of the control plane; `false` for a request of anybody else. */
function speaksForClient(req: IncomingMessage): boolean {
  const info = planeInfo(req);
  if (!info) return false;
  speakFor(req.socket, info);
  return true;
}

function nodeGuards(auth: Settings['httpNodeAuth']): readonly RequestHandler[] {
  if (auth === undefined) return [];
  // The settings file's handlers are connect-style; express checks that they are functions.
  return 'user' in auth ? [basicAuth(auth)] : (auth as readonly unknown[] as readonly RequestHandler[]);
}
