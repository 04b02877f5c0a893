import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { coreModuleName } from './core.ts';
import { type SetMemory, typesOf } from './describe.ts';
import type { NodeSet } from './node-module.ts';
import { readPackageFile } from './package-file.ts';

/** What is looked for below a folder of loose files. */
export interface LooseSearch {
  /** Whether a file of this name is wanted (`nodesIncludes`, `nodesExcludes`). */
  readonly wants: (fileName: string) => boolean;
  /** Folders that are node modules of their own are left to whoever looks for modules. */
  readonly skipModules: boolean;
  /** Version that the sets carry. */
  readonly version: string;
  /** Locales of the core module, which loose files share. */
  readonly locales: string;
  readonly memory: SetMemory;
}

const notSearched = new Set(['lib', 'icons', 'node_modules', 'test', 'locales']);

/**
 * Loose node sets below a folder: code with an html file of the same name beside it, in order of their names.
 * They belong to the core module; the set's name is the file's, without leading digits and a dash.
 */
export function findLooseSets(folder: string, search: LooseSearch): NodeSet[] {
  if (search.skipModules && readPackageFile(folder)) return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isFolder(entry, path)) return isSearched(entry.name) ? findLooseSets(path, search) : [];
    if (!/\.[cm]?js$/.test(entry.name) || !search.wants(entry.name)) return [];
    const template = `${path.slice(0, path.length - extname(path).length)}.html`;
    return existsSync(template) ? [looseSet(path, template, search)] : [];
  });
}

/** Every `icons` folder below a folder of loose files; `skipModules` as in {@link LooseSearch}. */
export function findLooseIcons(folder: string, skipModules: boolean): string[] {
  if (skipModules && readPackageFile(folder)) return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!isFolder(entry, path)) return [];
    if (entry.name === 'icons') return [path];
    return isSearched(entry.name) ? findLooseIcons(path, skipModules) : [];
  });
}

function looseSet(file: string, template: string, search: LooseSearch): NodeSet {
  const name = basename(file, extname(file)).replace(/^\d+-/, '');
  const err = search.memory.quarantine(coreModuleName, name);
  return {
    id: `${coreModuleName}/${name}`,
    name,
    module: coreModuleName,
    version: search.version,
    kind: 'nodes',
    file,
    template,
    types: typesOf(template),
    enabled: !search.memory.isDisabled(coreModuleName, name),
    local: false,
    namespace: coreModuleName,
    locales: search.locales,
    ...(err === undefined ? {} : { err }),
  };
}

function isSearched(folderName: string): boolean {
  return !folderName.startsWith('.') && !notSearched.has(folderName);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
