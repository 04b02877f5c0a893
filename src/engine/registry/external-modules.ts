import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../contract/errors.ts';
import type { FlowConfig, FlowItem } from '../../contract/flows.ts';
import { isObject } from '../../contract/json.ts';
import { isAllowed, type ModuleRules } from '../../modules/rules.ts';
import { importTarget } from './import-target.ts';

/** What the settings say about npm packages for function nodes and the like. */
export interface ExternalRules extends ModuleRules {
  readonly allowInstall: boolean;
}

/** A package that flows need and that could not be had. */
export interface MissingModule {
  readonly module: string;
  readonly error: string;
}

/** What the flows say about the packages that they need. */
export interface DependencyLookup {
  /** The property of nodes of this type that lists packages. */
  dynamicModuleList(type: string): string | undefined;
  /** The nodes inside a subflow that a module provides as this type. */
  subflowNodes(type: string): FlowConfig | undefined;
}

/**
 * npm packages and built-in modules that nodes reach by `RED.require` and `RED.import`: those that the user directory's
 * `package.json` names, and what Node.js brings.
 */
export class ExternalModules {
  readonly #anchor: string;
  readonly #rules: ExternalRules;
  readonly #nodeModulePath: (name: string) => string | undefined;
  readonly #install: (spec: PackageSpec) => Promise<unknown>;

  /**
   * @param deps.userDir Absolute path of the user directory.
   * @param deps.nodeModulePath Folder of a loaded node module.
   * @param deps.install Installs a package into the user directory.
   */
  constructor(deps: {
    userDir: string;
    rules: ExternalRules;
    nodeModulePath: (name: string) => string | undefined;
    install: (spec: PackageSpec) => Promise<unknown>;
  }) {
    this.#anchor = join(deps.userDir, 'package.json');
    this.#rules = deps.rules;
    this.#nodeModulePath = deps.nodeModulePath;
    this.#install = deps.install;
  }

  /**
   * Gives a built-in module, a loaded node module (the instance that was loaded), or a package of the user directory.
   * @throws AppError `module_not_allowed` for any other; what the module itself throws.
   */
  require(specifier: string): unknown {
    const path = this.#nodeModulePath(specifier);
    if (path !== undefined) return createRequire(this.#anchor)(path);
    return createRequire(this.#anchor)(this.#known(specifier));
  }

  /** As {@link require}, by `import()`: for ES modules too. */
  async import(specifier: string): Promise<unknown> {
    const path = this.#nodeModulePath(specifier);
    if (path !== undefined) return import(pathToFileURL(createRequire(this.#anchor).resolve(path)).href);
    const known = this.#known(specifier);
    if (isBuiltin(known)) return import(known);
    return import(pathToFileURL(importTarget(known, this.#anchor)).href);
  }

  /**
   * Installs the packages that the flows' nodes list and that are not there.
   * @returns Those that could not be had, and why.
   */
  async ensure(flows: FlowConfig, types: DependencyLookup): Promise<readonly MissingModule[]> {
    const missing: MissingModule[] = [];
    for (const [name, spec] of listedPackages(flows, types)) {
      const error = await this.#ensureOne(name, spec);
      if (error !== undefined) missing.push({ module: name, error });
    }
    return missing;
  }

  async #ensureOne(name: string, spec: PackageSpec): Promise<string | undefined> {
    if (isBuiltin(name)) return this.#isAllowed(name) ? undefined : 'module_not_allowed';
    const installed = this.#installed().has(name);
    if (!this.#isAllowed(name, spec.version)) {
      return installed ? 'module_not_allowed' : 'install_not_allowed';
    }
    if (installed) return undefined;
    if (!this.#rules.allowInstall) return 'install_not_allowed';
    try {
      await this.#install(spec);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) return String(error);
      // The editor shows what npm said: no such package.
      return error.code === 'not_found' ? '404' : error.detail;
    }
  }

  /** What to resolve: the specifier without its version, which `libs` of function nodes may name. */
  #known(specifier: string): string {
    const { name, subpath } = readPackageSpec(specifier) ?? { name: '', subpath: '' };
    const isThere = isBuiltin(name + subpath) || this.#installed().has(name);
    if (name === '' || !isThere || !this.#isAllowed(name)) {
      throw new AppError('module_not_allowed', { detail: `Module '${specifier}' is not allowed` });
    }
    return name + subpath;
  }

  /** A built-in module is the same with and without `node:` in front. */
  #isAllowed(name: string, version?: string): boolean {
    return (
      isAllowed(this.#rules, name, version) && isAllowed(this.#rules, name.replace(/^node:/, ''), version)
    );
  }

  /** Read anew each time: an installation may have changed it. */
  #installed(): ReadonlySet<string> {
    try {
      const content: unknown = JSON.parse(readFileSync(this.#anchor, 'utf8'));
      const dependencies = isObject(content) ? content['dependencies'] : undefined;
      return new Set(isObject(dependencies) ? Object.keys(dependencies) : []);
    } catch {
      return new Set();
    }
  }
}

/** An npm package as a flow names it. */
export interface PackageSpec {
  readonly name: string;
  /** A file or entry inside it, with the slash in front, or nothing. */
  readonly subpath: string;
  readonly version?: string;
}

/** Reads `name`, `@scope/name`, either with `/path` or `@version`. */
export function readPackageSpec(text: string): PackageSpec | undefined {
  const match = /^((?:@[^/@]+\/)?[^/@.][^/@]*)(\/[^@]*)?(?:@(.+))?$/.exec(text);
  const [, name, subpath = '', version] = match ?? [];
  if (name === undefined || subpath.includes('..')) return undefined;
  return { name, subpath, ...(version === undefined ? {} : { version }) };
}

/** Each package that an enabled node lists, in the first version that is named. */
function listedPackages(flows: FlowConfig, types: DependencyLookup): ReadonlyMap<string, PackageSpec> {
  const packages = new Map<string, PackageSpec>();
  const subflows = new Set<string>();
  const visit = (item: FlowItem): void => {
    if (item['d'] === true) return;
    const inside = subflows.has(item.type) ? undefined : types.subflowNodes(item.type);
    if (inside !== undefined) {
      subflows.add(item.type);
      inside.forEach(visit);
    }
    const property = types.dynamicModuleList(item.type);
    if (property === undefined) return;
    for (const entry of [item[property]].flat()) {
      const text = isObject(entry) ? entry['module'] : entry;
      const spec = typeof text === 'string' ? readPackageSpec(text) : undefined;
      if (spec !== undefined && !packages.has(spec.name)) packages.set(spec.name, spec);
    }
  };
  flows.forEach(visit);
  return packages;
}
