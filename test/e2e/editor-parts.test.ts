// Parts of the editor that rely on ours, in a real browser against the real server.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, EditorWindow, launchBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

const palette = { catalogues: [] };
const inject = {
  type: 'inject',
  props: [{ p: 'payload' }],
  repeat: '',
  crontab: '',
  once: false,
  topic: '',
  payload: '',
  payloadType: 'date',
};
const flows = [
  { id: 'tab1', type: 'tab', label: 'Pumps' },
  { id: 'tab2', type: 'tab', label: 'Plan', info: '```mermaid\ngraph TD; Well-->Tank;\n```' },
  { ...inject, id: 'start', z: 'tab1', name: 'go', x: 160, y: 200, wires: [['shown']] },
  {
    id: 'shown',
    z: 'tab1',
    type: 'debug',
    name: 'shown',
    active: true,
    tosidebar: true,
    complete: 'payload',
    targetType: 'msg',
    x: 400,
    y: 200,
    wires: [],
  },
];

describeInBrowser('parts of the editor', () => {
  let server: TestServer;
  let browser: Browser;
  let window: EditorWindow;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({
        settings: {
          uiHost: '127.0.0.1',
          runtimeState: { enabled: true, ui: true },
          editorTheme: { palette },
        },
        flows,
      }),
      launchBrowser(),
    ]);
    window = await EditorWindow.open(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });
  afterEach(({ task }) =>
    task.result?.state === 'fail' ? window.picture(`failed-${task.name}`) : undefined,
  );
  const invoke = (action: string) => window.page.evaluate(`RED.actions.invoke('core:${action}')`);

  it('are started last where they are heavy, and a library of diagrams only for a diagram', async () => {
    const { page } = window;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await window.visit(`${server.url}/`);
    await page.waitForFunction('window.monaco');
    const place = (name: string) => asked.findIndex((path) => path.endsWith(name));
    expect(place('/vendor/monaco/monaco-bootstrap.js')).toBeGreaterThan(place('/flows'));
    // Fetched before, and once.
    expect(asked.filter((path) => path.endsWith('/vendor/monaco/dist/editor.js'))).toHaveLength(1);
    expect(place('/vendor/monaco/dist/editor.js')).toBeLessThan(place('/flows'));
    expect(place('/vendor/mermaid/mermaid.min.js')).toBe(-1);
    await invoke('show-info-tab');
    await page.locator('#red-ui-workspace-tabs .red-ui-tab', { hasText: 'Plan' }).click();
    await page.locator('.mermaid svg', { hasText: 'Tank' }).waitFor();
    await window.picture('parts-1-diagram');
    expect(place('/vendor/mermaid/mermaid.min.js')).toBeGreaterThan(0);
    await page.locator('#red-ui-workspace-tabs .red-ui-tab', { hasText: 'Pumps' }).click();
  });

  it('speak of us in the help, and of the tours of the editor where they are wanted', async () => {
    await invoke('show-help-tab');
    const topics = window.page.locator('.red-ui-sidebar-help-toc');
    await topics.getByText('Sluice', { exact: true }).waitFor();
    const { body } = await server.get('/settings');
    await invoke('show-about');
    await topics.getByText(`Sluice ${body.sluiceVersion}`, { exact: true }).waitFor();
    await window.page.getByText('A flow-based runtime with an administration API').waitFor();
    await window.picture('parts-2-help');
    expect(await topics.innerText()).not.toMatch(/Node-RED|tour/);
    expect(await window.page.getByText('Take a tour').count()).toBe(0);

    const settings = { uiHost: '127.0.0.1', editorTheme: { palette, tours: true } };
    await using touring = await startServer({ settings });
    const other = await EditorWindow.open(browser);
    await other.visit(`${touring.url}/`);
    // The first visit begins with one.
    await other.page
      .locator('.red-ui-tourGuide-popover, .red-ui-tourGuide-shade')
      .first()
      .waitFor({ state: 'attached' });
    await other.picture('parts-3-tour');
    expect(other.troubles).toEqual([]);
    await other.close();
  });

  it('keep flows in the library, and bring them back', async () => {
    const { page } = window;
    await invoke('show-export-dialog');
    await page.click('#red-ui-clipboard-dialog-export-rng-flow');
    await page.locator('#red-ui-clipboard-dialog .red-ui-tab', { hasText: 'Local' }).first().click();
    await page.locator('#red-ui-clipboard-dialog-tab-library-name').fill('pumps.json');
    await page.click('#red-ui-clipboard-dialog-export');
    await expect
      .poll(async () => (await server.get('/library/local/flows/')).body)
      .toMatchObject([{ fn: 'pumps.json' }]);
    await invoke('show-import-dialog');
    await page.locator('#red-ui-clipboard-dialog .red-ui-tab', { hasText: 'Local' }).first().click();
    await page.locator('#red-ui-clipboard-dialog').getByText('pumps.json').click();
    await window.picture('parts-4-library');
    await page.click('#red-ui-clipboard-dialog-cancel');
  });

  it('stop and start the flows', async () => {
    const { page } = window;
    const button = page.locator('[id="start"] .red-ui-flow-node-button-button');
    for (const [entry, says] of [
      ['stop', 'Flows stopped'],
      ['start', 'Flows started'],
    ] as const) {
      await page.click('#red-ui-header-button-deploy-options');
      await page.click(`#deploymenu-item-runtime-${entry}`);
      await page.locator('.red-ui-notification', { hasText: says }).waitFor();
      expect((await server.get('/flows/state')).body).toEqual({ state: entry });
    }
    await button.click();
    await expect.poll(async () => (await window.debugMessages()).length).toBe(1);
    await invoke('clear-debug-messages');
    expect(await window.debugMessages()).toEqual([]);
  });

  it('show debug messages in a window of their own', async () => {
    const { page, context } = window;
    const opened = context.waitForEvent('page');
    await page.click('#red-ui-sidebar-debug-open');
    const view = await opened;
    const exceptions: string[] = [];
    view.on('pageerror', (error) => exceptions.push(error.message));
    await view.waitForLoadState();
    await page.click('[id="start"] .red-ui-flow-node-button-button');
    await view.locator('.red-ui-debug-msg').first().waitFor();
    expect(exceptions).toEqual([]);
    await view.close();
  });

  it('are as a person set them, also tomorrow, and not for others in their language', async () => {
    const { page } = window;
    const deployButton = '#red-ui-header-button-deploy';
    await invoke('show-user-settings');
    await page.selectOption('#user-settings-editor-language', 'de');
    await page.uncheck('#user-settings-view-show-grid');
    await page.locator('.red-ui-tray button', { hasText: 'Close' }).click();
    await page.waitForSelector('.red-ui-tray', { state: 'detached' });
    const kept = async () => (await server.get('/settings/user')).body.editor?.view?.['view-show-grid'];
    await expect.poll(kept).toBe(false);
    await page.reload();
    await window.loaded();
    expect(await page.textContent(deployButton)).toContain('Übernahme');
    await window.picture('parts-5-german');
    const other = await EditorWindow.open(browser);
    await other.visit(`${server.url}/`);
    expect(await other.page.textContent(deployButton)).toContain('Deploy');
    await other.close();
  });

  it('had no trouble all the while', () => {
    expect(window.troubles).toEqual([]);
  });
});
