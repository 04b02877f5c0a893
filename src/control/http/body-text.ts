import { gunzip, inflate as inflateZlib } from 'node:zlib';
import { AppError } from '../../contract/errors.ts';

/** By the names of `Content-Encoding` (RFC 9110, 8.4.1). */
const unpackers = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflateZlib } as const;

/** By the names of charsets; those whose names begin with `utf-` are what JSON was ever written in. */
const charsets: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
]);

/**
 * The bytes of a body as they were before its sender packed them.
 * @param encoding the header `Content-Encoding`
 * @throws AppError `body_too_large` where that is more than `limit` bytes, `unsupported_media_type`, `bad_request`
 */
export async function inflate(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return bytes;
  if (!isUnpacked(name)) {
    throw new AppError('unsupported_media_type', {
      detail: `The content encoding must be gzip or deflate, not ${JSON.stringify(name.slice(0, 64))}`,
    });
  }
  const options = { maxOutputLength: limit };
  return new Promise((resolve, reject) => {
    unpackers[name](bytes, options, (error: NodeJS.ErrnoException | null, plain) => {
      if (!error) return resolve(plain);
      const tooLarge = error.code === 'ERR_BUFFER_TOO_LARGE';
      reject(
        tooLarge
          ? new AppError('body_too_large', { cause: error })
          : new AppError('bad_request', { detail: `The body is not compressed as ${name}`, cause: error }),
      );
    });
  });
}

/**
 * A body as text, in the charset that its type names; UTF-8 where it names none.
 * @param type the header `Content-Type`
 * @throws AppError `unsupported_media_type`
 */
export function textOf(bytes: Buffer, type: string | undefined): string {
  const charset = charsetOf(type);
  return charset === 'utf-8' ? bytes.toString('utf8') : new TextDecoder(charset).decode(bytes);
}

/** The bytes of {@link textOf} in UTF-8: mostly those that came. */
export function inUtf8(bytes: Buffer, type: string | undefined): Buffer {
  return charsetOf(type) === 'utf-8' ? bytes : Buffer.from(textOf(bytes, type));
}

function charsetOf(type: string | undefined): string {
  const named = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const charset = charsets.get(named);
  if (charset === undefined) {
    throw new AppError('unsupported_media_type', {
      detail: `The charset must be utf-8, not ${JSON.stringify(named.slice(0, 64))}`,
    });
  }
  return charset;
}

function isUnpacked(name: string): name is keyof typeof unpackers {
  return Object.hasOwn(unpackers, name);
}
