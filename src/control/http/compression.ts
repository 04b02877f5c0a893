import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a body may be packed (RFC 9110, 8.4.1), best first. */
const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** Below this many bytes compressing saves no packet. */
export const worthCompressing = 1024;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** The best encoding that a client accepts by its `Accept-Encoding` header (RFC 9110, 12.5.3), if any. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const accepted = new Map<string, boolean>();
  for (const item of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = item.toLowerCase().split(';');
    const refused = parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter));
    accepted.set(name.trim(), !refused);
  }
  return encodings.find((encoding) => accepted.get(encoding) ?? accepted.get('*') ?? false);
}

/**
 * Packs a body, off the main thread.
 * @param quality - of brotli, 0 to 11
 */
export function packed(body: string | Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  return encoding === 'br'
    ? brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
    : gzipped(body);
}

/** How many packed answers one hook keeps: texts in a few languages and encodings. */
const keptAnswers = 32;

/**
 * An `onSend` hook for routes with long texts: compresses where the client accepts it.
 * @remarks Only for texts without secrets: the length of a compressed answer can tell of what is in it. An answer with
 * an entity tag is packed once and kept.
 */
export function compressText(): (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
) => Promise<unknown> {
  const kept = new Map<string, Promise<Buffer>>();
  const pack = (payload: string | Buffer, encoding: Encoding, tag: string | undefined): Promise<Buffer> => {
    // Quick, as somebody waits for it.
    const made = () => packed(payload, encoding, 4);
    if (tag === undefined) return made();
    const key = `${encoding} ${tag}`;
    const answer = kept.get(key) ?? made();
    answer.catch(() => kept.delete(key));
    // Those asked for last stay.
    kept.delete(key);
    kept.set(key, answer);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptAnswers) break;
      kept.delete(oldest);
    }
    return answer;
  };
  return async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    if (payload.length < worthCompressing) return payload;
    reply.header('vary', 'Accept-Encoding');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return payload;
    reply.header('content-encoding', encoding).removeHeader('content-length');
    const tag = reply.getHeader('etag');
    return pack(payload, encoding, typeof tag === 'string' ? tag : undefined);
  };
}
