import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/** The version of the peer that behaviour is compared with. */
export const peerVersion = '5.0.7';

const folder = fileURLToPath(new URL(`../../.bench-cache/node-red-${peerVersion}/`, import.meta.url));

/** Installs the peer into the cache that the bench uses as well, where it is missing; gives the script that starts it. */
export function ensurePeer(): string {
  const script = join(folder, 'node_modules', 'node-red', 'red.js');
  if (!existsSync(script)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node-red@${peerVersion}`];
    const installed = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
    if (installed.status !== 0) throw new Error('the peer could not be installed');
  }
  return script;
}

/** Starts the peer as {@link startServer} starts ours. */
export function startPeer(options: ServerOptions = {}): Promise<TestServer> {
  return startServer({ ...options, command: ensurePeer(), until: 'answering' });
}
