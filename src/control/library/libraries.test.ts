import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExampleLibrary } from './example-library.ts';
import { LocalLibrary } from './local-library.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-library-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('LocalLibrary', () => {
  const open = (options = {}) =>
    new LocalLibrary({ folder: dir, pretty: false, readOnly: false, ...options });

  it('stores a text with what is known of it, and gives the text back alone', async () => {
    const library = open();
    await library.writeText('functions', 'a/b/f.js', 'return 1;\n// outputs: 9\n', {
      name: 'x\ny\\n',
      outputs: '1',
    });
    expect(await readFile(join(dir, 'functions/a/b/f.js'), 'utf8')).toBe(
      '// name: x\\ny\\\\n\n// outputs: 1\nreturn 1;\n// outputs: 9\n',
    );
    expect(await library.read('functions', 'a/b/f.js')).toEqual({
      is: 'file',
      text: 'return 1;\n// outputs: 9\n',
    });
    expect(await library.read('functions', 'a/b/')).toEqual({
      is: 'folder',
      entries: [{ name: 'x\ny\\n', outputs: '1', fn: 'f.js' }],
    });
  });

  it('knows the head of a file with the line ends of Windows', async () => {
    const library = open();
    await library.writeText('functions', 'f.js', '// name: F\r\n// outputs: 2\r\nreturn 1;\r\n', {});
    const file = { name: 'F', outputs: '2', fn: 'f.js' };
    expect(await library.read('functions', '')).toEqual({ is: 'folder', entries: [file] });
    expect(await library.read('functions', 'f.js')).toEqual({ is: 'file', text: 'return 1;\r\n' });
  });

  it('lists folders first and leaves out hidden files and links that lead nowhere', async () => {
    const library = open();
    for (const path of ['z/x', 'b', 'a', '.hidden']) await library.writeText('templates', path, '', {});
    await symlink(join(dir, 'nowhere'), join(dir, 'templates', 'dangling'));
    expect(await library.read('templates', '')).toEqual({
      is: 'folder',
      entries: ['z', { fn: 'a' }, { fn: 'b' }],
    });
  });

  it('stores flows as JSON, finds them without the ending, pretty where asked for', async () => {
    await open().writeFlows('one', [{ id: 'a' }]);
    await open({ pretty: true }).writeFlows('two.json', [{ id: 'a' }]);
    expect(await open().read('flows', 'one')).toEqual({ is: 'file', text: '[{"id":"a"}]' });
    expect(await readFile(join(dir, 'flows/two.json'), 'utf8')).toBe('[\n    {\n        "id": "a"\n    }\n]');
  });

  it('takes a folder that is not there for empty, a file for an error', async () => {
    for (const path of ['', 'nope/'])
      expect(await open().read('flows', path)).toEqual({ is: 'folder', entries: [] });
    await expect(open().read('flows', 'nope')).rejects.toMatchObject({ code: 'unexpected_error' });
  });

  it.each(['../x', 'a/../../x', '..', 'a/..', '..\\x', 'a\0b'])('refuses the path %j', async (path) => {
    await expect(open().read('functions', path)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(open().writeText('functions', path, '', {})).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('takes names with dots', async () => {
    await open().writeText('functions', 'a..b/...js', 'x', {});
    expect(await open().read('functions', 'a..b/...js')).toEqual({ is: 'file', text: 'x' });
  });

  it('writes nothing in read-only mode', async () => {
    await open({ readOnly: true }).writeFlows('one', []);
    await expect(open().read('flows', 'one')).rejects.toThrow();
  });
});

describe('ExampleLibrary', () => {
  const library = () =>
    new ExampleLibrary(() => [
      { name: 'without', path: join(dir, 'without') },
      { name: '@acme/with', path: join(dir, 'with') },
    ]);
  beforeEach(async () => {
    await mkdir(join(dir, 'without'));
    await mkdir(join(dir, 'with/examples/sub'), { recursive: true });
    await writeFile(join(dir, 'with/package.json'), '{}');
    await writeFile(join(dir, 'with/examples/one.json'), '[1]');
    await writeFile(join(dir, 'with/examples/readme.md'), '');
    await writeFile(join(dir, 'with/examples/sub/two.json'), '[2]');
  });

  it('lists the modules that have examples, folders, and flows without their ending', async () => {
    expect(await library().read('')).toEqual({ is: 'folder', entries: ['@acme/with'] });
    expect(await library().read('@acme/with')).toEqual({ is: 'folder', entries: ['sub', { fn: 'one' }] });
    expect(await library().read('@acme/with/sub/')).toEqual({ is: 'folder', entries: [{ fn: 'two' }] });
    expect(await library().read('@acme/with/sub/two')).toEqual({ is: 'file', text: '[2]' });
    expect(await library().read('@acme/with/one.json')).toEqual({ is: 'file', text: '[1]' });
  });

  it.each(['without', 'nope', '@acme', '@acme/with/nope'])('has nothing at %j', async (path) => {
    await expect(library().read(path)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['@acme/with/../package', '..', '@acme/with/..\\package'])('refuses %j', async (path) => {
    await expect(library().read(path)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
