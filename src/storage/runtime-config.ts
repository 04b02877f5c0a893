import { randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Logger } from '../logging/logger.ts';
import { ConfigFile, configFilePath } from './config-file.ts';

/** `.config.runtime.json`: instance id, generated credential secret, state of the flows, and what node modules store. */
export type RuntimeConfig = ConfigFile<JsonObject>;

/**
 * Opens one of the user directory's configuration files that is an object of anything.
 * @param readOnly keep changes in memory only
 */
export function openObjectConfig(
  userDir: string,
  name: 'runtime' | 'users',
  log: Logger,
  readOnly = false,
): ConfigFile<JsonObject> {
  return new ConfigFile({ path: configFilePath(userDir, name), parse: parseObject, log, readOnly });
}

/** This installation's id, 16 hex digits; made at first use and kept. */
export async function instanceId(config: RuntimeConfig): Promise<string> {
  const known = (await config.read())['instanceId'];
  if (typeof known === 'string' && known !== '') return known;
  const made = randomBytes(8).toString('hex');
  const now = await config.update((old) =>
    typeof old['instanceId'] === 'string' ? old : { ...old, instanceId: made },
  );
  return String(now['instanceId']);
}

function parseObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new Error('it must hold an object');
  return value;
}
