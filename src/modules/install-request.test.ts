import { describe, expect, it } from 'vitest';
import { readInstallRequest } from './install-request.ts';

describe('an install request', () => {
  it.each(['node-red-node-random', '@acme/surf', 'Upper', 'a.b', 'a_b', '0', `a${'b'.repeat(213)}`])(
    'takes the name %s',
    (module) => {
      expect(readInstallRequest({ module })).toEqual({ is: 'registry', name: module });
    },
  );

  it('takes an exact version', () => {
    expect(readInstallRequest({ module: 'a', version: '1.2.3-beta.1' })).toEqual({
      is: 'registry',
      name: 'a',
      version: '1.2.3-beta.1',
    });
  });

  it('takes an absolute path, whatever it is called', () => {
    expect(readInstallRequest({ module: '/x/./some folder/../acme@1' })).toEqual({
      is: 'folder',
      path: '/x/acme@1',
    });
  });

  it.each([
    ['a version', 'acme@1.2.3'],
    ['a tag', '@acme/surf@latest'],
    ['an option', '--global'],
    ['a short option', '-g'],
    ['a relative path', './acme'],
    ['a path above', '../acme'],
    ['a home path', '~/acme'],
    ['a home', '~'],
    ['a Windows path', 'C:\\acme'],
    ['a repository', 'acme/surf'],
    ['a repository by name', 'github:acme/surf'],
    ['an address', 'https://example.org/acme.tgz'],
    ['git', 'git+https://example.org/acme.git'],
    ['git over ssh', 'git@example.org:acme/surf.git'],
    ['a file', 'file:acme'],
    ['an alias', 'npm:acme'],
    ['an aliased name', 'x@npm:acme'],
    ['a package file', 'acme-1.0.0.tgz'],
    ['a package file by path', '/tmp/acme-1.0.0.tgz'],
    ['another package file', '/tmp/acme.tar.gz'],
    ['nothing', ''],
    ['a space', ' '],
    ['a name with a space', 'a b'],
    ['two names', 'a\nb'],
    ['a shell', 'a;id'],
    ['a substitution', '$(id)'],
    ['a scope alone', '@acme'],
    ['an empty scope', '@/a'],
    ['three steps', '@a/b/c'],
    ['a step up in the name', '@a/..'],
    ['a hidden name', '.a'],
    ['a private name', '_a'],
    ['npm’s own folder', 'node_modules'],
    ['a percent sign', 'a%20b'],
    ['a zero', '/tmp/a\0b'],
    ['too long a name', 'a'.repeat(215)],
    ['another alphabet', 'ünïcode'],
  ])('refuses %s: %s', (_what, module) => {
    expect(() => readInstallRequest({ module })).toThrow(
      expect.objectContaining({ code: 'invalid_module_name', status: 400 }),
    );
  });

  it.each([
    'latest',
    '1.x',
    '^1.2.3',
    'v1.2.3',
    '=1.2.3',
    '1.2',
    '',
    ' 1.2.3',
    '1.2.3 || 2',
    '--x',
    'npm:a@1.0.0',
  ])('refuses the version %j', (version) => {
    expect(() => readInstallRequest({ module: 'a', version })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each([
    'https://example.org/a.tgz',
    'git+ssh://git@example.org/a.git',
    'git://example.org/a',
    '/tmp/a-1.tgz',
  ])('takes the address %s in its own field', (url) => {
    expect(readInstallRequest({ module: 'a', url })).toEqual({ is: 'url', name: 'a', url });
  });

  it.each([
    'file:///etc',
    'ftp://example.org/a',
    'example.org',
    '--x',
    'https://',
    '/tmp/a',
    'https://a b',
    'npm:a',
  ])('refuses the address %s', (url) => {
    expect(() => readInstallRequest({ module: 'a', url })).toThrow(
      expect.objectContaining({ code: 'invalid_module_url' }),
    );
  });
});
