import { isAbsolute, resolve } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { isExactVersion } from './versions.ts';

/** What somebody asks to have installed, checked; what npm is told is made of nothing else. */
export type InstallRequest =
  | { readonly is: 'registry'; readonly name: string; readonly version?: string }
  /** Absolute path of a folder. */
  | { readonly is: 'folder'; readonly path: string }
  | { readonly is: 'url'; readonly name: string; readonly url: string };

/** The fields of a request as they were sent. */
export interface InstallFields {
  readonly module: string;
  readonly version?: string | undefined;
  readonly url?: string | undefined;
}

const longestPath = 4096;

/**
 * Reads an install request (decision 16): a registry name, or the absolute path of a folder; a version only in the field
 * of its own, and exact.
 * @throws AppError `invalid_module_name`, `invalid_module_url`, `invalid_request`
 */
export function readInstallRequest(fields: InstallFields): InstallRequest {
  const { module, version, url } = fields;
  if (version !== undefined && !isExactVersion(version)) {
    throw new AppError('invalid_request', {
      detail: 'Field "version" must be an exact version, such as 1.2.3',
    });
  }
  if (url !== undefined) {
    if (!isModuleName(module)) throw badName();
    if (!isInstallUrl(url)) {
      throw new AppError('invalid_module_url', {
        detail: 'Field "url" must be an http(s) or git address, or the full path of a .tgz file',
      });
    }
    return { is: 'url', name: module, url };
  }
  if (isAbsolute(module)) {
    if (module.length > longestPath || module.includes('\0') || isPackageFile(module)) {
      throw new AppError('invalid_module_name', {
        detail: 'Field "module" must be the full path of a folder',
      });
    }
    return { is: 'folder', path: resolve(module) };
  }
  if (!isModuleName(module)) throw badName();
  return { is: 'registry', name: module, ...(version === undefined ? {} : { version }) };
}

/**
 * Whether a text is the name of a package, and nothing else that npm understands: no option, version, path, file, URL or
 * repository. Upper-case letters are allowed, as in old packages.
 */
export function isModuleName(text: string): boolean {
  const part = '[A-Za-z0-9~][A-Za-z0-9._~-]*';
  if (text.length > 214 || isPackageFile(text) || /^~/.test(text)) return false;
  if (['node_modules', 'favicon.ico'].includes(text.toLowerCase())) return false;
  return new RegExp(`^(?:@${part}/)?${part}$`).test(text);
}

function badName(): AppError {
  return new AppError('invalid_module_name', {
    detail: 'Field "module" must be the name of a module, without its version, or the full path of a folder',
  });
}

/** http(s) and git addresses, and absolute paths of package files. No address may hold spaces or start an option. */
function isInstallUrl(url: string): boolean {
  if (url.length > longestPath || /[\s\0]/.test(url)) return false;
  return (
    /^(?:https?|git(?:\+https?|\+ssh|\+file)?):\/\/./.test(url) || (isAbsolute(url) && url.endsWith('.tgz'))
  );
}

function isPackageFile(text: string): boolean {
  return /\.(?:tgz|tar|tar\.gz)$/i.test(text);
}
