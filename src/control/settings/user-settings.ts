import { AppError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ConfigFile } from '../../storage/config-file.ts';

/** Under whose name settings are kept where nobody is logged in. */
export const nobody = '_';

/** What {@link UserSettings} needs. */
export interface UserSettingsDeps {
  /** `.config.users.json`: settings by user name. */
  readonly file: ConfigFile<JsonObject>;
  /** Told of every change that did not come from the engine, which has a copy of its own. */
  readonly changed: (user: string, value: JsonObject) => void;
}

/** What the editor (and node modules) keep for each user. */
export class UserSettings {
  readonly #deps: UserSettingsDeps;

  constructor(deps: UserSettingsDeps) {
    this.#deps = deps;
  }

  /** Of everybody, by user name. */
  all(): Promise<JsonObject> {
    return this.#deps.file.read();
  }

  async of(user: string): Promise<JsonObject> {
    return own(await this.all(), user);
  }

  /** Merges a change in, see {@link mergeSettings}; durable when the promise resolves. */
  async merge(user: string, patch: JsonObject): Promise<void> {
    const { telemetryEnabled: _nothingIsSentAnywhere, ...kept } = patch;
    const all = await this.#update((old) => ({ ...old, [user]: mergeSettings(own(old, user), kept) }));
    this.#deps.changed(user, own(all, user));
  }

  /** Replaces the settings of one user, as the engine wants them. */
  async set(user: string, value: unknown): Promise<void> {
    await this.#update((old) => ({ ...old, [user]: value }));
  }

  async #update(change: (old: JsonObject) => JsonObject): Promise<JsonObject> {
    try {
      return await this.#deps.file.update(change);
    } catch (cause) {
      throw new AppError('settings_unavailable', {
        message: `user settings could not be written: ${cause}`,
        cause,
      });
    }
  }
}

/**
 * Merges a change into settings: objects merge, `null` deletes what is there, all else replaces. Pure.
 */
export function mergeSettings(old: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(old));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) && isObject(before) ? mergeSettings(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function own(all: JsonObject, user: string): JsonObject {
  const value = Object.hasOwn(all, user) ? all[user] : undefined;
  return isObject(value) ? value : {};
}
