import type { Scope } from '../contract/permissions.ts';

/**
 * What the control plane tells the engine of each proxied request, in one header whose name holds the secret that the
 * two share: nobody else can name it, so nobody else can send it.
 */
export interface PlaneInfo {
  /** The client's address and port, as its socket has them. */
  readonly address: string;
  readonly port: number;
  /** The client came over TLS. */
  readonly encrypted: boolean;
  /** Who is asking, where that is known and matters. */
  readonly principal?: ProxiedPrincipal;
}

/** Who is asking, as the engine needs to know it. */
export interface ProxiedPrincipal {
  readonly scope: Scope;
  /** The user's record, or `{ anonymous: true, permissions }`: what `req.user` is. */
  readonly user?: { readonly [property: string]: unknown };
}

/** The header's name for a secret (letters, digits, `-` and `_`). */
export function planeHeaderName(secret: string): string {
  return `x-plane-${secret}`;
}

/** The header's value for a client without a principal: the same for all requests of one connection. */
export function clientPart(info: Pick<PlaneInfo, 'address' | 'port' | 'encrypted'>): string {
  return `${info.address} ${info.port} ${info.encrypted ? 's' : '-'}`;
}

/** What a principal adds to {@link clientPart}. */
export function principalPart(principal: ProxiedPrincipal): string {
  return ` ${Buffer.from(JSON.stringify(principal)).toString('base64url')}`;
}

/** Reads the header's value. */
export function readPlaneHeader(value: string): PlaneInfo {
  const [address = '', port, security, principal] = value.split(' ');
  return {
    address,
    port: Number(port),
    encrypted: security === 's',
    ...(principal === undefined
      ? {}
      : { principal: JSON.parse(Buffer.from(principal, 'base64url').toString()) as ProxiedPrincipal }),
  };
}
