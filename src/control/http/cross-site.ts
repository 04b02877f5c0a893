import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../../contract/errors.ts';

/**
 * Refuses changes that a browser asks for on behalf of a page of another site (403): where no token is needed, any page
 * that somebody on this machine opens could otherwise install a module here.
 * @remarks Browsers say where a request comes from (`Sec-Fetch-Site`), and no page can change that. Whatever else sends
 * requests does not say it, and is let in.
 */
export function refuseCrossSite(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  if (changes && request.headers['sec-fetch-site'] === 'cross-site') {
    done(new AppError('forbidden', { detail: 'A page of another site may change nothing here' }));
  } else done();
}
