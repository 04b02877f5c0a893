import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import type { NodeSet, SetKind } from './node-module.ts';
import type { PackageFile } from './package-file.ts';
import { typesIn } from './template.ts';

/** Which module a set belongs to, and what the administrator decided about it. */
export interface SetContext {
  readonly module: string;
  readonly version: string;
  /** Absolute path of the module's folder. */
  readonly folder: string;
  readonly local: boolean;
  readonly memory: SetMemory;
}

/** What is remembered about sets from one start to the next. */
export interface SetMemory {
  /** Whether the administrator disabled a set. */
  isDisabled(module: string, set: string): boolean;
  /** Why a set must not be loaded although it is enabled: it took the engine down. */
  quarantine(module: string, set: string): string | undefined;
}

/** Nothing is remembered: every set is enabled. */
export const noMemory: SetMemory = { isDisabled: () => false, quarantine: () => undefined };

/** The node sets and plugin sets that a package declares, in its order. Never loads their code. */
export function describeSets(
  file: PackageFile,
  context: SetContext,
): { nodes: readonly NodeSet[]; plugins: readonly NodeSet[] } {
  const describe = (sets: PackageFile['nodes'], kind: SetKind) =>
    Object.entries(sets).map(([name, path]) => describeSet(name, path, kind, context));
  return { nodes: describe(file.nodes, 'nodes'), plugins: describe(file.plugins, 'plugins') };
}

function describeSet(name: string, path: string, kind: SetKind, context: SetContext): NodeSet {
  const { module, folder } = context;
  const declared = join(folder, path);
  const parts = partsOf(declared, kind);
  const beside = existsSync(join(dirname(declared), 'locales'))
    ? join(dirname(declared), 'locales')
    : undefined;
  const quarantine = context.memory.quarantine(module, name);
  const err = leaves(folder, declared)
    ? `${path} lies outside of the module's folder`
    : (parts.missing ?? quarantine);
  return {
    id: `${module}/${name}`,
    name,
    module,
    version: context.version,
    kind,
    ...(parts.file === undefined ? {} : { file: parts.file }),
    ...(parts.template === undefined || leaves(folder, declared) ? {} : { template: parts.template }),
    types: kind === 'nodes' && parts.template !== undefined ? typesOf(parts.template) : [],
    enabled: !context.memory.isDisabled(module, name),
    local: context.local,
    namespace: beside === undefined ? module : `${module}/${name}`,
    ...(beside === undefined ? {} : { locales: beside }),
    ...(err === undefined ? {} : { err }),
  };
}

interface Parts {
  readonly file?: string;
  readonly template?: string;
  /** What is wrong, where neither can be used. */
  readonly missing?: string;
}

/** The code and the editor's part that belong to one declared path: `x.js`, `x.cjs`, `x.mjs` or `x.html`. */
function partsOf(declared: string, kind: SetKind): Parts {
  const extension = extname(declared).toLowerCase();
  const stem = declared.slice(0, declared.length - extension.length);
  const template = isFile(`${stem}.html`) ? `${stem}.html` : undefined;
  const withTemplate = template === undefined ? {} : { template };
  if (extension !== '.html' && isFile(declared)) return { file: declared, ...withTemplate };
  // A plugin may declare either of its two files; a node set that declares its html has no code.
  if (kind === 'plugins' || extension === '') {
    const file = ['.js', '.cjs', '.mjs'].map((other) => `${stem}${other}`).find(isFile);
    if (file !== undefined) return { file, ...withTemplate };
  }
  if (template !== undefined && (extension === '.html' || kind === 'plugins')) return { template };
  return { missing: `${basename(declared)} does not exist`, ...withTemplate };
}

/** The types that a template file declares; none where it can't be read. */
export function typesOf(template: string): readonly string[] {
  try {
    return typesIn(readFileSync(template, 'utf8'));
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function leaves(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way.startsWith('..') || isAbsolute(way);
}
