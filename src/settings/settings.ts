import { posix, resolve } from 'node:path';
import { isObject, type JsonObject } from '../contract/json.ts';
import { closedLists } from './closed-lists.ts';
import { mistyped, unhashed } from './doubts.ts';
import { objectOf, type ReadAs } from './kinds/index.ts';
import { readSettingsFile } from './load.ts';
import { withoutOldSpellings } from './old-spellings.ts';
import { schema } from './schema/index.ts';
import type { AdminAuth } from './schema/security.ts';
import { SettingsError } from './settings-error.ts';
import type { SettingsSource } from './source.ts';
import { withValueAt } from './with-value.ts';

export type { ContextStoreSettings, LogHandlerSettings } from './schema/runtime.ts';
export type { AdminAuth, AdminUser, BasicAuth, Middleware } from './schema/security.ts';
export { SettingsError } from './settings-error.ts';

/**
 * The settings: checked, normalised, defaults filled in, read-only. Each is described in `schema/` and in
 * docs/settings.md.
 */
export interface Settings extends Omit<ReadAs<typeof schema>, 'userDir'> {
  /** Absolute path of the user directory. */
  readonly userDir: string;
  /** Absolute path of the settings file, where there is one. */
  readonly settingsFile?: string;
  /**
   * What the file exports, with the command line's values in place, unknown settings kept, and those filled in that node
   * modules rely on (`httpNodeRoot`, `uiPort`, `userDir`, …). What `RED.settings` shows.
   */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Names of the settings that the file or the command line gives; the others have their defaults. */
  readonly configured: ReadonlySet<string>;
  /** Things an administrator should know, for the log at start. */
  readonly warnings: readonly string[];
}

/**
 * Checks and normalises what a settings file exports. Pure.
 * @throws SettingsError that names every wrong setting, what was found and what was expected.
 */
export function compileSettings(file: unknown, source: SettingsSource): Settings {
  if (!isObject(file))
    throw new SettingsError(`the settings file must export an object (in ${source.file})`, {
      file: source.file,
    });
  const flowFile = source.flowFile === undefined ? {} : { flowFile: source.flowFile };
  const given = withOverrides(file, { ...source.overrides, ...flowFile });
  const reading = objectOf(schema).read(closedLists(withoutOldSpellings(given)), '');
  if (reading.is === 'wrong') throw SettingsError.ofProblems(reading.problems, source);
  const read = reading.value;
  const warnings: string[] = mistyped(given, schema);
  const adminAuth = read.adminAuth ?? adminAuthOfBasic(read.httpAdminAuth ?? read.httpAuth, warnings);
  const httpNodeAuth = read.httpNodeAuth ?? read.httpAuth;
  if (read.storageModule !== undefined)
    warnings.push('The setting storageModule is not supported and has no effect');
  warnings.push(...unhashed({ adminAuth, httpNodeAuth, httpStaticAuth: read.httpStaticAuth }));
  const { userDir } = source;
  return Object.freeze({
    ...read,
    ...(adminAuth ? { adminAuth } : {}),
    ...(httpNodeAuth ? { httpNodeAuth } : {}),
    disableEditor: read.disableEditor || read.httpAdminRoot === false,
    ...(read.httpStatic ? { httpStatic: below(read.httpStaticRoot, read.httpStatic) } : {}),
    nodesDir: read.nodesDir.map((folder) => resolve(folder)),
    userDir,
    ...(source.file === undefined ? {} : { settingsFile: source.file }),
    warnings,
    configured: new Set(
      Object.keys(given).filter((name) => given[name] !== undefined && given[name] !== null),
    ),
    raw: Object.freeze({
      ...given,
      userDir,
      ...(source.file === undefined ? {} : { settingsFile: source.file }),
      uiPort: read.uiPort,
      uiHost: read.uiHost ?? (adminAuth ? '0.0.0.0' : '127.0.0.1'),
      httpAdminRoot: read.httpAdminRoot,
      httpNodeRoot: read.httpNodeRoot,
      disableEditor: read.disableEditor || read.httpAdminRoot === false,
      flowFile: read.flowFile,
      debugMaxLength: read.debugMaxLength,
      mqttReconnectTime: read.mqttReconnectTime,
      serialReconnectTime: read.serialReconnectTime,
    }),
  });
}

/** Reads the settings file (`.js`, `.cjs`, `.mjs`, `.ts`, `.json`) and compiles what it exports. */
export async function loadSettings(source: SettingsSource): Promise<Settings> {
  return compileSettings(source.file === undefined ? {} : await readSettingsFile(source.file), source);
}

/** The file's settings with the command line's values in place; what the file exports is never changed. */
function withOverrides(file: JsonObject, overrides: SettingsSource['overrides']): JsonObject {
  return Object.entries(overrides).reduce<JsonObject>(
    (settings, [name, value]) => withValueAt(settings, name.split('.'), value),
    file,
  );
}

/** Static folders with the whole path at which each appears. */
function below(
  httpStaticRoot: string,
  folders: NonNullable<ReadAs<typeof schema>['httpStatic']>,
): typeof folders {
  return folders.map((folder) => ({ ...folder, root: posix.join(httpStaticRoot, folder.root) }));
}

/** The old `httpAdminAuth` must never leave the door open: it becomes a user with all permissions. */
function adminAuthOfBasic(
  basic: { readonly user: string; readonly pass: string } | undefined,
  warnings: string[],
): AdminAuth | undefined {
  if (!basic) return undefined;
  warnings.push(
    'The setting httpAdminAuth is old; use adminAuth. Its user was taken over with all permissions',
  );
  return {
    type: 'credentials',
    users: [{ username: basic.user, password: basic.pass, permissions: ['*'] }],
    sessionExpiryTime: 604_800,
  };
}
