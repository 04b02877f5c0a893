// What `npm start`, `npm test` and the other scripts need before they can run: dependencies and a fresh build.
// Plain JavaScript without dependencies, because it runs on whatever Node the machine has, before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const windows = process.platform === 'win32';

/** The Node.js that the project pins (devDependency `node`), or the running one where that is not installed. */
export function pinnedNode() {
  const pinned = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
  if (existsSync(pinned)) return pinned;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  console.error(
    `sluice: this is Node.js ${process.versions.node}, and the pinned one is not installed; \`npm rebuild node\` installs it`,
  );
  process.exit(1);
}

/** Installs the dependencies where they are not those of the lock file. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.error('sluice: installing dependencies …');
  const npm = windows ? 'npm.cmd' : 'npm';
  // Not `npm ci`: that refuses a lock file made where the optional packages of other platforms could not be seen.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  run(npm, ['install', '--no-save', ...quiet], { shell: windows });
}

/** Whether npm's own record of node_modules agrees with the lock file; optional packages may be absent. */
function isInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    ([path, { version, optional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional === true),
  );
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages ?? {};
}

/** Makes `dist` (types by tsc, code by scripts/bundle.js) when any source came, went or changed since the last build. */
export function ensureBuilt() {
  ensurePacked();
  const stamp = join(dist, '.built');
  const sources = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  console.error('sluice: building …');
  // Built beside and swapped in, so that nobody ever loads half a build, and no file of an older one stays.
  const fresh = `${dist}.${process.pid}`;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    run(pinnedNode(), [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh]);
    run(pinnedNode(), [join(root, 'scripts', 'bundle.js'), fresh]);
    writeFileSync(join(fresh, '.built'), sources);
    rmSync(`${fresh}.old`, { recursive: true, force: true });
    if (existsSync(dist)) renameSync(dist, `${fresh}.old`);
    renameSync(fresh, dist);
  } finally {
    for (const leftover of [fresh, `${fresh}.old`]) rmSync(leftover, { recursive: true, force: true });
  }
}

/** Compresses the editor's files where that has not been done for the installed version. */
function ensurePacked() {
  const folder = join(root, 'assets', 'editor', 'packed');
  const manifest = join(root, 'node_modules', '@node-red', 'editor-client', 'package.json');
  const stamp = join(folder, '.version');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;
  run(pinnedNode(), [join(root, 'scripts', 'pack-editor.js')]);
}

/** Runs a program to its end with this terminal; ends this process with its exit code when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new CommandFailed(result.status ?? 1);
}

/** Ends the script with the exit code of the program that failed; that has said why. */
class CommandFailed extends Error {
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

process.on('uncaughtException', (error) => {
  if (!(error instanceof CommandFailed)) console.error(error);
  process.exit(error instanceof CommandFailed ? error.code : 1);
});

function fingerprint() {
  const config = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/bundle.js'].map(
    (name) => join(root, name),
  );
  const hash = createHash('sha256');
  for (const path of [...filesBelow(join(root, 'src')).sort(), ...config]) {
    hash.update(`${path} ${statSync(path).mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
