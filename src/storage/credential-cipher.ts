import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Credentials } from '../contract/flows.ts';
import { isObject } from '../contract/json.ts';

/** Encrypted credentials as they stand in the file. */
export interface SealedCredentials {
  /** 32 hex digits of initialisation vector, then base64. */
  readonly $: string;
}

/** Whether a credential file's content is encrypted: credentials of a node with the id `$` would be an object. */
export function isSealed(value: unknown): value is SealedCredentials {
  return isObject(value) && typeof value['$'] === 'string';
}

/**
 * Encrypts credentials in the format of Node-RED's `_cred.json`: AES-256-CTR, key = SHA-256 of the secret, a fresh
 * 16-byte vector each time.
 * @remarks The format has no authentication tag: whoever can write the file can change it unnoticed, as in the peer.
 */
export function seal(credentials: Credentials, secret: string): SealedCredentials {
  const vector = randomBytes(16);
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret), vector);
  const text = cipher.update(JSON.stringify(credentials), 'utf8', 'base64') + cipher.final('base64');
  return { $: vector.toString('hex') + text };
}

/** Decrypts credentials; `undefined` where the secret is not the one they were encrypted with, or they are damaged. */
export function unseal(sealed: SealedCredentials, secret: string): Credentials | undefined {
  try {
    const vector = Buffer.from(sealed.$.slice(0, 32), 'hex');
    const decipher = createDecipheriv('aes-256-ctr', keyOf(secret), vector);
    const bytes = Buffer.concat([decipher.update(sealed.$.slice(32), 'base64'), decipher.final()]);
    // A wrong key yields noise, which is neither UTF-8 nor JSON.
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? (value as Credentials) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
