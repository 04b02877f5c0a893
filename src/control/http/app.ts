import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from '../../logging/logger.ts';
import type { Before } from './admin-middleware.ts';
import { AllowedMethods } from './allowed-methods.ts';
import { acceptBodies } from './bodies.ts';
import { refuseCrossSite } from './cross-site.ts';
import { tagAnswer } from './entity-tag.ts';
import { errorMapper } from './error-mapper.ts';
import type { Feature } from './feature.ts';
import { FrontDoor } from './front-door.ts';
import { guard, type Identifies } from './guard.ts';
import type { Entrance } from './http-server.ts';
import { ApiDocument, type DescribedRoute } from './openapi.ts';
import { requireHttps } from './require-https.ts';
import { lazySerializers, lazyValidators } from './schema-compilers.ts';

/** Takes an upgrade request, or says that it is somebody else's. */
export type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** What the HTTP application is made of. */
export interface AppDeps {
  /** The server that requests come from. */
  readonly server: Server;
  readonly settings: {
    readonly httpAdminRoot: string | false;
    readonly apiMaxLength: number;
    readonly requireHttps?: boolean;
  };
  readonly auth: Identifies;
  readonly log: Logger;
  /** Of this program. */
  readonly version: string;
  /** Whether pages of other sites may ask for changes; absent, they may not. */
  readonly crossSite?: boolean;
  /** Stands in front of every route. */
  readonly before?: Before | undefined;
  /** Mounted under `httpAdminRoot`; not at all where that is `false`. */
  readonly features: readonly Feature[];
  /** Routes that the fallback answers and the API document lists all the same; `url` is relative to the root. */
  readonly described?: readonly DescribedRoute[];
  /** Offered each upgrade, in this order, before the fallback is. */
  readonly upgrades?: readonly UpgradeHandler[];
  /** Takes what is not the admin API's: the proxy to the engine. */
  readonly fallback: Entrance;
}

/** The HTTP application, ready to be let requests in. */
export interface HttpApp extends Entrance {
  readonly fastify: FastifyInstance;
  close(): Promise<void>;
}

/**
 * Builds the HTTP application out of the features.
 * @remarks Paths are case-insensitive and a trailing slash does not matter; HEAD is answered wherever GET is, OPTIONS on
 * every path. A path that is not the admin API's, and a method that a path does not have, go to `fallback`. A route must
 * state what it `needs`, or building fails.
 */
export async function createApp(deps: AppDeps): Promise<HttpApp> {
  const { before, fallback, upgrades = [] } = deps;
  const root = deps.settings.httpAdminRoot;
  const door = new FrontDoor(root === false ? '/' : root);
  const allowed = new AllowedMethods();
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
    return503OnClosing: false,
    frameworkErrors: onError,
    serverFactory: () => deps.server,
    // The server's own matter.
    clientErrorHandler: () => {},
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
    if (route.method === 'OPTIONS') return;
    door.add(route.url);
    document.add(route);
    allowed.add(route);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    // Handed on before the body is read.
    reply.hijack();
    fallback.request(request.raw, reply.raw);
  });
  // Before anybody is asked who he is: a token has no place in plain HTTP.
  if (deps.settings.requireHttps && root !== false) app.addHook('onRequest', requireHttps(root));
  if (!deps.crossSite) app.addHook('onRequest', refuseCrossSite);
  app.addHook('onRequest', guard(deps.auth));
  app.addHook('onSend', tagAnswer);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
  if (root !== false) {
    for (const feature of [...deps.features, documentRoute(document)]) {
      app.register(feature, { prefix: root.slice(0, -1) });
    }
    app.register(allowed.feature);
    for (const route of deps.described ?? []) document.add({ ...route, url: root + route.url.slice(1) });
  }
  await app.ready();
  return {
    fastify: app,
    request(req: IncomingMessage, res: ServerResponse): void {
      if (!door.admits(req.url ?? '')) fallback.request(req, res);
      else if (before) before(req, res, () => app.routing(req, res));
      else app.routing(req, res);
    },
    upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      if (!upgrades.some((take) => take(req, socket, head))) fallback.upgrade(req, socket, head);
    },
    close: () => app.close(),
  };
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
