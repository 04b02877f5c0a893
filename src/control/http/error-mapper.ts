import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import { TooManyAttempts, Unauthorized } from './refusals.ts';

/** Codes that OAuth 2 has words of its own for (RFC 6749, 5.2 and 4.1.2.1). */
const oauthCodes: { readonly [code in ErrorCode]?: string } = {
  bad_request: 'invalid_request',
  internal_error: 'server_error',
  'storage.failed': 'server_error',
};

/**
 * Turns every error into an answer; the only place that does.
 * @remarks Foreseen errors (`AppError`) answer with their table entry. Whatever else is thrown is logged with its stack
 * and answers 500 `internal_error`, so that no stack, path or word of a library reaches a client. 401 and 429 have no
 * body, nor have the statuses that a route lists in `noBodyFor`.
 */
export function errorMapper(
  log: Logger,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (thrown, request, reply) => {
    const error = foreseen(thrown);
    const line = `${request.method} ${pathOf(request)}: ${error.message}`;
    if (error.status === 503) log.warn(line);
    else if (error.status >= 500) log.error(line, { err: error.cause ?? error });
    // A refused upload is read to its end, so that its sender gets to read the answer.
    reply.removeHeader('connection');
    reply.code(error.status);
    if (error instanceof Unauthorized) reply.header('www-authenticate', error.challenge);
    if (error instanceof TooManyAttempts) reply.header('retry-after', error.retryAfter);
    const config = request.routeOptions.config;
    const bodiless =
      error.status === 401 || error.status === 429 || config?.noBodyFor?.includes(error.status) === true;
    if (bodiless) {
      reply.removeHeader('content-type').send();
      return;
    }
    reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
    reply.send(
      config?.errorShape === 'oauth'
        ? { error: oauthError(error), error_description: error.detail }
        : { code: error.code, message: error.detail },
    );
  };
}

function oauthError(error: AppError): string {
  return oauthCodes[error.code] ?? error.code;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url;
}

/** What Fastify and its plugins throw, in our words. */
function foreseen(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { statusCode, code } = Object(thrown) as { statusCode?: unknown; code?: unknown };
  if (statusCode === 413) return new AppError('body_too_large', { cause: thrown });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('bad_request', {
      detail: 'The header Content-Type names no media type',
      cause: thrown,
    });
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('not_found', { cause: thrown });
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('bad_request', { detail: 'The request could not be parsed', cause: thrown });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError('internal_error', { message, cause: thrown });
}
