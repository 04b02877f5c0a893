import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isObject } from '../contract/json.ts';
import { readPackageJson } from './package-file.ts';

/** Which lifecycle scripts of packages may run: the setting `externalModules.palette.installScripts`. */
export type ScriptPolicy = 'native' | 'all' | 'none' | readonly string[];

/** A package in `node_modules` as npm's hidden lock file lists it. */
interface Installed {
  readonly version: string;
  readonly integrity: string;
  readonly hasScripts: boolean;
}

/** Every installed package by its path below the user directory. */
export type InstalledPackages = ReadonlyMap<string, Installed>;

/** A package whose install scripts are to be run, or are not. */
export interface ScriptedPackage {
  readonly name: string;
  readonly version: string;
}

/** What npm says is installed; nothing where it has not installed anything yet. */
export function readInstalled(userDir: string): InstalledPackages {
  const packages = new Map<string, Installed>();
  let lock: unknown;
  try {
    lock = JSON.parse(readFileSync(join(userDir, 'node_modules', '.package-lock.json'), 'utf8'));
  } catch {
    return packages;
  }
  if (!isObject(lock) || !isObject(lock['packages'])) return packages;
  for (const [path, entry] of Object.entries(lock['packages'])) {
    if (!isObject(entry) || entry['link'] === true) continue;
    packages.set(path, {
      version: String(entry['version']),
      integrity: String(entry['integrity'] ?? entry['resolved']),
      hasScripts: entry['hasInstallScript'] === true,
    });
  }
  return packages;
}

/**
 * Decides which of the packages that an install brought may run their install scripts.
 * @param before what was installed before it.
 */
export function chooseScripts(
  userDir: string,
  before: InstalledPackages,
  policy: ScriptPolicy,
): { run: ScriptedPackage[]; skipped: ScriptedPackage[] } {
  const run: ScriptedPackage[] = [];
  const skipped: ScriptedPackage[] = [];
  for (const [path, { version, integrity, hasScripts }] of readInstalled(userDir)) {
    const old = before.get(path);
    const isNew = old === undefined || old.version !== version || old.integrity !== integrity;
    if (!hasScripts || !isNew) continue;
    const folder = join(userDir, path);
    const name = String(readPackageJson(folder)?.['name'] ?? nameIn(path));
    (mayRun(name, folder, policy) ? run : skipped).push({ name, version });
  }
  return { run, skipped };
}

function mayRun(name: string, folder: string, policy: ScriptPolicy): boolean {
  if (policy === 'all') return true;
  if (policy === 'none') return false;
  return policy === 'native' ? buildsNatively(folder) : policy.includes(name);
}

const nativeBuilders =
  /(?<![\w-])(?:node-gyp|node-gyp-build|prebuild-install|node-pre-gyp|cmake-js)(?![\w-])/;

/** Whether the purpose of a package's install scripts is a native build (decision 19). */
export function buildsNatively(folder: string): boolean {
  if (existsSync(join(folder, 'binding.gyp'))) return true;
  const scripts = readPackageJson(folder)?.['scripts'];
  if (!isObject(scripts)) return false;
  return ['preinstall', 'install', 'postinstall'].some((stage) =>
    nativeBuilders.test(String(scripts[stage] ?? '')),
  );
}

function nameIn(path: string): string {
  const name = basename(path);
  const scope = basename(join(path, '..'));
  return scope.startsWith('@') ? `${scope}/${name}` : name;
}
