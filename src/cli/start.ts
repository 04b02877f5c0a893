import { startControl } from '../control/server.ts';
import { createLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
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
  for (const warning of settings.warnings) log.warn(warning);
  surviveStrayErrors(log);
  const { uiHost: host, uiPort: port } = settings;
  const control = await startControl({ source, log }).catch((error: unknown) => {
    throw listenError(error, { host: host ?? '127.0.0.1', port });
  });
  process.title = flags.title ?? 'sluice';
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
