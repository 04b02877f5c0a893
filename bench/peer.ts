import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of the peer that is compared with. */
export const peerVersion = '5.0.7';

const cache = fileURLToPath(new URL('../.bench-cache/', import.meta.url));

/**
 * Installs the peer into the cache folder where it is missing; gives the script that starts it.
 * @throws Error where npm fails.
 */
export function ensurePeer(): string {
  const folder = join(cache, `node-red-${peerVersion}`);
  const script = join(folder, 'node_modules', 'node-red', 'red.js');
  if (!existsSync(script)) install(folder);
  return script;
}

/** Installs beside the folder and renames, lest another process finds half of it. */
function install(folder: string): void {
  mkdirSync(cache, { recursive: true });
  const beside = mkdtempSync(join(cache, 'installing-'));
  try {
    writeFileSync(join(beside, 'package.json'), '{"private":true}');
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node-red@${peerVersion}`];
    const installed = spawnSync('npm', args, { cwd: beside, stdio: 'inherit' });
    if (installed.status !== 0) throw new Error(`node-red@${peerVersion} could not be installed`);
    renameSync(beside, folder);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    // Somebody else may have been quicker.
    if (!existsSync(folder)) throw error;
  }
}
