// The palette manager, in a real browser against the real server: uploads, updates, and what is not allowed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, EditorWindow, launchBrowser } from '../support/browser.ts';
import { packModule, registers } from '../support/node-module.ts';
import { registryAnswers } from '../support/registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

const random = 'node-red-node-random';
const catalogue = createServer((_req, res) => {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Content-Type', 'application/json');
  const entry = (id: string, version: string, types: readonly string[]) => ({
    id,
    version,
    types,
    description: `About ${id}`,
    updated_at: '2023-05-15T10:00:00.000Z',
    keywords: ['node-red', 'some'],
    url: `https://example.com/${id}`,
  });
  const modules = [
    entry(random, '0.4.1', ['random']),
    entry('some-allowed', '1.0.0', ['some allowed']),
    entry('some-denied', '1.0.0', ['some denied']),
  ];
  res.end(JSON.stringify({ name: 'Test catalogue', updated_at: '2026-01-01T00:00:00.000Z', modules }));
});

describeInBrowser('the palette manager', () => {
  let browser: Browser;
  let catalogues: readonly string[];
  let window: EditorWindow;
  beforeAll(async () => {
    catalogue.listen(0, '127.0.0.1');
    await new Promise((resolve) => catalogue.once('listening', resolve));
    catalogues = [`http://127.0.0.1:${(catalogue.address() as AddressInfo).port}/catalogue.json`];
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    catalogue.close();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await window?.picture(`failed-${task.name}`);
    await window?.close();
  });

  const start = (externalModules: object = {}): Promise<TestServer> =>
    startServer({
      settings: { uiHost: '127.0.0.1', externalModules, editorTheme: { palette: { catalogues } } },
    });

  /** Opens the palette manager, on one of its tabs. */
  const open = async (url: string, tab: 'Nodes' | 'Install') => {
    window = await EditorWindow.open(browser);
    await window.visit(`${url}/`);
    await window.page.evaluate("RED.actions.invoke('core:manage-palette')");
    await window.page.locator('.red-ui-tabs li', { hasText: tab }).last().click();
  };
  const search = (text: string) =>
    window.page.locator('.red-ui-palette-search input:visible').last().fill(text);
  const listed = (name: string): Locator =>
    window.page.locator('.red-ui-palette-module-name:visible', { hasText: name });
  const inPalette = (type: string) =>
    window.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);

  it('takes an upload, whose node then is in the palette and can be deployed', async () => {
    await using server = await start();
    await open(server.url, 'Install');
    const buffer = await packModule({
      name: 'brought-along',
      sets: { brought: registers('brought') },
      files: {
        'brought.html': `<script type="text/javascript">
            RED.nodes.registerType('brought', { category: 'function', defaults: {}, inputs: 1, outputs: 1, label: 'brought' });
          </script><script type="text/html" data-template-name="brought"></script>`,
      },
    });
    const { page } = window;
    const file = { name: 'brought-along-1.0.0.tgz', mimeType: 'application/gzip', buffer };
    await page.locator('input[name="tarball"]').setInputFiles(file);
    await page.locator('.red-ui-palette-editor-upload button.primary').click();
    await inPalette('brought').waitFor({ state: 'attached', timeout: 60_000 });
    await window.picture('palette-1-uploaded');
    await page.locator('.red-ui-tray button', { hasText: 'Close' }).click();
    await page.waitForSelector('.red-ui-tray', { state: 'detached' });
    await window.drag('brought', 300, 300);
    expect((await window.deploy()).status).toBe(200);
    expect((await server.get('/nodes/brought-along')).body).toMatchObject({ version: '1.0.0' });
    expect(window.troubles).toEqual([]);
  });

  it('says why an upload is refused', async () => {
    await using server = await start();
    await open(server.url, 'Install');
    const file = { name: 'none.tgz', mimeType: 'application/gzip', buffer: Buffer.from('no archive') };
    await window.page.locator('input[name="tarball"]').setInputFiles(file);
    await window.page.locator('.red-ui-palette-editor-upload button.primary').click();
    const notice = window.page.locator('.red-ui-notification', { hasText: 'Failed to install: none.tgz' });
    await notice.waitFor();
    expect(await notice.innerText()).toMatch(/gzip|archive/i);
    await window.picture('palette-2-refused');
  });

  it('updates a module to the version of the catalogue', async ({ skip }) => {
    if (!(await registryAnswers())) skip('the npm registry does not answer');
    await using server = await start();
    const old = await server.post('/nodes', {
      json: { module: random, version: '0.4.0' },
      timeoutMs: 60_000,
    });
    expect(old.body).toMatchObject({ name: random, version: '0.4.0' });
    await open(server.url, 'Nodes');
    const { page } = window;
    const module = page.locator('#red-ui-palette-module-list > li', { hasText: random });
    await module.getByText('update to 0.4.1', { exact: true }).click();
    await page.locator('.red-ui-notification button', { hasText: 'Update' }).click();
    await module.getByText('updated', { exact: true }).waitFor({ timeout: 60_000 });
    await window.picture('palette-3-updated');
    const { body } = await server.get(`/nodes/${random}`);
    expect(body.version === '0.4.1' || body.pending_version === '0.4.1').toBe(true);
    expect(window.troubles).toEqual([]);
  });

  it('offers only what the lists allow, and no upload where there is none', async () => {
    await using server = await start({ palette: { denyList: ['some-denied'], allowUpload: false } });
    await open(server.url, 'Install');
    await search('some');
    await listed('some-allowed').waitFor();
    expect(await listed('some-denied').count()).toBe(0);
    expect(await window.page.locator('input[name="tarball"]').count()).toBe(0);
    await window.picture('palette-4-lists');
    expect(window.troubles).toEqual([]);
  });

  it('is not there where nothing may be installed', async () => {
    await using server = await start({ palette: { allowInstall: false } });
    window = await EditorWindow.open(browser);
    await window.visit(`${server.url}/`);
    await window.page.click('#red-ui-header-button-sidemenu');
    await window.page.waitForSelector('#menu-item-user-settings');
    expect(await window.page.locator('#menu-item-edit-palette').count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });
});
