import { AppError } from '../contract/errors.ts';
import type { NpmResult } from './npm-runner.ts';

/** Codes of npm and of the system for a host that is not there or does not answer. */
const unreachable: ReadonlySet<string> = new Set([
  'FETCH_ERROR',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * What a failed npm run means to the caller.
 * @param name the module that was asked for: unknown is only the module itself, not what it depends on.
 * @returns `not_found`, or `install_failed` with npm's code; npm's own words are for the log, as they name paths and hosts.
 */
export function npmError(result: NpmResult, name: string): AppError {
  const text = result.stderr;
  const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(text)?.[1];
  const message = `npm ended with ${result.code ?? 'a signal'}: ${text.trim().slice(-4000)}`;
  if ((code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS') && mentions(text, name)) {
    return new AppError('not_found', { detail: 'Module not found', message });
  }
  const why = code !== undefined && unreachable.has(code) ? 'the host could not be reached; ' : '';
  const detail =
    code === undefined ? 'The installation failed' : `The installation failed: ${why}npm says ${code}`;
  return new AppError('install_failed', { detail, message });
}

/** Whether an error line names the module: in npm's quotes, as `for name@version`, or as an address of the registry. */
function mentions(text: string, name: string): boolean {
  const address = `/${name.replace('/', '%2f')}`;
  return text.split('\n').some((line) => {
    const words = line.split(/[\s']+/).map((word) => word.replace(/[.,]$/, ''));
    return words.some(
      (word) =>
        word === name ||
        (word.startsWith(`${name}@`) && word.length > name.length + 1) ||
        word.toLowerCase().endsWith(address.toLowerCase()),
    );
  });
}
