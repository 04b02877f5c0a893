import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredLanguage } from './language.ts';

/** What a request asks to be answered with. As in the peer: html unless the header is exactly `application/json`. */
export function wantsJson(request: FastifyRequest): boolean {
  return request.headers.accept === 'application/json';
}

/** The language that a request's page prefers. */
export function languageOf(request: FastifyRequest): string {
  return preferredLanguage(request.headers['accept-language']);
}

/** Sends text, or its bytes, past the serialiser. */
export function sendText(
  reply: FastifyReply,
  type: 'text/html' | 'application/json',
  text: string | Buffer,
): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}

/**
 * Sends a body past the serialiser, for answers of one of several shapes: telling them apart by their schemas would cost
 * more than it gives.
 */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return sendText(reply, 'application/json', JSON.stringify(body));
}
