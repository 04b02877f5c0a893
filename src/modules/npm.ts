import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** How npm is run: a program and the arguments before npm's own. */
export interface NpmCommand {
  readonly command: string;
  readonly before: readonly string[];
}

/**
 * Finds npm: the one that started us, the one beside our Node.js, the one on `PATH`, in this order.
 * @returns undefined where there is none.
 */
export function findNpm(
  env: NodeJS.ProcessEnv = process.env,
  execPath = process.execPath,
): NpmCommand | undefined {
  const started = env['npm_execpath'];
  if (started !== undefined && /npm-cli\.c?js$/.test(started) && existsSync(started)) {
    return { command: execPath, before: [started] };
  }
  const folder = dirname(execPath);
  const beside = [
    join(folder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ].find((path) => existsSync(path));
  if (beside !== undefined) return { command: execPath, before: [beside] };
  for (const place of (env['PATH'] ?? '').split(delimiter)) {
    // On Windows `npm` is a shell script with npm itself beside it.
    const script = join(place, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (process.platform === 'win32' && existsSync(script)) return { command: execPath, before: [script] };
    const path = join(place, 'npm');
    if (process.platform === 'win32' || place === '' || !existsSync(path)) continue;
    const real = realpathSync(path);
    return isNodeScript(real) ? { command: execPath, before: [real] } : { command: real, before: [] };
  }
  return undefined;
}

/**
 * The environment that npm and install scripts get: our Node.js first on `PATH`, and nothing of an npm that started us
 * but its configuration.
 */
export function npmEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  execPath = process.execPath,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !isOfAnOuterNpm(name));
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(execPath)}${delimiter}${env['PATH'] ?? ''}`,
    npm_config_update_notifier: 'false',
  };
}

/**
 * How long npm is to wait for a host, as options: a minute, twice. Its own five minutes, three times, would keep every
 * other installation waiting for a host that never answers.
 * @param folder where npm runs
 * @returns none where the environment or an `.npmrc` says how long.
 */
export function patience(folder: string, env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const files = [join(folder, '.npmrc'), env['npm_config_userconfig'] ?? join(homedir(), '.npmrc')];
  const settings = files.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''));
  const isSet = (name: string): boolean =>
    settings.some((text) => new RegExp(`^\\s*${name}\\s*=`, 'm').test(text)) ||
    Object.keys(env).some((key) => key.toLowerCase().replaceAll('_', '-') === `npm-config-${name}`);
  return [
    ...(isSet('fetch-timeout') ? [] : ['--fetch-timeout=60000']),
    ...(isSet('fetch-retries') ? [] : ['--fetch-retries=1']),
  ];
}

function isOfAnOuterNpm(name: string): boolean {
  return (
    /^npm_(package_|lifecycle_|command$|execpath$|node_execpath$)/.test(name) ||
    /^npm_config_(local_prefix|prefix|global|ignore_scripts|workspace|workspaces)$/i.test(name) ||
    ['INIT_CWD', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'NODE_UNIQUE_ID'].includes(name)
  );
}

function isNodeScript(path: string): boolean {
  return /\.c?js$/.test(path) || /^#!.*\bnode\b/.test(readFileSync(path, 'latin1').slice(0, 200));
}
