// Who may enter the editor, where it is, and how it looks, in a real browser against the real server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser, EditorWindow, launchBrowser } from '../support/browser.ts';
import { runCommand } from '../support/command.ts';
import { registryAnswers } from '../support/registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

const password = bcrypt('surf', { cost: 4 });
const adminAuth = {
  type: 'credentials',
  users: [
    { username: 'admin', password, permissions: '*' },
    { username: 'reader', password, permissions: 'read' },
  ],
};
const noCatalogue = { palette: { catalogues: [] } };

describeInBrowser('entering the editor', () => {
  let browser: Browser;
  let window: EditorWindow;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await window?.picture(`failed-${task.name}`);
    await window?.close();
  });

  describe('where a log-in is asked for', () => {
    let server: TestServer;
    const deployButton = '#red-ui-header-button-deploy';
    beforeAll(async () => {
      server = await startServer({
        settings: {
          uiHost: '127.0.0.1',
          adminAuth,
          editorTheme: { ...noCatalogue, logout: { redirect: '/goodbye' } },
        },
        flows: [
          { id: 't', type: 'tab', label: 'Secret' },
          { id: 'in', type: 'http in', z: 't', url: '/goodbye', method: 'get', wires: [['say']] },
          { id: 'say', type: 'template', z: 't', template: 'Good bye', output: 'str', wires: [['out']] },
          { id: 'out', type: 'http response', z: 't', wires: [] },
        ],
      });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    it('lets in with the right password only, and out again', async () => {
      window = await EditorWindow.open(browser);
      const { page } = window;
      await page.goto(`${server.url}/`);
      await window.logIn('admin', 'wrong');
      await page.waitForSelector('#node-dialog-login-failed', { state: 'visible' });
      await window.picture('login-1-wrong-password');
      expect(await page.locator('.red-ui-palette-node').count()).toBe(0);
      await window.logIn('admin', 'surf');
      await window.loaded();
      expect(await page.locator(deployButton).getAttribute('class')).not.toContain('readOnly');
      await page.click('#red-ui-header-button-user');
      await window.picture('login-2-inside');
      await page.click('#usermenu-item-logout');
      await page.getByText('Good bye').waitFor();
      // The token is dead, not just forgotten.
      await page.goto(`${server.url}/`);
      await page.waitForSelector('#node-dialog-login-submit');
      const unexpected = window.troubles.filter((trouble) => !/401|favicon/.test(trouble));
      expect(unexpected).toEqual([]);
    });

    it('shows a reader everything, and lets him deploy nothing', async () => {
      window = await EditorWindow.open(browser);
      const { page } = window;
      await page.goto(`${server.url}/`);
      await window.logIn('reader', 'surf');
      await window.loaded();
      await page.locator('#red-ui-workspace-tabs', { hasText: 'Secret' }).waitFor();
      expect(await page.locator('.red-ui-deploy-button-group').getAttribute('class')).toContain('readOnly');
      await page.waitForTimeout(500);
      await window.picture('login-3-reader');
    });

    it('asks for the password again when the token is dead', async () => {
      window = await EditorWindow.open(browser);
      const { page } = window;
      await page.goto(`${server.url}/`);
      await window.logIn('admin', 'surf');
      await window.loaded();
      const token = await page.evaluate("RED.settings.get('auth-tokens').access_token");
      await server.post('/auth/revoke', { token: String(token), json: { token } });
      // The WebSocket is closed at once, and so the editor knows.
      await page.waitForSelector('#node-dialog-login-submit', { state: 'visible' });
      await window.picture('login-4-dead-token');
      await window.logIn('admin', 'surf');
      await page.waitForSelector('#node-dialog-login-submit', { state: 'hidden' });
      await expect.poll(() => page.evaluate("RED.settings.get('auth-tokens').access_token")).not.toBe(token);
    });
  });

  it('is found below another root, with the look that is configured', async () => {
    const files = mkdtempSync(join(tmpdir(), 'sluice-look-'));
    writeFileSync(join(files, 'own.css'), '#red-ui-header { background: rgb(1, 2, 3) !important; }');
    writeFileSync(join(files, 'own.js'), 'window.ownScriptRan = true;');
    writeFileSync(
      join(files, 'logo.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><circle cx="15" cy="15" r="15"/></svg>',
    );
    mkdirSync(join(files, 'public'));
    writeFileSync(join(files, 'public', 'hello.txt'), 'a static file');
    const settings = {
      uiHost: '127.0.0.1',
      httpAdminRoot: '/admin',
      httpStatic: join(files, 'public'),
      editorTheme: {
        ...noCatalogue,
        page: { title: 'Waterworks', css: join(files, 'own.css'), scripts: [join(files, 'own.js')] },
        header: { title: 'Our flows', image: join(files, 'logo.svg'), url: 'http://example.com/' },
        deployButton: { type: 'simple', label: 'Open the gates' },
        menu: {
          'menu-item-import': false,
          'menu-item-help': { label: 'Ask us', url: 'http://example.com/help' },
        },
        codeEditor: { lib: 'ace' },
        multiplayer: { enabled: true },
      },
    };
    await using server = await startServer({ settings, adminRoot: '/admin', until: 'answering' });
    window = await EditorWindow.open(browser);
    const { page } = window;
    await window.visit(`${server.url}/admin`);
    expect(new URL(page.url()).pathname).toBe('/admin/');
    expect(await page.title()).toContain('Waterworks');
    const header = page.locator('#red-ui-header');
    expect(await header.evaluate((element: unknown) => String(element))).toContain('HTML');
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('#red-ui-header')).backgroundColor"),
    ).toBe('rgb(1, 2, 3)');
    expect(await page.evaluate('window.ownScriptRan')).toBe(true);
    expect(await page.locator('.red-ui-header-logo').textContent()).toContain('Our flows');
    expect(await page.locator('#red-ui-header-button-deploy').textContent()).toContain('Open the gates');
    expect(await page.evaluate('typeof window.ace')).toBe('object');
    await page.click('#red-ui-header-button-sidemenu');
    expect(await page.locator('#menu-item-import').count()).toBe(0);
    expect(await page.locator('#menu-item-help').textContent()).toContain('Ask us');
    // Who else is there.
    expect(await page.locator('.red-ui-multiplayer-user').count()).toBe(0);
    const other = await EditorWindow.open(browser);
    await other.visit(`${server.url}/admin/`);
    await expect.poll(() => page.locator('.red-ui-multiplayer-user').count()).toBe(1);
    await window.picture('login-5-look');
    expect([...window.troubles, ...other.troubles]).toEqual([]);
    await other.close();
    expect((await server.get('/hello.txt')).text).toBe('a static file');
    expect((await server.get('/flows')).status).toBe(404);
    rmSync(files, { recursive: true });
  });

  it('wears a theme that a module brings', async ({ skip }) => {
    if (!(await registryAnswers())) skip('the npm registry does not answer');
    const userDir = mkdtempSync(join(tmpdir(), 'sluice-themes-'));
    writeFileSync(join(userDir, 'package.json'), '{"name":"themes","private":true}');
    const themes = '@node-red-contrib-themes/theme-collection@5.0.1';
    const npm = await runCommand('npm', ['install', '--no-audit', '--no-fund', themes], { cwd: userDir });
    expect(npm.code).toBe(0);
    const settings = {
      uiHost: '127.0.0.1',
      editorTheme: { ...noCatalogue, theme: 'dracula', codeEditor: { lib: 'monaco' } },
    };
    await using server = await startServer({ settings, userDir });
    window = await EditorWindow.open(browser);
    await window.visit(`${server.url}/`);
    await window.page.waitForLoadState('networkidle');
    await window.picture('login-6-theme');
    expect(window.troubles).toEqual([]);
    expect(
      await window.page.evaluate(
        "getComputedStyle(document.querySelector('#red-ui-header')).backgroundColor",
      ),
    ).not.toBe('rgb(255, 255, 255)');
    const { body } = await server.get('/theme');
    expect(body.themes).toContain('dracula');
    expect(body.page.css.length).toBeGreaterThan(0);
    rmSync(userDir, { recursive: true, force: true });
  });
});
