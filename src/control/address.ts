import type { Logger } from '../logging/logger.ts';

/** Where a person would go: a wildcard address is reached by the loopback address. */
export function urlOf(secure: boolean, host: string, port: number, root: string | false): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const path = root === false || root === '/' ? '/' : root;
  return `${secure ? 'https' : 'http'}://${name}:${port}${path}`;
}

/** Says who gets in where no log-in is configured. */
export function warnOfOpenDoor(host: string, log: Logger): void {
  const reach = /^(127\.|::1$|localhost$)/.test(host)
    ? 'everybody on this machine'
    : `everybody who can reach ${host}`;
  log.warn(`adminAuth is not configured: ${reach} has full access to the administration API`);
}
