import type { SettingsSource } from '../settings/source.ts';

/** What the engine's process is given at birth, before the link is up, so that it can begin to read and load. */
export interface EngineBoot {
  readonly settings: SettingsSource;
  readonly heartbeatIntervalMs: number;
  /** Whether it must see for itself that it ends with the control plane, also while it is blocked. */
  readonly watchdog: boolean;
}

/** The environment variable that carries an {@link EngineBoot} as JSON; the engine removes it at once. */
export const bootVariable = 'SLUICE_ENGINE_BOOT';

/** Reads what the control plane left in the environment, and removes it. */
export function takeBoot(env: NodeJS.ProcessEnv): EngineBoot {
  const text = env[bootVariable];
  if (text === undefined) throw new Error('the engine is started by the control plane, not by hand');
  delete env[bootVariable];
  return JSON.parse(text) as EngineBoot;
}
