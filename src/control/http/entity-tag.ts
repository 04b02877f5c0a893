import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers that are kept by whoever makes them are digested once. */
const known = new WeakMap<Buffer, string>();

/**
 * A hook that tags the answers to GET and HEAD, and answers 304 to who has them already (RFC 9110, 8.8.3 and 13.1.2).
 * @remarks Leaves alone what has a tag or `Cache-Control: no-store`, and routes whose answer is never twice the same
 * (`volatile`).
 */
export function tagAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  done(null, tagged(request, reply, payload));
}

function tagged(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return payload;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (reply.hasHeader('etag') || request.routeOptions.config.volatile === true) return payload;
  if (String(reply.getHeader('cache-control') ?? '').includes('no-store')) return payload;
  const tag = tagOf(payload);
  reply.header('etag', tag);
  if (!hasTag(request.headers['if-none-match'], tag)) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  // The length of an answer to HEAD is counted after this.
  return request.method === 'HEAD' ? '' : null;
}

/** Whether an `If-None-Match` header names the tag. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => bare(one) === bare(tag));
}

/** A weak tag: the same text may be sent packed in several ways. */
function tagOf(payload: string | Buffer): string {
  if (typeof payload === 'string') return digest(payload);
  let tag = known.get(payload);
  if (tag === undefined) {
    tag = digest(payload);
    known.set(payload, tag);
  }
  return tag;
}

function digest(payload: string | Buffer): string {
  return `W/"${hash('sha1', payload, 'base64url')}"`;
}
