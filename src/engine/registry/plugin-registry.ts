import { isObject, type JsonObject } from '../../contract/json.ts';
import type { RegisteringSet } from './type-registry.ts';

/** A plugin as its module defined it, completed with who it is; the object that `RED.plugins.get` returns. */
export interface Plugin {
  id: string;
  module: string;
  path: string;
  type?: string;
  settings?: unknown;
  onadd?: () => void;
  onremove?: () => void;
  [member: string]: unknown;
}

/** Plugins that sets have registered (`RED.plugins`). */
export class PluginRegistry {
  readonly #plugins = new Map<string, { readonly set: RegisteringSet; readonly plugin: Plugin }>();
  readonly #added: (id: string) => void;

  /** @param deps.onAdded Told of each plugin after its `onadd` has run. */
  constructor(deps: { onAdded: (id: string) => void }) {
    this.#added = deps.onAdded;
  }

  /**
   * Completes the definition with `id`, `module` and `path`, and calls its `onadd`.
   * @param path Absolute path of the module's folder.
   * @throws Whatever `onadd` throws; TypeError where the definition is not an object.
   */
  register(set: RegisteringSet, path: string, id: string, definition: unknown): void {
    if (!isObject(definition)) throw new TypeError(`The definition of plugin '${id}' must be an object`);
    const plugin = Object.assign(definition, { id, module: set.module, path }) as Plugin;
    this.#plugins.set(id, { set, plugin });
    if (typeof plugin.onadd === 'function') plugin.onadd();
    this.#added(id);
  }

  get(id: string): Plugin | undefined {
    return this.#plugins.get(id)?.plugin;
  }

  getByType(type: string): Plugin[] {
    return [...this.#plugins.values()].map(({ plugin }) => plugin).filter((plugin) => plugin.type === type);
  }

  ofSet(setId: string): readonly Plugin[] {
    return [...this.#plugins.values()].filter(({ set }) => set.id === setId).map(({ plugin }) => plugin);
  }

  /**
   * Calls `onremove` of the set's plugins and forgets them.
   * @throws What the first failing `onremove` threw, after all have been forgotten.
   */
  unregister(setId: string): void {
    const failures: unknown[] = [];
    for (const plugin of this.ofSet(setId)) {
      this.#plugins.delete(plugin.id);
      try {
        if (typeof plugin.onremove === 'function') plugin.onremove();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * What the plugins let the editor see of the settings file: the member named like the plugin, as far as the
   * plugin's `settings` (`{ '*'?: { exportable }, name: { value?, exportable? } }`) say so.
   */
  exportSettings(settings: JsonObject): { readonly [pluginId: string]: JsonObject } {
    const result: Record<string, JsonObject> = {};
    for (const { plugin } of this.#plugins.values()) {
      const configured = settings[plugin.id];
      if (!isObject(plugin.settings) || !isObject(configured)) continue;
      const exported = exportedMembers(plugin.settings, configured);
      if (Object.keys(exported).length > 0) result[plugin.id] = exported;
    }
    return result;
  }
}

function exportedMembers(declared: JsonObject, configured: JsonObject): JsonObject {
  const rule = declared['*'];
  const all = isObject(rule) && rule['exportable'] === true;
  const result: Record<string, unknown> = all ? { ...configured } : {};
  for (const [name, member] of Object.entries(declared)) {
    if (name === '*' || !isObject(member)) continue;
    const exportable = all ? member['exportable'] !== false : member['exportable'] === true;
    if (!exportable) delete result[name];
    else if (Object.hasOwn(configured, name)) result[name] = configured[name];
    else if (Object.hasOwn(member, 'value')) result[name] = member['value'];
  }
  return result;
}
