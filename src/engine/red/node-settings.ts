import { isObject, type JsonObject } from '../../contract/json.ts';

/** One setting that a node type declares: its default, and whether the editor may see it. */
interface DeclaredSetting {
  readonly value?: unknown;
  readonly exportable?: boolean;
}

/** Settings that node types declare (`registerType(…, { settings })`), and what the editor is shown of them. */
export class NodeSettings {
  readonly #settings: JsonObject;
  readonly #normalise: (type: string) => string;
  readonly #declared = new Map<string, readonly (readonly [string, DeclaredSetting])[]>();
  readonly #disabled = new Set<string>();

  /**
   * @param deps.settings What the settings file says.
   * @param deps.normalise Node type → camel case, `RED.util.normaliseNodeTypeName`.
   */
  constructor(deps: { settings: JsonObject; normalise: (type: string) => string }) {
    this.#settings = deps.settings;
    this.#normalise = deps.normalise;
  }

  /**
   * Declares a type's settings: `{ <name>: { value?, exportable? } }`.
   * @throws Error where a name does not start with the type in camel case; nothing is declared then.
   */
  register(type: string, declared: unknown): void {
    const prefix = this.#normalise(type);
    const entries = Object.entries(isObject(declared) ? declared : {});
    for (const [name] of entries) {
      if (!name.startsWith(prefix)) {
        throw new Error(
          `The setting '${name}' has an invalid name: settings of this type must start with '${prefix}'`,
        );
      }
    }
    this.#declared.set(
      type,
      entries.map(([name, setting]) => [name, isObject(setting) ? setting : {}]),
    );
  }

  /** Adds the exportable settings to what the editor is shown; a name that is there already stays as it is. */
  exportTo<T extends object>(shown: T): T {
    const target = shown as Record<string, unknown>;
    for (const [type, settings] of this.#declared) {
      if (this.#disabled.has(type)) continue;
      for (const [name, setting] of settings) {
        if (!setting.exportable || Object.hasOwn(target, name)) continue;
        if (Object.hasOwn(this.#settings, name)) target[name] = this.#settings[name];
        else if (Object.hasOwn(setting, 'value')) target[name] = setting.value;
      }
    }
    return shown;
  }

  setEnabled(types: readonly string[], enabled: boolean): void {
    for (const type of types) {
      if (enabled) this.#disabled.delete(type);
      else this.#disabled.add(type);
    }
  }

  unregister(type: string): void {
    this.#declared.delete(type);
    this.#disabled.delete(type);
  }
}
