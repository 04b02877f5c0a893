import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions as HttpsOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from '../../logging/logger.ts';
import { acceptBodies } from './bodies.ts';
import { refuseBrokenRequest } from './client-error.ts';
import { errorMapper } from './error-mapper.ts';
import type { Feature } from './feature.ts';
import { FrontDoor } from './front-door.ts';
import { guard, type Identifies } from './guard.ts';
import { ApiDocument } from './openapi.ts';
import { lazySerializers, lazyValidators } from './schema-compilers.ts';

/** Takes a request or an upgrade that is not the admin API's: the proxy to the engine. */
export interface Fallback {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Takes an upgrade request, or says that it is somebody else's. */
export type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** What the HTTP application is made of. */
export interface AppDeps {
  readonly settings: { readonly httpAdminRoot: string | false; readonly apiMaxLength: number };
  /** Serve HTTPS with these options. */
  readonly https?: HttpsOptions;
  readonly auth: Identifies;
  readonly log: Logger;
  /** Of this program. */
  readonly version: string;
  /** Mounted under `httpAdminRoot`; not at all where that is `false`. */
  readonly features: readonly Feature[];
  /** Offered each upgrade, in this order, before the fallback is. */
  readonly upgrades?: readonly UpgradeHandler[];
  readonly fallback: Fallback;
}

/** The HTTP application: built, not yet listening. */
export interface HttpApp {
  readonly fastify: FastifyInstance;
  /** The real server, which node modules' proxied traffic goes through as well. */
  readonly server: Server;
  /** Stops listening, and ends every connection. */
  close(): Promise<void>;
}

/** Longer than any proxy keeps an idle connection, so that none is closed under a request on its way. */
const keepAliveTimeoutMs = 72_000;

/**
 * Builds the HTTP server out of the features.
 * @remarks Paths are case-insensitive and a trailing slash does not matter; HEAD is answered wherever GET is. A path
 * that is not the admin API's, and a method that a path does not have, go to `fallback`. A route must state what it
 * `needs`, or building fails.
 */
export async function createApp(deps: AppDeps): Promise<HttpApp> {
  const root = deps.settings.httpAdminRoot;
  const door = new FrontDoor(root === false ? '/' : root);
  const document = new ApiDocument(root === false ? '/' : root, deps.version);
  const onError = errorMapper(deps.log);
  const app = fastify({
    bodyLimit: deps.settings.apiMaxLength,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Module, set and context names come as parameters; the length of a URL is bounded by Node.
      maxParamLength: 8192,
    },
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: onError,
    serverFactory: (toFastify) => {
      const entrance = (req: IncomingMessage, res: ServerResponse): void => {
        if (door.admits(req.url ?? '')) toFastify(req, res);
        else deps.fallback.request(req, res);
      };
      const options = { keepAliveTimeout: keepAliveTimeoutMs };
      const server = deps.https
        ? createHttpsServer({ ...options, ...deps.https }, entrance)
        : createServer(options, entrance);
      server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (deps.upgrades?.some((take) => take(req, socket, head))) return;
        deps.fallback.upgrade(req, socket, head);
      });
      return server as Server;
    },
  });
  app.setValidatorCompiler(lazyValidators());
  app.setSerializerCompiler(lazySerializers());
  app.setErrorHandler(onError);
  app.decorateRequest('principal');
  acceptBodies(app);
  app.addHook('onRoute', (route) => {
    if (route.config?.needs === undefined) {
      throw new Error(`The route ${route.method} ${route.url} does not state what it needs`);
    }
    door.add(route.url);
    document.add(route);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    // Handed on before the body is read.
    reply.hijack();
    deps.fallback.request(request.raw, reply.raw);
  });
  app.addHook('onRequest', guard(deps.auth));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
  if (root !== false) {
    for (const feature of [...deps.features, documentRoute(document)])
      app.register(feature, { prefix: root.slice(0, -1) });
  }
  await app.ready();
  return { fastify: app, server: app.server, close: () => app.close() };
}

const documentRoute =
  (document: ApiDocument): Feature =>
  async (app) => {
    app.get(
      '/openapi.json',
      { config: { needs: 'open', summary: 'This document' } },
      async (_request, reply) => {
        reply.type('application/json; charset=utf-8').serializer(String);
        return document.text();
      },
    );
  };
