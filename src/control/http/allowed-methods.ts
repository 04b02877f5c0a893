import type { RouteOptions } from 'fastify';
import type { Feature } from './feature.ts';

/** In the order in which they are listed. */
const order = ['GET', 'HEAD', 'POST', 'DELETE', 'PUT'];

/**
 * Answers `OPTIONS` on every path that has a route, with the methods that it has (RFC 9110, 9.3.7).
 * @remarks Open, as a browser asks without a token. Where `httpAdminCors` is set, that answers before this does.
 */
export class AllowedMethods {
  readonly #methods = new Map<string, Set<string>>();

  /** Makes a route known. */
  add(route: RouteOptions): void {
    const methods = this.#methods.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    this.#methods.set(route.url, methods);
  }

  /** The routes that answer; to be registered after all others, without a prefix. */
  readonly feature: Feature = async (app) => {
    for (const [url, methods] of [...this.#methods]) {
      const allow = order.filter((method) => methods.has(method)).join(',');
      app.options(url, { config: { needs: 'open' } }, async (_request, reply) =>
        reply.header('allow', allow).type('text/html; charset=utf-8').send(allow),
      );
    }
  };
}
