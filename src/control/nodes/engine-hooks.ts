import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { EngineCalls } from '../../link/protocol.ts';
import type { Logger } from '../../logging/logger.ts';
import type { InstallHooks } from '../../modules/install-hooks.ts';

/** What is needed of the supervisor: a call that ends within the engine's time-out, whatever the engine does. */
export interface HookedEngine {
  call(
    method: 'install.hook',
    asks: EngineCalls['install.hook']['asks'],
  ): Promise<EngineCalls['install.hook']['gives']>;
}

/** The engine could not be asked, or gave no answer. */
const unheard: ReadonlySet<ErrorCode> = new Set([
  'engine.gone',
  'engine.unresponsive',
  'engine.timeout',
  'engine.failed',
]);

/**
 * Asks the engine, where modules add their handlers, before and after npm runs.
 * @remarks An engine that can't be asked (it is gone, blocked, or takes too long) never holds an installation: that goes
 * on as if nobody listened, or a bad module could keep itself from being removed.
 */
export function engineHooks({ engine, log }: { engine: HookedEngine; log: Logger }): InstallHooks {
  return {
    async trigger(hook, event) {
      try {
        return await engine.call('install.hook', { hook, event });
      } catch (error) {
        if (!(error instanceof AppError) || !unheard.has(error.code)) throw error;
        log.warn(`Handlers of ${hook} could not be asked about ${event.module}: ${error.detail}`);
        return { halted: false, event };
      }
    },
  };
}
