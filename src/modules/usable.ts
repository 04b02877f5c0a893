import { statSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import type { Discovered } from './discover.ts';
import { isModuleName } from './install-request.ts';
import { asPackageFile, hasSets, readPackageJson } from './package-file.ts';

/**
 * The package in a folder that somebody asks to have installed.
 * @throws AppError `not_found`, `invalid_module_name`, `invalid_package`
 */
export function readFolder(path: string): { name: string; version: string } {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (cause) {
    throw new AppError('not_found', { detail: 'No such directory', message: String(cause) });
  }
  if (!isFolder)
    throw new AppError('invalid_module_name', { detail: 'Field "module" must be the full path of a folder' });
  const file = asPackageFile(readPackageJson(path));
  if (!file || !hasSets(file)) throw new AppError('invalid_package');
  if (!isModuleName(file.name))
    throw new AppError('invalid_package', { detail: 'The package has no valid name' });
  return file;
}

/**
 * Whether what npm brought is what was asked for, and can be used.
 * @throws AppError `invalid_package`, `install_not_allowed`
 */
export function refuseUnlessUsable(discovered: Discovered, name: string, version: string | undefined): void {
  const found = discovered.modules.find((module) => module.name === name);
  if (found?.user) {
    if (found.nodes.length + found.plugins.length === 0) throw new AppError('invalid_package');
    if (version !== undefined && found.version !== version) {
      throw new AppError('invalid_package', {
        detail: `The package says that it is version ${found.version}`,
      });
    }
    return;
  }
  const leftOut = discovered.leftOut.find(({ module }) => module === name);
  if (leftOut?.because === 'rules') throw new AppError('install_not_allowed');
  throw new AppError(
    'invalid_package',
    leftOut ? { detail: `The module cannot be used: ${leftOut.reason}` } : {},
  );
}
