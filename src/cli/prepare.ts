import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject } from '../contract/json.ts';
import { ensurePackageJson } from '../modules/user-package.ts';
import { readSettingsFile, settingsFileNames } from '../settings/load.ts';
import { compileSettings, type Settings } from '../settings/settings.ts';
import type { SettingsSource } from '../settings/source.ts';
import { writeFileAtomic } from '../storage/atomic-file.ts';
import type { StartFlags } from './command-line.ts';
import { settingsTemplate } from './settings-template.ts';
import { defaultUserDir, ensureUserDir, ensureWritable } from './user-dir.ts';

/** Where the settings are, and what they say. */
export interface Prepared {
  readonly source: SettingsSource;
  readonly settings: Settings;
}

/**
 * Finds the settings: makes the user directory and, on first start, a settings file with comments; reads it; adds what
 * the command line and the environment say.
 * @throws UsageError or SettingsError, in words for whoever started it.
 */
export async function prepare(flags: StartFlags, env: NodeJS.ProcessEnv): Promise<Prepared> {
  const startDir = flags.userDir ?? defaultUserDir();
  // A settings file elsewhere may name another user directory; the default one is then not even made.
  if (flags.settings === undefined) ensureUserDir(startDir);
  const file = flags.settings ?? existingFile(startDir) ?? (await writeFirstFile(startDir));
  const exported = await readSettingsFile(file);
  const userDir = flags.userDir ?? userDirOf(exported, flags.overrides) ?? startDir;
  ensureUserDir(userDir);
  const source: SettingsSource = {
    userDir,
    file,
    overrides: { ...overridesOf(env), ...flags.overrides },
    ...(flags.flowFile === undefined ? {} : { flowFile: flags.flowFile }),
  };
  const settings = compileSettings(exported, source);
  if (!settings.readOnly) {
    ensureWritable(userDir);
    ensurePackageJson(userDir);
  }
  return { source, settings };
}

function existingFile(userDir: string): string | undefined {
  return settingsFileNames.map((name) => join(userDir, name)).find((path) => existsSync(path));
}

async function writeFirstFile(userDir: string): Promise<string> {
  ensureWritable(userDir);
  const file = join(userDir, 'settings.js');
  await writeFileAtomic(file, settingsTemplate(), { mode: 0o600 });
  return file;
}

function userDirOf(exported: unknown, overrides: SettingsSource['overrides']): string | undefined {
  const userDir = overrides['userDir'] ?? (isObject(exported) ? exported['userDir'] : undefined);
  return typeof userDir === 'string' && userDir !== '' ? resolve(userDir) : undefined;
}

/** What existing service files and containers set in the environment. */
function overridesOf(env: NodeJS.ProcessEnv): SettingsSource['overrides'] {
  return {
    ...switchOf(env['NODE_RED_ENABLE_SAFE_MODE'], 'safeMode'),
    ...switchOf(env['NODE_RED_ENABLE_TOURS'], 'editorTheme.tours'),
  };
}

function switchOf(value: string | undefined, setting: string): SettingsSource['overrides'] {
  return value === undefined || value === '' ? {} : { [setting]: !/^false$/i.test(value) };
}
