import { isObject } from '../contract/json.ts';
import { UsageError } from './usage-error.ts';

/** What an administrator is told when the address cannot be listened on; other errors are given back as they are. */
export function listenError(
  error: unknown,
  address: { readonly host: string; readonly port: number },
): unknown {
  const code = isObject(error) ? error['code'] : undefined;
  const { host, port } = address;
  switch (code) {
    case 'EADDRINUSE':
      return new UsageError(
        `port ${port} is in use on ${host}; is Sluice running already? -p chooses another port`,
      );
    case 'EACCES':
      return new UsageError(`port ${port} needs more rights than this user has; -p chooses another port`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`the address ${host} (setting uiHost) does not belong to this machine`);
    default:
      return error;
  }
}
