import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepare } from './prepare.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-prepare-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, settings: object): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
  return path;
}

describe('prepare', () => {
  it('uses the settings file of the user directory', async () => {
    const file = write(join(folder, 'settings.json'), { uiPort: 5 });
    const { source, settings } = await prepare(
      { userDir: folder, overrides: { 'editorTheme.theme': 'x' } },
      {},
    );
    expect(source).toEqual({ userDir: folder, file, overrides: { 'editorTheme.theme': 'x' } });
    expect(settings).toMatchObject({ uiPort: 5, userDir: folder, settingsFile: file });
    expect(existsSync(join(folder, 'settings.js'))).toBe(false);
  });

  it('writes a settings file where there is none, once', async () => {
    const userDir = join(folder, 'new', 'deep');
    expect((await prepare({ userDir, overrides: {} }, {})).settings.diagnostics.enabled).toBe(true);
    const file = join(userDir, 'settings.js');
    const mine = `${readFileSync(file, 'utf8')}\n// mine`;
    writeFileSync(file, mine);
    await prepare({ userDir, overrides: {} }, {});
    expect(readFileSync(file, 'utf8')).toBe(mine);
  });

  it('gives the user directory a package.json, for npm to stay in it, but a read-only one nothing', async () => {
    const own = join(folder, 'own', 'package.json');
    await prepare({ userDir: join(folder, 'own'), overrides: {} }, {});
    expect(JSON.parse(readFileSync(own, 'utf8'))).toMatchObject({ private: true });
    writeFileSync(own, '{"mine":1}');
    await prepare({ userDir: join(folder, 'own'), overrides: {} }, {});
    expect(readFileSync(own, 'utf8')).toBe('{"mine":1}');
    write(join(folder, 'settings.json'), { readOnly: true });
    await prepare({ userDir: folder, overrides: {} }, {});
    expect(existsSync(join(folder, 'package.json'))).toBe(false);
  });

  it('takes the user directory from the flag, else from -D, else from the file', async () => {
    const [flag, define, inFile] = ['flag', 'define', 'file'].map((name) => join(folder, name));
    const settings = write(join(folder, 'elsewhere', 'mine.json'), { userDir: inFile });
    const overrides = { userDir: define };
    const userDirOf = async (flags: Parameters<typeof prepare>[0]) =>
      (await prepare(flags, {})).source.userDir;
    expect(await userDirOf({ settings, overrides: {} })).toBe(inFile);
    expect(await userDirOf({ settings, overrides })).toBe(define);
    expect(await userDirOf({ settings, overrides, ...(flag ? { userDir: flag } : {}) })).toBe(flag);
  });

  it('reads the switches of the environment, which flags win over', async () => {
    write(join(folder, 'settings.json'), {});
    const flags = { userDir: folder, overrides: {} };
    const env = { NODE_RED_ENABLE_SAFE_MODE: 'true', NODE_RED_ENABLE_TOURS: 'false' };
    const { settings } = await prepare(flags, env);
    expect(settings.safeMode).toBe(true);
    expect(settings.editorTheme.tours).toBe(false);
    expect((await prepare(flags, { NODE_RED_ENABLE_SAFE_MODE: 'false' })).settings.safeMode).toBe(false);
    expect((await prepare({ ...flags, overrides: { safeMode: false } }, env)).settings.safeMode).toBe(false);
  });

  it('hands the flow file on as it was given', async () => {
    write(join(folder, 'settings.json'), { flowFile: 'a.json' });
    const { source, settings } = await prepare({ userDir: folder, overrides: {}, flowFile: 'b.json' }, {});
    expect(source.flowFile).toBe('b.json');
    expect(settings.flowFile).toBe('b.json');
  });
});
