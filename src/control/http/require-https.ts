import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** What answers over plain HTTP all the same: log-in, as clients of Node-RED know it, and the health checks of machines. */
const open = ['auth/', 'health/'];

/**
 * A hook that sends requests which came by plain HTTP to https (302).
 * @param root - `httpAdminRoot`, with both slashes
 * @remarks The word of a proxy in front (`X-Forwarded-Proto`) is believed: a client that makes it up harms only itself.
 */
export function requireHttps(
  root: string,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  return (request, reply, done) => {
    const route = request.routeOptions.url?.slice(root.length) ?? '';
    if (isSecure(request) || open.some((start) => route.startsWith(start))) return done();
    reply.redirect(`https://${request.headers.host ?? ''}${request.raw.url ?? '/'}`, 302);
  };
}

function isSecure({ raw, headers }: FastifyRequest): boolean {
  if ((raw.socket as { encrypted?: boolean }).encrypted) return true;
  return (
    String(headers['x-forwarded-proto'] ?? '')
      .split(',', 1)[0]
      ?.trim() === 'https'
  );
}
