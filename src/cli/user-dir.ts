import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../contract/json.ts';
import { UsageError } from './usage-error.ts';

/** Where everything is kept that is not told otherwise. */
export function defaultUserDir(): string {
  return join(homedir(), '.sluice');
}

/**
 * Makes the user directory where it is missing, and makes sure that it can be read and entered.
 * @throws UsageError that names it and says why not.
 */
export function ensureUserDir(userDir: string): void {
  try {
    mkdirSync(userDir, { recursive: true, mode: 0o700 });
    accessSync(userDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw cannotUse(userDir, error);
  }
}

/** Makes sure that files can be written in the user directory. */
export function ensureWritable(userDir: string): void {
  try {
    accessSync(userDir, constants.W_OK);
  } catch (error) {
    throw cannotUse(userDir, error);
  }
}

const reasons: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it is not a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function cannotUse(userDir: string, error: unknown): UsageError {
  const code = isObject(error) ? String(error['code']) : '';
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new UsageError(`the user directory ${userDir} cannot be used: ${reason}`);
}
