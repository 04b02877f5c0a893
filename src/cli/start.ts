import { arch, release, type } from 'node:os';
import { ownVersion } from '../control/version.ts';
import { createLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { trimMemoryAtRest } from '../storage/trim-memory.ts';
import type { StartFlags } from './command-line.ts';
import { listenError } from './listen-error.ts';
import { prepare } from './prepare.ts';
import { firstEndSignal } from './stop-on-signals.ts';

/**
 * `sluice`: runs the server until a signal ends it. Both planes are stopped when this resolves.
 * @throws UsageError or SettingsError when it cannot start
 */
export async function start(flags: StartFlags): Promise<void> {
  const ending = firstEndSignal();
  const { source, settings } = await prepare(flags, process.env);
  const log = createLogger(settings, 'control');
  log.info(`Sluice v${ownVersion()}, Node.js ${process.version}, ${type()} ${release()} ${arch()}`);
  log.info(`User directory: ${source.userDir}`);
  log.info(`Settings file: ${source.file}`);
  for (const warning of settings.warnings) log.warn(warning);
  surviveStrayErrors(log);
  // Only now: what is wrong with the settings is said before the server's code is even read.
  const { startControl } = await import('../control/server.ts');
  const control = await startControl({ source, log }).catch((error: unknown) => {
    throw listenError(error, { host: String(settings.raw['uiHost']), port: settings.uiPort });
  });
  process.title = flags.title ?? 'sluice';
  trimMemoryAtRest();
  const signal = await ending;
  log.info(`Stopping (${signal})`);
  await control.close();
  log.close();
}

/**
 * An error that nobody caught (a stray socket, a function of the settings file) is logged, and the server stays: ending
 * it would end the flows and lock the administrator out.
 */
function surviveStrayErrors(log: Logger): void {
  process.on('uncaughtException', (err, origin) => log.error(`Uncaught error (${origin})`, { err }));
}
