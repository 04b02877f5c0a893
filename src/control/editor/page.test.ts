import { describe, expect, it } from 'vitest';
import { editorPage } from './page.ts';
import { EditorTheme } from './theme.ts';

const pageOf = (lib: string, look: object = {}) =>
  editorPage(
    new EditorTheme({
      editorTheme: { codeEditor: { lib, options: {} }, ...look },
      themePlugins: () => [],
    }).context(),
    'abc',
  );
const scriptsOf = (page: string) => [...page.matchAll(/<script[^>]* src="([^"?]*)/g)].map(([, url]) => url);

describe('editorPage', () => {
  it('starts the editor before the scripts of the administrator, and after Ace, which it needs', () => {
    expect(scriptsOf(pageOf('ace', { page: { scripts: [import.meta.filename] } }))).toEqual([
      'vendor/vendor.js',
      'vendor/ace/ace-bootstrap.js',
      'red/red.min.js',
      'theme/brand/start.js',
      'theme/scripts/page.test.ts',
    ]);
  });

  it('leaves Monaco to the start script, and out where another editor is chosen', () => {
    expect(pageOf('monaco')).toContain('data-code-editor="vendor/monaco/monaco-bootstrap.js?v=abc"');
    expect(scriptsOf(pageOf('monaco'))).not.toContain('vendor/monaco/monaco-bootstrap.js');
    expect(pageOf('ace')).not.toContain('monaco');
    expect(pageOf('basic')).not.toMatch(/monaco|ace-bootstrap/);
  });

  it('takes what is configured as text', () => {
    const page = pageOf('basic', { page: { title: '</title><script>"&' }, header: { title: '<b>' } });
    expect(page).toContain('<title>&#60;/title&#62;&#60;script&#62;&#34;&#38;</title>');
  });
});
