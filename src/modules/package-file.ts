import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../contract/json.ts';

/** What a `package.json` says about node types and plugins. */
export interface PackageFile {
  readonly name: string;
  readonly version: string;
  /** Set name → file, relative to the package's folder. */
  readonly nodes: { readonly [set: string]: string };
  readonly plugins: { readonly [set: string]: string };
  /** Semver range of versions of the core module that it works with. */
  readonly worksWith?: string;
  /** Node modules that must be present. */
  readonly dependencies: readonly string[];
}

/** The `package.json` in a folder, parsed; `undefined` where there is none that can be read. */
export function readPackageJson(folder: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The package in a folder, where it says that it is a node module.
 * @remarks Most packages of a `node_modules` folder are not: those are told apart before their file is parsed.
 */
export function readPackageFile(folder: string): PackageFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    return undefined;
  }
  if (!text.includes('"node-red"')) return undefined;
  try {
    return asPackageFile(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * A parsed `package.json` as a node module; `undefined` where it has no name or no `node-red` section.
 * One without a version, as a folder that was linked in may be, counts as 0.0.0.
 */
export function asPackageFile(value: unknown): PackageFile | undefined {
  if (!isObject(value)) return undefined;
  const section = value['node-red'];
  const { name, version = '0.0.0' } = value;
  if (!isObject(section) || typeof name !== 'string' || typeof version !== 'string') return undefined;
  return {
    name,
    version,
    nodes: textsOf(section['nodes']),
    plugins: textsOf(section['plugins']),
    ...(typeof section['version'] === 'string' ? { worksWith: section['version'] } : {}),
    dependencies: Array.isArray(section['dependencies'])
      ? section['dependencies'].filter((dependency) => typeof dependency === 'string')
      : [],
  };
}

/** Whether it brings anything at all. */
export function hasSets(file: PackageFile): boolean {
  return Object.keys(file.nodes).length + Object.keys(file.plugins).length > 0;
}

/** The texts of an object by their names; those of an array by their places. */
function textsOf(value: unknown): { readonly [name: string]: string } {
  if (!isObject(value) && !Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
