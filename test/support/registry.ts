import { execFileSync } from 'node:child_process';

/**
 * Whether the npm registry answers, for tests that install from it: they are skipped by name where it does not. In CI it
 * must: a suite that skips what it is for would pass for nothing.
 */
export async function registryAnswers(): Promise<boolean> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const answers = await fetch(new URL('node-red-node-random', registry), {
    signal: AbortSignal.timeout(10_000),
  })
    .then((response) => response.ok)
    .catch(() => false);
  if (!answers && process.env['CI'] === 'true') throw new Error('the npm registry does not answer');
  return answers;
}
