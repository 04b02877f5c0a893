import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { coreModuleName } from './core.ts';
import type { Discovered } from './discover.ts';
import {
  aroundInstall,
  externalOptions,
  type InstallEvent,
  type InstallHooks,
  installOptions,
  noHooks,
  removeOptions,
} from './install-hooks.ts';
import { type InstallRequest, isModuleName } from './install-request.ts';
import type { ScriptedPackage } from './install-scripts.ts';
import type { NodeModule } from './node-module.ts';
import { Packages, type PackagesDeps } from './packages.ts';
import { isAllowed, versionMatters } from './rules.ts';
import { defaultLimits, inspectTarball } from './tarball.ts';
import { readFolder, refuseUnlessUsable } from './usable.ts';
import { isExactVersion } from './versions.ts';

/** What the installer needs. */
export interface InstallerDeps extends PackagesDeps {
  readonly catalogue: InstalledModules;
  /** Asked before and after npm runs for a node module. */
  readonly hooks?: InstallHooks;
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

/** What is to be installed, and from where. */
interface Installation {
  readonly name: string;
  /** Whichever is the latest, where undefined. */
  readonly version: string | undefined;
  /** What npm is given. */
  readonly spec: string;
  /** What of the request the hooks are told. */
  readonly told: Pick<InstallEvent, 'version' | 'url'>;
  /** A folder never takes the place of what is installed. */
  readonly isFolder?: boolean;
  /** Files that `before` writes, relative to the user directory. */
  readonly files?: readonly string[];
  readonly before?: () => Promise<void>;
}

/**
 * Installs, updates and removes packages in the user directory with npm: one at a time, each wholly or not at all.
 * @remarks Not here: loading what was installed. The engine is asked for that when the change is on disk.
 */
export class Installer {
  readonly #deps: InstallerDeps;
  readonly #packages: Packages;
  readonly #hooks: InstallHooks;

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
    this.#hooks = deps.hooks ?? noHooks;
    this.#packages = new Packages(deps);
  }

  /**
   * Installs a module, or changes an installed one to another version.
   * @throws AppError `module_already_loaded`, `not_found`, `invalid_package`, `install_not_allowed`,
   * `update_not_allowed`, `install_failed`
   */
  install(request: InstallRequest): Promise<InstallOutcome> {
    return this.#packages.exclusively(async () => {
      switch (request.is) {
        case 'registry': {
          const { name, version } = request;
          const spec = version === undefined ? name : `${name}@${version}`;
          return this.#install({ name, version, spec, told: { version } });
        }
        case 'url': {
          const { name, url } = request;
          return this.#install({ name, version: undefined, spec: `${name}@${url}`, told: { url } });
        }
        case 'folder': {
          const { name, version } = readFolder(request.path);
          return this.#install({ name, version, spec: request.path, told: {}, isFolder: true });
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
    return this.#packages.exclusively(async () => {
      const { userDir, externalModules } = this.#deps.settings;
      const unpackedBytes = externalModules.palette.maxUnpackedSize;
      const { name, version } = await inspectTarball(path, { ...defaultLimits, unpackedBytes });
      const kept = `nodes/${name.replace(/^@/, '').replaceAll('/', '-')}-${version}.tgz`;
      const older = this.#packages.tarballOf(name);
      const outcome = await this.#install({
        name,
        version,
        spec: join(userDir, kept),
        told: { version, url: join(userDir, kept) },
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
    return this.#packages.exclusively(async () => {
      const { catalogue, log } = this.#deps;
      const module = catalogue.module(name);
      if (!module) throw new AppError('not_found', { detail: 'Module not found' });
      if (!module.user || !isModuleName(name)) {
        throw new AppError('unexpected_error', { detail: `Unrecognised module: ${name}` });
      }
      log.info(`Removing module: ${name}`);
      const tarball = this.#packages.tarballOf(name);
      const event = { module: name, dir: this.#deps.settings.userDir, args: removeOptions };
      const before = await this.#hooks.trigger('preUninstall', event);
      const discovered = await this.#packages.change(`The removal of ${name}`, [], async (change) => {
        if (!before.halted) await change.uninstall(name, before.event.args);
        const discovered = catalogue.discover();
        if (before.halted && discovered.modules.some((one) => one.name === name && one.user)) {
          throw new AppError('install_failed', { detail: 'A handler of preUninstall halted the removal' });
        }
        return discovered;
      });
      if (tarball !== undefined) await rm(join(this.#deps.settings.userDir, tarball), { force: true });
      const done: InstallDone = { module: name, did: 'remove', skippedScripts: [] };
      const changes = await catalogue.adopt(discovered, done);
      log.info(`Removed module: ${name}`);
      await this.#hooks.trigger('postUninstall', before.event).catch((error: unknown) => {
        log.warn(`A handler failed after the removal of ${name}`, { err: error });
      });
      return { ...done, changes };
    });
  }

  /**
   * Installs an npm package for function nodes (`libs`), where it is not listed in the user directory's `package.json`.
   * @param spec a name, or name, `@` and version, range or tag.
   * @param args options for npm; the hooks around it are the engine's affair, which asks for this.
   * @throws AppError `install_not_allowed`, `invalid_module_name`, `not_found`, `install_failed`
   */
  external(spec: string, args: readonly string[] = externalOptions): Promise<{ version: string }> {
    return this.#packages.exclusively(async () => {
      const { settings, log } = this.#deps;
      const rules = settings.externalModules.modules;
      const at = spec.indexOf('@', 1);
      const name = at === -1 ? spec : spec.slice(0, at);
      const version = at === -1 ? '' : spec.slice(at + 1);
      if (!isModuleName(name) || !/^[\w .*^~<>=|+-]*$/.test(version))
        throw new AppError('invalid_module_name');
      const exact = isExactVersion(version) ? version : undefined;
      if (!isAllowed(rules, name, exact)) throw new AppError('install_not_allowed');
      const present = this.#packages.versionOf(name);
      if (present !== undefined && this.#packages.lists(name)) return { version: present };
      if (!rules.allowInstall) throw new AppError('install_not_allowed');
      log.info(`Installing package for function nodes: ${spec}`);
      return this.#packages.change(`The installation of ${spec}`, [], async (change) => {
        await change.install(version === '' ? name : `${name}@${version}`, name, [
          '--save',
          '--save-prefix=~',
          ...args,
        ]);
        const installed = this.#packages.versionOf(name);
        if (installed === undefined) throw new AppError('install_failed');
        if (!isAllowed(rules, name, installed)) throw new AppError('install_not_allowed');
        return { version: installed };
      });
    });
  }

  /** Ends what is being done, taking it back, and does nothing more. */
  close(): Promise<void> {
    return this.#packages.close();
  }

  async #install(wanted: Installation): Promise<InstallOutcome> {
    const { name, version, spec, told, isFolder = false, files = [], before } = wanted;
    const { catalogue, log } = this.#deps;
    const did = this.#mayInstall(name, version, isFolder);
    log.info(
      `${did === 'update' ? 'Updating' : 'Installing'} module: ${name}, version: ${version ?? 'latest'}`,
    );
    const isExisting = catalogue.module(name)?.user === false;
    const event = {
      module: name,
      ...told,
      dir: this.#deps.settings.userDir,
      isExisting,
      isUpgrade: isExisting || did === 'update',
      args: installOptions,
    };
    const { discovered, skippedScripts } = await this.#packages.change(
      `The ${did === 'update' ? 'update' : 'installation'} of ${name}`,
      files,
      async (change) => {
        await before?.();
        let skippedScripts: readonly ScriptedPackage[] = [];
        const hasRun = await aroundInstall(this.#hooks, event, async (args) => {
          skippedScripts = await change.install(spec, name, args);
        });
        const discovered = catalogue.discover();
        if (!hasRun && !discovered.modules.some((one) => one.name === name)) {
          throw new AppError('install_failed', { detail: 'A handler of preInstall halted the installation' });
        }
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
}
