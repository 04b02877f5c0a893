import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, sep } from 'node:path';
import { type CorePackage, coreModuleName } from './core.ts';
import { findLooseIcons } from './loose.ts';
import type { NodeModule, NodeSet } from './node-module.ts';

/*
 * Where a module's files for the editor lie: icons, resources, help and texts. Nothing here reads their content.
 */

/** Where the core module's own files, and the user's loose ones, are looked for. */
export interface LoosePlaces {
  readonly core: CorePackage;
  readonly userDir: string;
  readonly nodesDir: readonly string[];
}

/** The folders that hold a module's icons: `icons` beside each of its sets' files. */
export function iconFolders(module: NodeModule, places: LoosePlaces): string[] {
  if (module.name === coreModuleName) {
    return [
      join(places.core.path, 'icons'),
      join(places.userDir, 'lib', 'icons'),
      ...findLooseIcons(join(places.userDir, 'nodes'), false),
      ...places.nodesDir.flatMap((folder) => findLooseIcons(folder, true)),
    ].filter(isFolder);
  }
  const beside = [...module.nodes, ...module.plugins].flatMap((set) => fileOf(set) ?? []).map(dirname);
  return [...new Set(beside)].map((folder) => join(folder, 'icons')).filter(isFolder);
}

/** Names of the icons in a folder. Where one is there as SVG and in another format, only the SVG counts. */
export function iconsIn(folder: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && /\.(?:svg|png|gif)$/i.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  const svgs = new Set(names.filter((name) => /\.svg$/i.test(name)).map(stemOf));
  return names.filter((name) => /\.svg$/i.test(name) || !svgs.has(stemOf(name)));
}

/** The folder of a module that is served at `resources/<module>/`; undefined where it has none. */
export function resourcesFolder(module: NodeModule): string | undefined {
  const folder = join(module.path, 'resources');
  return isFolder(folder) ? folder : undefined;
}

/** Where a set's help in a language may lie, apart from its template. */
export function helpFile(set: NodeSet, language: string, core: CorePackage): string | undefined {
  if (set.template === undefined) return undefined;
  const folder = dirname(set.template);
  const name = basename(set.template);
  if (isInside(join(core.path, 'core'), folder)) {
    return join(core.path, 'locales', language, basename(folder), name);
  }
  return join(folder, 'locales', language, name);
}

/** Where the texts of a set's namespace lie in a language; undefined where the set has no namespace of its own. */
export function textsFile(set: NodeSet, language: string): string | undefined {
  const file = fileOf(set);
  if (set.locales === undefined || set.namespace !== set.id || file === undefined) return undefined;
  return join(set.locales, language, `${stemOf(basename(file))}.json`);
}

/**
 * A file below a folder, by a path that somebody asks for; undefined where it is not there, is no file, or lies outside
 * (also by a link).
 */
export function fileBelow(folder: string, path: string): string | undefined {
  const wanted = join(folder, path);
  if (path.includes('\0') || !isInside(folder, wanted)) return undefined;
  try {
    const real = realpathSync(wanted);
    return isInside(realpathSync(folder), real) && statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(set: NodeSet): string | undefined {
  return set.file ?? set.template;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function stemOf(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}
