import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a body may be packed (RFC 9110, 8.4.1), best first. */
export const encodings = ['br', 'gzip'] as const;
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

/**
 * An `onSend` hook for routes with long texts: compresses where the client accepts it.
 * @remarks Only for texts without secrets: the length of a compressed answer can tell of what is in it.
 */
export async function compressText(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (payload.length < worthCompressing) return payload;
  reply.header('vary', 'Accept-Encoding');
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return payload;
  reply.header('content-encoding', encoding).removeHeader('content-length');
  // Quick: it is done at each request.
  return packed(payload, encoding, 4);
}
