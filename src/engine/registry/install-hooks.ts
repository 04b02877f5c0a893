import { AppError } from '../../contract/errors.ts';
import type { HookOutcome, InstallEvent, InstallHook } from '../../modules/install-hooks.ts';
import type { Hooks } from '../messaging/hooks.ts';

/**
 * Runs the handlers that modules added to a hook around npm.
 * @throws AppError `install_failed` where one throws, or leaves options that are none.
 */
export async function runInstallHook(
  hooks: Pick<Hooks, 'trigger'>,
  hook: InstallHook,
  event: InstallEvent,
): Promise<HookOutcome> {
  // Handlers may push to the options as well as replace them.
  const told = { ...event, args: [...event.args] };
  const result = await hooks.trigger(hook, told).catch((error: unknown) => {
    throw refused(hook, String(error));
  });
  const args: unknown = told.args ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw refused(hook, 'args must be a list of texts');
  }
  return { halted: result === false, event: { ...told, args } };
}

function refused(hook: InstallHook, why: string): AppError {
  return new AppError('install_failed', { detail: `A handler of ${hook} refused: ${why}` });
}
