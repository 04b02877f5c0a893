import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTemporaries, writeFileAtomic } from './atomic-file.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-atomic-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('writeFileAtomic', () => {
  it('creates and replaces a file and leaves nothing else in the folder', async () => {
    await writeFileAtomic(join(dir, 'a.json'), 'one');
    await writeFileAtomic(join(dir, 'a.json'), 'two');
    expect(await readFile(join(dir, 'a.json'), 'utf8')).toBe('two');
    expect(await readdir(dir)).toEqual(['a.json']);
  });

  it('keeps the previous content in the backup, each time anew', async () => {
    const options = { backup: join(dir, '.a.backup') };
    await writeFileAtomic(join(dir, 'a'), 'one', options);
    expect(await readdir(dir)).toEqual(['a']);
    await writeFileAtomic(join(dir, 'a'), 'two', options);
    await writeFileAtomic(join(dir, 'a'), 'three', options);
    expect(await readFile(join(dir, 'a'), 'utf8')).toBe('three');
    expect(await readFile(join(dir, '.a.backup'), 'utf8')).toBe('two');
    expect((await readdir(dir)).sort()).toEqual(['.a.backup', 'a']);
  });

  it('gives a new file the mode asked for and keeps an existing mode otherwise', async () => {
    await writeFileAtomic(join(dir, 'secret'), 'x', { mode: 0o600 });
    expect(await modeOf(join(dir, 'secret'))).toBe(0o600);
    await chmod(join(dir, 'secret'), 0o640);
    await writeFileAtomic(join(dir, 'secret'), 'y');
    expect(await modeOf(join(dir, 'secret'))).toBe(0o640);
    await writeFileAtomic(join(dir, 'secret'), 'z', { mode: 0o600 });
    expect(await modeOf(join(dir, 'secret'))).toBe(0o600);
  });

  it('writes through a symbolic link instead of replacing it', async () => {
    await mkdir(join(dir, 'repository'));
    await writeFile(join(dir, 'repository', 'flows.json'), 'old');
    await symlink(join('repository', 'flows.json'), join(dir, 'flows.json'));
    await writeFileAtomic(join(dir, 'flows.json'), 'new');
    expect(await readFile(join(dir, 'repository', 'flows.json'), 'utf8')).toBe('new');
    expect(await readdir(join(dir, 'repository'))).toEqual(['flows.json']);
  });

  it('leaves the old content and no temporary file when it fails', async () => {
    await writeFile(join(dir, 'a'), 'old');
    await expect(writeFileAtomic(join(dir, 'a'), 'new', { backup: join(dir, 'none', 'b') })).rejects.toThrow(
      'ENOENT',
    );
    expect(await readFile(join(dir, 'a'), 'utf8')).toBe('old');
    expect(await readdir(dir)).toEqual(['a']);
  });
});

describe('removeTemporaries', () => {
  it("removes what a killed writer left, and nobody else's files", async () => {
    for (const name of [
      'a',
      '.a.0123456789ab.tmp',
      '.a.backup',
      '.a.json.0123456789ab.tmp',
      '.ab.0123456789ab.tmp',
    ])
      await writeFile(join(dir, name), '');
    await removeTemporaries(join(dir, 'a'));
    expect((await readdir(dir)).sort()).toEqual([
      '.a.backup',
      '.a.json.0123456789ab.tmp',
      '.ab.0123456789ab.tmp',
      'a',
    ]);
  });
});
