import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../contract/json.ts';
import { copyValue } from './copy-value.ts';
import type { NodeSettings } from './node-settings.ts';

/** Where values that code sets are kept; each resolves once the value is on disk. */
export interface SettingsKeeper {
  /** `undefined` deletes. */
  setSetting(key: string, value: unknown): Promise<void>;
  setUserSettings(user: string, value: unknown): Promise<void>;
}

/**
 * The values behind `RED.settings`: those of the settings file, read-only, and those that code has set.
 * @remarks `users` is refused: user settings have members of their own.
 */
export class RuntimeSettings {
  readonly #file: JsonObject;
  readonly #kept: Map<string, unknown>;
  readonly #users: Map<string, unknown>;
  readonly #keeper: SettingsKeeper;
  readonly #nodeSettings: NodeSettings;

  /**
   * @param deps.file What the settings file says, with what node modules rely on filled in.
   * @param deps.kept Values that code has set before, by key.
   * @param deps.users User settings by user name.
   */
  constructor(deps: {
    file: JsonObject;
    kept: JsonObject;
    users: JsonObject;
    keeper: SettingsKeeper;
    nodeSettings: NodeSettings;
  }) {
    this.#file = deps.file;
    this.#kept = new Map(Object.entries(deps.kept));
    this.#users = new Map(Object.entries(deps.users));
    this.#keeper = deps.keeper;
    this.#nodeSettings = deps.nodeSettings;
  }

  /** A user changed their settings in the editor. */
  userChanged(user: string, value: unknown): void {
    this.#users.set(user, value);
  }

  /**
   * Makes the object that one set sees: an own property for every value of the settings file, whose assignment throws,
   * and the functions. Each set gets its own, so that one cannot change what another sees.
   */
  facade(): Record<string, unknown> {
    const facade: Record<string, unknown> = {
      get: (key: string) => this.#get(key),
      set: (key: string, value: unknown) => this.#set(key, value),
      delete: (key: string) => this.#delete(key),
      available: () => true,
      registerNodeSettings: (type: string, declared: unknown) => this.#nodeSettings.register(type, declared),
      exportNodeSettings: (shown: object) => this.#nodeSettings.exportTo(shown),
      enableNodeSettings: (types: readonly string[]) => this.#nodeSettings.setEnabled(types, true),
      disableNodeSettings: (types: readonly string[]) => this.#nodeSettings.setEnabled(types, false),
      getUserSettings: (user: string) => copyValue(this.#users.get(user)),
      setUserSettings: (user: string, value: unknown) => this.#setUser(user, value),
    };
    for (const key of Object.keys(this.#file)) {
      if (Object.hasOwn(facade, key)) continue;
      Object.defineProperty(facade, key, {
        get: () => this.#file[key],
        set: () => {
          throw new Error(`Property '${key}' is read-only`);
        },
        enumerable: true,
        configurable: true,
      });
    }
    return facade;
  }

  #get(key: string): unknown {
    refuseUsers(key, 'getUserSettings');
    return copyValue(Object.hasOwn(this.#file, key) ? this.#file[key] : this.#kept.get(key));
  }

  #set(key: string, value: unknown): Promise<void> {
    refuseUsers(key, 'setUserSettings');
    this.#refuseReadOnly(key);
    if (value === undefined) return this.#delete(key);
    if (isDeepStrictEqual(this.#kept.get(key), value)) return Promise.resolve();
    this.#kept.set(key, copyValue(value));
    return this.#keeper.setSetting(key, value);
  }

  #delete(key: string): Promise<void> {
    this.#refuseReadOnly(key);
    return this.#kept.delete(key) ? this.#keeper.setSetting(key, undefined) : Promise.resolve();
  }

  #setUser(user: string, value: unknown): Promise<void> {
    if (isDeepStrictEqual(this.#users.get(user), value)) return Promise.resolve();
    this.#users.set(user, copyValue(value));
    return this.#keeper.setUserSettings(user, value);
  }

  #refuseReadOnly(key: string): void {
    if (Object.hasOwn(this.#file, key)) throw new Error(`Property '${key}' is read-only`);
  }
}

function refuseUsers(key: string, instead: string): void {
  if (key === 'users') throw new Error(`User settings are reached by settings.${instead} only`);
}
