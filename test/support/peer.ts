import { ensurePeer } from '../../bench/peer.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/** Starts the peer as {@link startServer} starts ours. */
export function startPeer(options: ServerOptions = {}): Promise<TestServer> {
  return startServer({ ...options, command: ensurePeer(), until: 'answering' });
}
