import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

/** A user name, and the hash of a password: bcrypt or argon2id, or (as of old) MD5. */
export interface BasicCredentials {
  readonly user: string;
  readonly pass: string;
}

/**
 * HTTP basic authentication (RFC 7617) with one user. Preflight requests (`OPTIONS`) pass.
 * @remarks The slow hash is worked out off the main thread, and once for the right password: what was right is
 * recognised again by a fast hash.
 */
export function basicAuth({ user, pass }: BasicCredentials): RequestHandler {
  let right: Buffer | undefined;
  return (req, res, next) => {
    if (req.method === 'OPTIONS') return next();
    const refuse = (): void => {
      res.set('WWW-Authenticate', 'Basic realm="Authorization Required"').sendStatus(401);
    };
    const given = credentialsOf(req.headers.authorization);
    if (!given || given.user !== user) return refuse();
    const digest = createHash('sha256').update(given.password).digest();
    if (right && timingSafeEqual(digest, right)) return next();
    verify(given.password, pass).then((fits) => {
      if (!fits) return refuse();
      right = digest;
      next();
    }, refuse);
  };
}

function credentialsOf(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([a-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

async function verify(password: string, stored: string): Promise<boolean> {
  if (/^\$2[abxy]\$/.test(stored)) return (await import('@node-rs/bcrypt')).verify(password, stored);
  if (stored.startsWith('$argon2')) return (await import('@node-rs/argon2')).verify(stored, password);
  if (!/^[0-9a-f]{32}$/i.test(stored)) return false;
  const digest = createHash('md5').update(password).digest();
  return timingSafeEqual(digest, Buffer.from(stored, 'hex'));
}
