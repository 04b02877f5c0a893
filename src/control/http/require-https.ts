import type { FastifyRequest } from 'fastify';
import type { Feature } from './feature.ts';

/**
 * Puts features together as one; where https is required, a request that came without it is sent there (302).
 * @remarks The word of a proxy in front (`X-Forwarded-Proto`) is believed: a client that makes it up harms only itself.
 */
export const overHttps =
  (required: boolean, features: readonly Feature[]): Feature =>
  async (app) => {
    if (required) {
      app.addHook('onRequest', async (request, reply) => {
        if (isSecure(request)) return;
        return reply.redirect(`https://${request.headers.host ?? ''}${request.raw.url ?? '/'}`, 302);
      });
    }
    for (const feature of features) app.register(feature);
  };

function isSecure({ raw, headers }: FastifyRequest): boolean {
  if ((raw.socket as { encrypted?: boolean }).encrypted) return true;
  return (
    String(headers['x-forwarded-proto'] ?? '')
      .split(',', 1)[0]
      ?.trim() === 'https'
  );
}
