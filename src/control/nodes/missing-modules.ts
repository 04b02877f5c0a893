import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import type { InstallRequest } from '../../modules/install-request.ts';
import type { Settings } from '../../settings/settings.ts';

/** What is needed to bring missing modules back. */
export interface MissingModulesDeps {
  readonly settings: {
    readonly externalModules: Pick<Settings['externalModules'], 'autoInstall' | 'autoInstallRetry'>;
  };
  readonly catalogue: { missing(): readonly { readonly name: string; readonly version?: string }[] };
  readonly nodes: { install(request: InstallRequest): Promise<unknown> };
  readonly log: Logger;
}

/**
 * Names the modules that the user once installed and that are not on disk any more, and installs them again where the
 * setting `externalModules.autoInstall` says so, trying until all are there.
 * @returns when nothing is left to do, or the signal aborts. Never rejects.
 */
export async function installMissing(deps: MissingModulesDeps, signal: AbortSignal): Promise<void> {
  const { catalogue, log, settings, nodes } = deps;
  const { autoInstall, autoInstallRetry } = settings.externalModules;
  const names = catalogue.missing().map(({ name }) => name);
  if (names.length === 0) return;
  log.warn(`Modules that were installed are missing: ${names.join(', ')}`);
  if (!autoInstall) return;
  while (!signal.aborted) {
    for (const { name, version } of catalogue.missing()) {
      if (signal.aborted) return;
      await nodes
        .install({ is: 'registry', name, ...(version === undefined ? {} : { version }) })
        .catch((error: unknown) => {
          log.warn(`The missing module ${name} could not be installed: ${wordsOf(error)}`);
        });
    }
    if (catalogue.missing().length === 0) return;
    await wait(autoInstallRetry * 1000, undefined, { signal, ref: false }).catch(() => {});
  }
}

function wordsOf(error: unknown): string {
  return error instanceof AppError ? error.detail : String(error);
}
