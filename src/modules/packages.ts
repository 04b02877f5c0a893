import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../logging/logger.ts';
import type { Settings } from '../settings/settings.ts';
import { Mutex } from '../storage/mutex.ts';
import { change } from './change.ts';
import { dependenciesOf } from './discover.ts';
import { chooseScripts, readInstalled, type ScriptedPackage } from './install-scripts.ts';
import { patience } from './npm.ts';
import { npmError } from './npm-error.ts';
import { readPackageJson } from './package-file.ts';
import { ensurePackageJson } from './user-package.ts';

/** How an installation goes on. `id` is 16 hex digits, the same from `start` to `end`. */
export type InstallProgress =
  | { readonly id: string; readonly is: 'start'; readonly text: string }
  | { readonly id: string; readonly is: 'output'; readonly from: 'out' | 'err'; readonly text: string }
  | { readonly id: string; readonly is: 'end'; readonly text: string };

/** What is needed to change packages. */
export interface PackagesDeps {
  readonly settings: Pick<Settings, 'userDir' | 'externalModules'>;
  readonly log: Logger;
  /** Hears how a change goes on, for whoever watches. */
  readonly onProgress?: (progress: InstallProgress) => void;
}

/** What can be done while a change is open. All of it is taken back where the change fails. */
export interface PackagesChange {
  /**
   * Installs a package.
   * @param spec what npm is to install, never an option: a name, name and version, an absolute path.
   * @param name the package's name, which npm's error is told apart by.
   * @param args options for npm.
   * @returns packages whose install scripts were left out.
   */
  install(spec: string, name: string, args: readonly string[]): Promise<readonly ScriptedPackage[]>;
  uninstall(name: string, args: readonly string[]): Promise<void>;
}

/** Runs npm; rejects where it fails. `name` is the module that its error is to be told apart by. */
type RunNpm = (args: readonly string[], name: string) => Promise<void>;

/** Of every run. What a caller gives comes between: it can choose how npm talks, never that scripts run. */
const first = ['--no-audit', '--no-update-notifier', '--no-fund', '--no-progress', '--no-color'];
const notice = '--loglevel=notice';
const timeoutMs = 15 * 60_000;

/**
 * The packages of the user directory, changed with npm: one change at a time, each wholly or not at all.
 */
export class Packages {
  readonly #deps: PackagesDeps;
  readonly #queue = new Mutex();
  readonly #closing = new AbortController();

  constructor(deps: PackagesDeps) {
    this.#deps = deps;
  }

  /** Runs a job when every job before it has ended: what it finds stays so until it ends. */
  exclusively<T>(job: () => Promise<T>): Promise<T> {
    if (this.#queue.isBusy) this.#deps.log.info('A change of the modules waits for the one before it to end');
    return this.#queue.run(job);
  }

  /**
   * Makes a change, and tells about it as it goes on. To be called within {@link exclusively}.
   * @param what for the log, such as `The installation of x`.
   * @param files that `body` writes besides what npm writes, relative to the user directory.
   * @throws AppError `not_found` (unknown package), `install_failed`; whatever `body` throws
   */
  async change<T>(
    what: string,
    files: readonly string[],
    body: (change: PackagesChange) => Promise<T>,
  ): Promise<T> {
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
      return await change(options, (open) => {
        const run: RunNpm = async (args, name) => {
          onProgress({ id, is: 'start', text: `npm ${args.join(' ')}` });
          const ended = await open.npm(args);
          end = `rc=${ended.code ?? 'killed'}`;
          if (ended.code !== 0) throw npmError(ended, name);
        };
        return body({
          install: (spec, name, args) => this.#install(spec, name, args, run),
          uninstall: (name, args) =>
            run(['uninstall', ...first, notice, ...args, '--ignore-scripts', '--', name], name),
        });
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(`${what} failed and was taken back: ${reason}`);
      throw error;
    } finally {
      onProgress({ id, is: 'end', text: end });
    }
  }

  /** The version of an installed package; undefined where it is not there. */
  versionOf(name: string): string | undefined {
    const version = readPackageJson(join(this.#deps.settings.userDir, 'node_modules', name))?.['version'];
    return typeof version === 'string' ? version : undefined;
  }

  /** Whether the user directory's `package.json` lists a package. */
  lists(name: string): boolean {
    return Object.hasOwn(dependenciesOf(this.#deps.settings.userDir), name);
  }

  /** The package file, relative to the user directory, that a package was installed from. */
  tarballOf(name: string): string | undefined {
    const spec = dependenciesOf(this.#deps.settings.userDir)[name];
    return typeof spec === 'string' ? /^file:(nodes\/[^/]+\.tgz)$/.exec(spec)?.[1] : undefined;
  }

  /** Ends what is being done, taking it back, and does nothing more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.run(() => {});
  }

  /** npm first brings the files without running anything of them, then those scripts run that may. */
  async #install(
    spec: string,
    name: string,
    args: readonly string[],
    run: RunNpm,
  ): Promise<readonly ScriptedPackage[]> {
    const { settings, log } = this.#deps;
    const before = readInstalled(settings.userDir);
    ensurePackageJson(settings.userDir);
    const options = [...first, notice, ...patience(settings.userDir), ...args, '--ignore-scripts'];
    await run(['install', ...options, '--', spec], name);
    const scripts = chooseScripts(settings.userDir, before, settings.externalModules.palette.installScripts);
    for (const { name: skipped, version } of scripts.skipped) {
      log.warn(
        `The install scripts of ${skipped}@${version} were not run; externalModules.palette.installScripts allows them`,
      );
    }
    if (scripts.run.length > 0) {
      const specs = scripts.run.map((one) => `${one.name}@${one.version}`);
      log.info(`Running the install scripts of ${specs.join(', ')}`);
      await run(['rebuild', ...first, notice, '--ignore-scripts=false', '--', ...specs], name);
    }
    return scripts.skipped;
  }
}
