import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { Settings } from '../settings/settings.ts';
import { Mutex } from '../storage/mutex.ts';
import { change } from './change.ts';
import { coreModuleName } from './core.ts';
import { type Discovered, dependenciesOf } from './discover.ts';
import { type InstallRequest, isModuleName } from './install-request.ts';
import { chooseScripts, readInstalled, type ScriptedPackage, type ScriptPolicy } from './install-scripts.ts';
import type { NodeModule } from './node-module.ts';
import { npmError } from './npm-error.ts';
import { asPackageFile, hasSets, readPackageJson } from './package-file.ts';
import { isAllowed, versionMatters } from './rules.ts';
import { inspectTarball } from './tarball.ts';
import { isExactVersion } from './versions.ts';

/** What the installer needs. */
export interface InstallerDeps {
  readonly settings: Pick<Settings, 'userDir' | 'externalModules'>;
  readonly log: Logger;
  readonly catalogue: InstalledModules;
  /** Hears how an installation goes on, for whoever watches. */
  readonly onProgress?: (progress: InstallProgress) => void;
}

/** The modules that are known to be installed. */
export interface InstalledModules {
  module(name: string): NodeModule | undefined;
  /** What lies on disk now. */
  discover(): Discovered;
  /** Takes what was discovered after an installation, an update or a removal for what is installed. */
  adopt(discovered: Discovered, done: InstallDone): Promise<ModulesChange>;
}

/** How the installed modules differ from what they were. */
export interface ModulesChange {
  readonly added: readonly NodeModule[];
  /** Another version, or from another place. */
  readonly changed: readonly NodeModule[];
  readonly removed: readonly NodeModule[];
}

/** What was done on disk. */
export interface InstallDone {
  readonly module: string;
  readonly did: 'install' | 'update' | 'remove';
  /** Packages whose install scripts were left out, by the setting `externalModules.palette.installScripts`. */
  readonly skippedScripts: readonly ScriptedPackage[];
}

/** What an installation, an update or a removal came to: other modules may have come or gone with the one. */
export interface InstallOutcome extends InstallDone {
  readonly changes: ModulesChange;
}

/** How an installation goes on. `id` is 16 hex digits, the same from `start` to `end`. */
export type InstallProgress =
  | { readonly id: string; readonly is: 'start'; readonly text: string }
  | { readonly id: string; readonly is: 'output'; readonly from: 'out' | 'err'; readonly text: string }
  | { readonly id: string; readonly is: 'end'; readonly text: string };

/** Runs npm; rejects where it fails. `name` is the module that its error is to be told apart by. */
type RunNpm = (args: readonly string[], name: string) => Promise<void>;

const always = ['--no-audit', '--no-update-notifier', '--no-fund', '--no-progress', '--no-color'];
const installOptions = [
  ...always,
  '--loglevel=notice',
  '--save',
  '--save-prefix=~',
  '--omit=dev',
  '--engine-strict',
  '--ignore-scripts',
];
const removeOptions = [...always, '--loglevel=notice', '--save', '--ignore-scripts'];
const timeoutMs = 15 * 60_000;

/**
 * Installs, updates and removes packages in the user directory with npm: one at a time, each wholly or not at all.
 * @remarks Not here: loading what was installed. The engine is asked for that when the change is on disk.
 */
export class Installer {
  readonly #deps: InstallerDeps;
  readonly #queue = new Mutex();
  readonly #closing = new AbortController();

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  /**
   * Installs a module, or changes an installed one to another version.
   * @throws AppError `module_already_loaded`, `not_found`, `invalid_package`, `install_not_allowed`,
   * `update_not_allowed`, `install_failed`
   */
  install(request: InstallRequest): Promise<InstallOutcome> {
    return this.#queue.run(async () => {
      switch (request.is) {
        case 'registry': {
          const { name, version } = request;
          return this.#install(name, version, version === undefined ? name : `${name}@${version}`);
        }
        case 'url':
          return this.#install(request.name, undefined, `${request.name}@${request.url}`);
        case 'folder': {
          const { name, version } = readFolder(request.path);
          return this.#install(name, version, request.path, { isFolder: true });
        }
        default:
          return request satisfies never;
      }
    });
  }

  /**
   * Installs a package file (`.tgz`), and keeps it in the user directory's `nodes` folder, from where npm has it.
   * @param path absolute path of the uploaded file; the caller deletes it.
   * @throws AppError as `install`, and `invalid_tarball`
   */
  upload(path: string): Promise<InstallOutcome> {
    return this.#queue.run(async () => {
      const { name, version } = await inspectTarball(path);
      const { userDir } = this.#deps.settings;
      const kept = `nodes/${name.replace(/^@/, '').replaceAll('/', '-')}-${version}.tgz`;
      const older = this.#tarballOf(name);
      const outcome = await this.#install(name, version, join(userDir, kept), {
        files: [kept],
        before: async () => {
          await mkdir(join(userDir, 'nodes'), { recursive: true });
          await copyFile(path, join(userDir, kept));
          await using file = await open(join(userDir, kept));
          await file.sync();
        },
      });
      if (older !== undefined && older !== kept) await rm(join(userDir, older), { force: true });
      return outcome;
    });
  }

  /**
   * Removes a module that the user installed.
   * @throws AppError `not_found`, `unexpected_error` (not the user's own), `install_failed`
   */
  remove(name: string): Promise<InstallOutcome> {
    return this.#queue.run(async () => {
      const { catalogue, log } = this.#deps;
      const module = catalogue.module(name);
      if (!module) throw new AppError('not_found', { detail: 'Module not found' });
      if (!module.user || !isModuleName(name)) {
        throw new AppError('unexpected_error', { detail: `Unrecognised module: ${name}` });
      }
      log.info(`Removing module: ${name}`);
      const tarball = this.#tarballOf(name);
      const discovered = await this.#change(`The removal of ${name}`, [], async (run) => {
        await run(['uninstall', ...removeOptions, '--', name], name);
        return catalogue.discover();
      });
      if (tarball !== undefined) await rm(join(this.#deps.settings.userDir, tarball), { force: true });
      const done: InstallDone = { module: name, did: 'remove', skippedScripts: [] };
      const changes = await catalogue.adopt(discovered, done);
      log.info(`Removed module: ${name}`);
      return { ...done, changes };
    });
  }

  /**
   * Installs an npm package for function nodes (`libs`), where it is not listed in the user directory's `package.json`.
   * @param spec a name, or name, `@` and version, range or tag.
   * @throws AppError `install_not_allowed`, `invalid_module_name`, `not_found`, `install_failed`
   */
  external(spec: string): Promise<{ version: string }> {
    return this.#queue.run(async () => {
      const { settings, log } = this.#deps;
      const rules = settings.externalModules.modules;
      const at = spec.indexOf('@', 1);
      const name = at === -1 ? spec : spec.slice(0, at);
      const version = at === -1 ? '' : spec.slice(at + 1);
      if (!isModuleName(name) || !/^[\w .*^~<>=|+-]*$/.test(version))
        throw new AppError('invalid_module_name');
      const exact = isExactVersion(version) ? version : undefined;
      if (!isAllowed(rules, name, exact)) throw new AppError('install_not_allowed');
      const present = this.#versionOf(name);
      if (present !== undefined && Object.hasOwn(dependenciesOf(settings.userDir), name))
        return { version: present };
      if (!rules.allowInstall) throw new AppError('install_not_allowed');
      log.info(`Installing package for function nodes: ${spec}`);
      return this.#change(`The installation of ${spec}`, [], async (run) => {
        await this.#installPackage(version === '' ? name : `${name}@${version}`, name, run);
        const installed = this.#versionOf(name);
        if (installed === undefined) throw new AppError('install_failed');
        if (!isAllowed(rules, name, installed)) throw new AppError('install_not_allowed');
        return { version: installed };
      });
    });
  }

  /** Ends what is being done, taking it back, and does nothing more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.run(() => {});
  }

  async #install(
    name: string,
    version: string | undefined,
    spec: string,
    more: { isFolder?: boolean; files?: readonly string[]; before?: () => Promise<void> } = {},
  ): Promise<InstallOutcome> {
    const { catalogue, log } = this.#deps;
    const did = this.#mayInstall(name, version, more.isFolder === true);
    log.info(
      `${did === 'update' ? 'Updating' : 'Installing'} module: ${name}, version: ${version ?? 'latest'}`,
    );
    const { discovered, skippedScripts } = await this.#change(
      `The ${did === 'update' ? 'update' : 'installation'} of ${name}`,
      more.files ?? [],
      async (run) => {
        await more.before?.();
        const skippedScripts = await this.#installPackage(spec, name, run);
        const discovered = catalogue.discover();
        refuseUnlessUsable(discovered, name, version);
        return { discovered, skippedScripts };
      },
    );
    const done: InstallDone = { module: name, did, skippedScripts };
    const changes = await catalogue.adopt(discovered, done);
    log.info(`${did === 'update' ? 'Updated' : 'Installed'} module: ${name}`);
    return { ...done, changes };
  }

  /** Whether it is to be installed, or changed to another version; throws where neither is allowed. */
  #mayInstall(name: string, version: string | undefined, isFolder: boolean): 'install' | 'update' {
    const rules = this.#deps.settings.externalModules.palette;
    const updates = { allowList: rules.allowUpdateList, denyList: rules.denyUpdateList };
    if (name === coreModuleName) throw new AppError('module_already_loaded');
    if ((version !== undefined || !versionMatters(rules, name)) && !isAllowed(rules, name, version)) {
      throw new AppError('install_not_allowed');
    }
    const installed = this.#deps.catalogue.module(name);
    if (!installed?.user) return 'install';
    if (isFolder || version === undefined || version === installed.version) {
      throw new AppError('module_already_loaded');
    }
    if (!rules.allowUpdate || !isAllowed(updates, name)) throw new AppError('update_not_allowed');
    return 'update';
  }

  /** npm first brings the files without running anything of them, then those scripts run that may. */
  async #installPackage(spec: string, name: string, run: RunNpm): Promise<ScriptedPackage[]> {
    const { settings, log } = this.#deps;
    const before = readInstalled(settings.userDir);
    this.#ensurePackageJson();
    await run(['install', ...installOptions, '--', spec], name);
    const policy: ScriptPolicy = settings.externalModules.palette.installScripts;
    const scripts = chooseScripts(settings.userDir, before, policy);
    for (const { name: skipped, version } of scripts.skipped) {
      log.warn(
        `The install scripts of ${skipped}@${version} were not run; externalModules.palette.installScripts allows them`,
      );
    }
    if (scripts.run.length > 0) {
      const specs = scripts.run.map((one) => `${one.name}@${one.version}`);
      log.info(`Running the install scripts of ${specs.join(', ')}`);
      await run(['rebuild', ...always, '--loglevel=notice', '--ignore-scripts=false', '--', ...specs], name);
    }
    return scripts.skipped;
  }

  /** Makes a change of the user directory, and tells about it as it goes on. */
  async #change<T>(what: string, files: readonly string[], body: (run: RunNpm) => Promise<T>): Promise<T> {
    const { settings, log, onProgress = () => {} } = this.#deps;
    const id = randomBytes(8).toString('hex');
    const options = {
      userDir: settings.userDir,
      what,
      files,
      timeoutMs,
      signal: this.#closing.signal,
      onOutput: (text: string, from: 'out' | 'err') => {
        onProgress({ id, is: 'output', from, text });
        if (text.trim() !== '') log.debug(`npm: ${text.trim()}`);
      },
    };
    let end = 'rc=1';
    try {
      const result = await change(options, (open) =>
        body(async (args, name) => {
          onProgress({ id, is: 'start', text: `npm ${args.join(' ')}` });
          const ended = await open.npm(args);
          end = `rc=${ended.code ?? 'killed'}`;
          if (ended.code !== 0) throw npmError(ended, name);
        }),
      );
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(`${what} failed and was taken back: ${reason}`);
      throw error;
    } finally {
      onProgress({ id, is: 'end', text: end });
    }
  }

  #ensurePackageJson(): void {
    const path = join(this.#deps.settings.userDir, 'package.json');
    if (existsSync(path)) return;
    const file = {
      name: 'sluice-project',
      description: 'Modules installed by Sluice',
      version: '0.0.1',
      private: true,
    };
    writeFileSync(path, `${JSON.stringify(file, null, 4)}\n`);
  }

  /** The package file, below the user directory, that a module was installed from. */
  #tarballOf(name: string): string | undefined {
    const spec = dependenciesOf(this.#deps.settings.userDir)[name];
    return typeof spec === 'string' ? /^file:(nodes\/[^/]+\.tgz)$/.exec(spec)?.[1] : undefined;
  }

  #versionOf(name: string): string | undefined {
    const version = readPackageJson(join(this.#deps.settings.userDir, 'node_modules', name))?.['version'];
    return typeof version === 'string' ? version : undefined;
  }
}

/** The package in a folder that somebody asks to have installed. */
function readFolder(path: string): { name: string; version: string } {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) {
    const dangling = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    throw new AppError('not_found', {
      detail: 'No such directory',
      message: `${path}${dangling ? ' dangles' : ''}`,
    });
  }
  if (!stats.isDirectory())
    throw new AppError('invalid_module_name', { detail: 'The path must be that of a folder' });
  const file = asPackageFile(readPackageJson(path));
  if (!file || !hasSets(file)) throw new AppError('invalid_package');
  if (!isModuleName(file.name))
    throw new AppError('invalid_package', { detail: 'The package has no valid name' });
  return file;
}

/** Whether what npm brought is what was asked for, and can be used. */
function refuseUnlessUsable(discovered: Discovered, name: string, version: string | undefined): void {
  const found = discovered.modules.find((module) => module.name === name);
  if (found?.user) {
    if (found.nodes.length + found.plugins.length === 0) throw new AppError('invalid_package');
    if (version !== undefined && found.version !== version) {
      throw new AppError('invalid_package', {
        detail: `The package says that it is version ${found.version}`,
      });
    }
    return;
  }
  const leftOut = discovered.leftOut.find(({ module }) => module === name);
  if (leftOut?.because === 'rules') throw new AppError('install_not_allowed');
  throw new AppError(
    'invalid_package',
    leftOut ? { detail: `The module cannot be used: ${leftOut.reason}` } : {},
  );
}
