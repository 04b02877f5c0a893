import { isObject, type JsonObject } from '../contract/json.ts';
import { withValueAt } from './with-value.ts';

/** Old names of settings, and what they stand for. The new name wins where both are given. */
const moved: readonly { readonly old: readonly string[]; readonly now: readonly string[] }[] = [
  { old: ['autoInstallModules'], now: ['externalModules', 'autoInstall'] },
  { old: ['autoInstallModulesRetry'], now: ['externalModules', 'autoInstallRetry'] },
  { old: ['editorTheme', 'palette', 'upload'], now: ['externalModules', 'palette', 'allowUpload'] },
  { old: ['externalModules', 'palette', 'upload'], now: ['externalModules', 'palette', 'allowUpload'] },
  { old: ['editorTheme', 'palette', 'editable'], now: ['externalModules', 'palette', 'allowInstall'] },
  { old: ['httpRoot'], now: ['httpAdminRoot'] },
  { old: ['httpRoot'], now: ['httpNodeRoot'] },
];

/** The settings with old names translated, so that each rule has one spelling from here on. */
export function withoutOldSpellings(given: JsonObject): JsonObject {
  let settings = given;
  for (const { old, now } of moved) {
    const value = valueAt(given, old);
    // `httpRoot: false` switches both off, whatever the two say; a root that is a path is only their default.
    const wins = old[0] === 'httpRoot' && value === false;
    if (value !== undefined && (wins || valueAt(settings, now) === undefined))
      settings = withValueAt(settings, now, value);
  }
  return settings;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value) ?? undefined;
}
