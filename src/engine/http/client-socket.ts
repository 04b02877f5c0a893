import { isIPv6, type Socket } from 'node:net';
import type { PlaneInfo } from '../../link/plane-header.ts';

const clientOf = Symbol('client');
type ClientSocket = Socket & { [clientOf]?: PlaneInfo };

/**
 * Makes a connection of the private socket look like the client's own: its address, port and whether it is encrypted,
 * which is where express and node modules read `req.ip` and `req.protocol` from. One request at a time is on it.
 */
export function speakFor(socket: Socket, client: PlaneInfo): void {
  const carrier = socket as ClientSocket;
  const isNew = carrier[clientOf] === undefined;
  carrier[clientOf] = client;
  if (isNew) Object.defineProperties(socket, properties);
}

const properties = Object.fromEntries(
  Object.entries({
    remoteAddress: (client: PlaneInfo) => client.address,
    remotePort: (client: PlaneInfo) => client.port,
    remoteFamily: (client: PlaneInfo) => (isIPv6(client.address) ? 'IPv6' : 'IPv4'),
    // As with a plain socket: absent rather than false.
    encrypted: (client: PlaneInfo) => client.encrypted || undefined,
  }).map(([name, read]) => [
    name,
    {
      configurable: true,
      get(this: ClientSocket): unknown {
        const client = this[clientOf];
        return client && read(client);
      },
    },
  ]),
);
