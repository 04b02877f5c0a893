import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EditorTheme, type ThemePlugin } from './theme.ts';

const at = mkdtempSync(join(tmpdir(), 'sluice-theme-'));
beforeAll(() => {
  for (const folder of ['a', 'b', 'm']) mkdirSync(join(at, folder));
  for (const file of [
    'a/x.css',
    'b/x.css',
    'a/s.js',
    'a/f.png',
    'a/h.png',
    'a/door.png',
    'm/dark.css',
    'm/a.js',
  ])
    writeFileSync(join(at, file), '');
});
afterAll(() => rmSync(at, { recursive: true }));

const codeEditor = { lib: 'monaco', options: { theme: 'vs' } };
const themeOf = (editorTheme: object, plugins: readonly ThemePlugin[] = []) =>
  new EditorTheme({ editorTheme: { codeEditor, ...editorTheme }, themePlugins: () => plugins });

describe('EditorTheme', () => {
  it('shows our own name where nothing is configured', () => {
    const { page, header, asset } = themeOf({}).context();
    expect(page.title).toBe('Sluice');
    expect(header.title).toBe('Sluice');
    expect(asset.vendorMonaco).toBe('vendor/monaco/monaco-bootstrap.js');
  });

  it('serves configured files under names of their own', () => {
    const theme = themeOf({
      page: {
        title: 'T',
        css: [`${at}/a/x.css`, `${at}/b/x.css`],
        scripts: `${at}/a/s.js`,
        favicon: `${at}/a/f.png`,
      },
      header: { title: 'H', image: `${at}/a/h.png`, url: 'http://example.com' },
    });
    const { page, header } = theme.context();
    expect(page.css).toEqual(['theme/css/x.css', 'theme/css/x-1.css']);
    expect(theme.file('css/x-1.css')).toBe(`${at}/b/x.css`);
    expect(page.favicon).toBe('theme/favicon/f.png');
    expect(page.scripts).toContain('theme/scripts/s.js');
    expect(header).toEqual({ title: 'H', image: 'theme/header/h.png', url: 'http://example.com' });
    // Asked again, the same file keeps its URL.
    expect(theme.context().page.css).toEqual(['theme/css/x.css', 'theme/css/x-1.css']);
  });

  it('knows the picture of the log-in page, and where a log-out leads', () => {
    const theme = themeOf({ login: { image: `${at}/a/door.png` }, logout: { redirect: '/bye' } });
    expect(theme.loginImage()).toEqual({ image: 'theme/login/door.png' });
    expect(theme.file('login/door.png')).toBe(`${at}/a/door.png`);
    expect(theme.logoutRedirect()).toEqual({ logoutRedirect: '/bye' });
    expect({ ...themeOf({}).loginImage(), ...themeOf({}).logoutRedirect() }).toEqual({});
  });

  it('names no file that is not there', () => {
    const { page, header } = themeOf({
      page: {
        css: [`${at}/none.css`, `${at}/a/x.css`, 'https://example.com/x.css'],
        favicon: `${at}/none.png`,
      },
      header: { image: `${at}/none.png` },
    }).context();
    expect(page.css).toEqual(['theme/css/x.css']);
    expect([page.favicon, header.image]).toEqual(['theme/brand/sluice.svg', 'theme/brand/sluice.svg']);
  });

  it('hides the header image when it is null', () => {
    expect(themeOf({ header: { image: null } }).context().header).toEqual({ title: 'Sluice' });
  });

  it('adds the files of the chosen theme plugin', () => {
    const plugin = { id: 'dark', path: `${at}/m`, definition: { css: 'dark.css', scripts: ['a.js'] } };
    const theme = themeOf({ theme: 'dark' }, [plugin]);
    expect(theme.context().page.css).toEqual(['theme/css/dark.css']);
    expect(theme.file('css/dark.css')).toBe(`${at}/m/dark.css`);
    expect(theme.themes()).toEqual(['dark']);
  });

  it('passes on to the editor only what it may know', () => {
    const settings = themeOf({
      page: { css: '/secret/path.css' },
      menu: { 'menu-item-help': false },
      palette: { categories: ['a'] },
    }).settings();
    expect(settings).toEqual({
      menu: { 'menu-item-help': false },
      palette: { categories: { order: ['a'] } },
      projects: { enabled: false },
      tours: false,
    });
  });
});
