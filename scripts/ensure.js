// What `npm start`, `npm test` and the other scripts need before they can run: dependencies and a fresh build.
// Plain JavaScript without dependencies, because it runs on whatever Node the machine has, before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.sluice-installed');
const buildStamp = join(root, 'dist', '.built');

/** The Node.js that the project pins (devDependency `node`), or the running one where it is not installed. */
export function pinnedNode() {
  const pinned = join(
    root,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  return existsSync(pinned) ? pinned : process.execPath;
}

/** Installs the dependencies when the lock file is newer than the last install. */
export function ensureInstalled() {
  const lock = join(root, 'package-lock.json');
  if (newest([lock, join(root, 'package.json')]) <= stampTime(installStamp)) return;
  console.error('sluice: installing dependencies …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: process.platform === 'win32' });
  writeFileSync(installStamp, '');
}

/** Compiles `src` into `dist` when any source is newer than the last build. */
export function ensureBuilt() {
  const sources = [...filesBelow(join(root, 'src')), join(root, 'tsconfig.build.json')];
  if (newest([...sources, installStamp]) <= stampTime(buildStamp)) return;
  console.error('sluice: building …');
  run(pinnedNode(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
  writeFileSync(buildStamp, '');
}

/** Runs a program to its end with this terminal; ends this process with its exit code when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function stampTime(path) {
  return existsSync(path) ? statSync(path).mtimeMs : Number.NEGATIVE_INFINITY;
}

function newest(paths) {
  return Math.max(...paths.map((path) => (existsSync(path) ? statSync(path).mtimeMs : 0)));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
