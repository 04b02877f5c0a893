import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests run the built server: builds it first where the sources are newer, so that a stale one is never tested. */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/build.js', import.meta.url));
  const built = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed; no test was run');
}
