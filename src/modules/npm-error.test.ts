import { describe, expect, it } from 'vitest';
import { npmError } from './npm-error.ts';

const failed = (stderr: string) => ({ code: 1, stdout: '', stderr });

/** What npm 11 prints for a package that the registry does not know. */
const unknown = (name: string) => `npm error code E404
npm error 404 Not Found - GET https://registry.example.org/${name.replace('/', '%2f')}
npm error 404
npm error 404  The requested resource '${name}@*' could not be found or you do not have permission to access it.`;

const noVersion = (spec: string) => `npm error code ETARGET
npm error notarget No matching version found for ${spec}.
npm error notarget In most cases you or one of your dependencies are requesting
npm error notarget a package version that doesn't exist.`;

describe('what npm says', () => {
  it('is not_found where the module itself is unknown', () => {
    expect(npmError(failed(unknown('acme')), 'acme').code).toBe('not_found');
    expect(npmError(failed(unknown('@acme/surf')), '@acme/surf').code).toBe('not_found');
    expect(npmError(failed(noVersion('acme@9.9.9')), 'acme').code).toBe('not_found');
    // npm 8 and before.
    expect(npmError(failed(unknown('acme').replaceAll('npm error', 'npm ERR!')), 'acme').code).toBe(
      'not_found',
    );
  });

  it('is a failed installation where something that it depends on is unknown', () => {
    expect(npmError(failed(unknown('acme-helper')), 'acme').code).toBe('install_failed');
    expect(npmError(failed(noVersion('other@^9')), 'acme').code).toBe('install_failed');
  });

  it('gives the client npm’s code, and the log the rest', () => {
    const error = npmError(failed('npm error code EACCES\nnpm error path /home/someone/secret'), 'acme');
    expect(error.code).toBe('install_failed');
    expect(error.detail).toBe('The installation failed: npm says EACCES');
    expect(error.message).toContain('/home/someone/secret');
  });

  it('says that a host could not be reached', () => {
    const error = npmError(failed('npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED'), 'acme');
    expect(error.detail).toBe(
      'The installation failed: the host could not be reached; npm says ECONNREFUSED',
    );
  });

  it('is a failed installation where npm was killed', () => {
    const error = npmError({ code: null, stdout: '', stderr: '' }, 'acme');
    expect(error).toMatchObject({ code: 'install_failed', detail: 'The installation failed' });
  });
});
