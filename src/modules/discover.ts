import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../contract/json.ts';
import { type CorePackage, coreLocales, coreModuleName, findCorePackage } from './core.ts';
import { describeSets, noMemory, type SetMemory } from './describe.ts';
import { findLooseSets } from './loose.ts';
import type { NodeModule, NodeSet } from './node-module.ts';
import { type PackageFile, readPackageFile, readPackageJson } from './package-file.ts';
import { isAllowed, type ModuleRules } from './rules.ts';
import { isInRange } from './versions.ts';

/** Where node modules are looked for, and which are wanted. */
export interface DiscoverOptions {
  /** Absolute path of the user directory. */
  readonly userDir: string;
  /** Further folders, absolute. */
  readonly nodesDir?: readonly string[];
  /** File or folder names that are left out. */
  readonly nodesExcludes?: readonly string[];
  /** Where given, only these file or folder names are taken. */
  readonly nodesIncludes?: readonly string[] | undefined;
  /** `externalModules.palette`. */
  readonly rules?: ModuleRules;
  readonly memory?: SetMemory;
  /** For tests; by default our own dependency `@node-red/nodes`. */
  readonly core?: CorePackage;
}

/** A package that says it is a node module and was left out, and why. */
export interface LeftOut {
  readonly module: string;
  readonly version: string;
  readonly because: 'rules' | 'version' | 'dependencies';
  /** In words for the log. */
  readonly reason: string;
}

/** What lies on disk. */
export interface Discovered {
  /** In load order: the core module, then the others, each after those it depends on. */
  readonly modules: readonly NodeModule[];
  readonly leftOut: readonly LeftOut[];
}

/** A package found in one place, before it is known whether it is taken. */
interface Found {
  readonly file: PackageFile;
  readonly folder: string;
  readonly local: boolean;
  readonly user: boolean;
}

/**
 * Finds every node module and every loose node set, without loading any of their code.
 * @remarks A copy in the user directory wins over one elsewhere, the first found over later ones. Reads synchronously:
 * at start nothing else could be done meanwhile, and small files are read fastest so.
 */
export function discover(options: DiscoverOptions): Discovered {
  const core = options.core ?? findCorePackage();
  const memory = options.memory ?? noMemory;
  const leftOut: LeftOut[] = [];
  const leave = ({ file }: Found, because: LeftOut['because'], reason: string) => {
    leftOut.push({ module: file.name, version: file.version, because, reason });
    return false;
  };

  const byName = new Map<string, Found>();
  for (const found of findPackages(options, core)) {
    if (byName.has(found.file.name) || found.file.name === coreModuleName) continue;
    if (options.rules && !isAllowed(options.rules, found.file.name, found.file.version)) {
      leave(found, 'rules', 'externalModules.palette does not allow it');
    } else if (!worksWith(found.file, core.version)) {
      leave(found, 'version', `it works with version ${found.file.worksWith}, this is ${core.version}`);
    } else byName.set(found.file.name, found);
  }
  let taken = [...byName.values()];
  // What is left out may be what another module needs, so this runs until nothing changes.
  for (let before = -1; before !== taken.length; ) {
    before = taken.length;
    const present = new Set(taken.map((found) => found.file.name));
    taken = taken.filter((found) => {
      const missing = found.file.dependencies.filter((name) => !present.has(name));
      return (
        missing.length === 0 || leave(found, 'dependencies', `it needs ${missing.join(', ')}, not installed`)
      );
    });
  }

  const needed = new Set(taken.flatMap((found) => found.file.dependencies));
  const modules = dependenciesFirst(taken).map((found) => asModule(found, memory, needed));
  return { modules: [coreModule(options, core, memory), ...modules], leftOut };
}

/** Whether a module works with this version of the core module; what it doesn't say, it does. */
export function worksWith(file: PackageFile, version: string): boolean {
  return file.worksWith === undefined || isInRange(version.replace(/-.*$/, ''), file.worksWith);
}

function asModule(found: Found, memory: SetMemory, needed: ReadonlySet<string>): NodeModule {
  const { file, folder, local, user } = found;
  const { name, version } = file;
  return {
    name,
    version,
    path: folder,
    local,
    user,
    dependencies: file.dependencies,
    hidden: !user && needed.has(name),
    ...describeSets(file, { module: name, version, folder, local, memory }),
  };
}

/** The core node sets, with the loose files of the user: one of the same name takes a core set's place. */
function coreModule(options: DiscoverOptions, core: CorePackage, memory: SetMemory): NodeModule {
  const search = {
    wants: wanted(options),
    version: core.version,
    locales: coreLocales(core),
    memory,
  };
  const sets = new Map<string, NodeSet>();
  const add = (folder: string, skipModules: boolean) => {
    for (const set of findLooseSets(folder, { ...search, skipModules })) sets.set(set.name, set);
  };
  add(join(core.path, 'core'), false);
  // A repository that was cloned here is run from its files: nobody looks for modules in this folder.
  add(join(options.userDir, 'nodes'), false);
  for (const folder of options.nodesDir ?? []) add(folder, true);
  return {
    name: coreModuleName,
    version: core.version,
    path: core.path,
    local: false,
    user: false,
    dependencies: [],
    hidden: false,
    nodes: [...sets.values()],
    plugins: [],
  };
}

/** Every package that says it is a node module, the user directory's first. */
function* findPackages(options: DiscoverOptions, core: CorePackage): Generator<Found> {
  const wants = wanted(options);
  const own = join(options.userDir, 'node_modules');
  const listed = dependenciesOf(options.userDir);
  for (const { folder, file } of packagesIn(own, wants)) {
    yield { file, folder, local: true, user: Object.hasOwn(listed, file.name) };
  }
  const elsewhere = (place: { folder: string; file: PackageFile }) => ({
    ...place,
    local: false,
    user: false,
  });
  for (const folder of modulesFoldersAbove(core.path)) {
    if (resolve(folder) !== resolve(own))
      for (const place of packagesIn(folder, wants)) yield elsewhere(place);
  }
  for (const folder of options.nodesDir ?? []) {
    const file = readPackageFile(folder);
    if (file) yield elsewhere({ folder, file });
    else {
      const inside = join(folder, 'node_modules');
      for (const place of packagesIn(existsSync(inside) ? inside : folder, wants)) yield elsewhere(place);
    }
  }
}

/** The packages that are node modules in a `node_modules` folder or one of its scopes, by name. */
function* packagesIn(
  folder: string,
  wants: (name: string) => boolean,
): Generator<{ folder: string; file: PackageFile }> {
  for (const { name } of entriesOf(folder)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    if (name.startsWith('@')) yield* packagesIn(path, wants);
    else if (wants(name)) {
      const file = readPackageFile(path);
      if (file) yield { folder: path, file };
    }
  }
}

function wanted({ nodesIncludes, nodesExcludes = [] }: DiscoverOptions): (name: string) => boolean {
  return (name) => (nodesIncludes?.includes(name) ?? true) && !nodesExcludes.includes(name);
}

/** The `node_modules` folder of every folder above, nearest first. */
function modulesFoldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    folders.push(join(at, 'node_modules'));
    if (at === dirname(at)) return folders;
  }
}

/** What the user directory's `package.json` lists: the modules that the user asked for. */
export function dependenciesOf(userDir: string): { readonly [name: string]: unknown } {
  const dependencies = readPackageJson(userDir)?.['dependencies'];
  return isObject(dependencies) ? dependencies : {};
}

function dependenciesFirst(all: readonly Found[]): Found[] {
  const byName = new Map(all.map((found) => [found.file.name, found]));
  const ordered = new Set<Found>();
  const visited = new Set<Found>();
  const visit = (found: Found | undefined) => {
    if (found === undefined || visited.has(found)) return;
    visited.add(found);
    for (const name of found.file.dependencies) visit(byName.get(name));
    ordered.add(found);
  };
  for (const found of all) visit(found);
  return [...ordered];
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
