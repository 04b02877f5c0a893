import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../contract/json.ts';
import { NodeSettings } from '../engine/red/node-settings.ts';
import { RuntimeSettings } from '../engine/red/runtime-settings.ts';
import { compileSettings, type Settings } from '../settings/settings.ts';

/** The settings of specs: what the settings file would say, and what nodes see of it. */
export class SpecSettings {
  #given: JsonObject = {};
  #shown: Record<string, unknown> | undefined;
  #shownAtFirst: Record<string, unknown> = {};

  /** What the settings file would say. */
  get given(): JsonObject {
    return this.#given;
  }

  /** Takes the place of what was given before. */
  replace(given: JsonObject): void {
    this.#given = given;
    this.#shown = undefined;
  }

  /** What nodes see as `RED.settings`: one object from load to load, so that specs may change it as they go. */
  get shown(): Record<string, unknown> {
    if (this.#shown === undefined) {
      this.#shownAtFirst = facade(this.compiled());
      // A copy of its values, since those of the settings file can't be assigned.
      this.#shown = { ...this.#shownAtFirst };
    }
    return this.#shown;
  }

  /** The same, now able to do what the engine's own settings can, which are given here. */
  shownWith(settings: JsonObject): Record<string, unknown> {
    const can = Object.entries(settings).filter(
      ([name, value]) => typeof value === 'function' && !Object.hasOwn(this.#given, name),
    );
    return Object.assign(this.shown, Object.fromEntries(can));
  }

  /** What the next engine goes by, with what a spec has changed in what is shown. */
  compiled(): Settings {
    const changed = Object.entries(this.#shown ?? {}).filter(([key, value]) => {
      const first = this.#shownAtFirst[key];
      return value !== first && typeof first !== 'function';
    });
    const settings = { ...this.#given, ...Object.fromEntries(changed) };
    const { userDir } = settings;
    return compileSettings(settings, {
      userDir: typeof userDir === 'string' ? userDir : join(tmpdir(), `sluice-testing-${process.pid}`),
      overrides: {},
    });
  }
}

/** `RED.settings` without an engine behind it. */
function facade(settings: Settings): JsonObject {
  const file = settings.raw;
  const nodeSettings = new NodeSettings({ settings: file, normalise: (type) => type });
  const keeper = { setSetting: async () => {}, setUserSettings: async () => {} };
  return new RuntimeSettings({ file, kept: {}, users: {}, keeper, nodeSettings }).facade();
}
