// What people do every day in the editor, in a real browser against the real server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, EditorWindow, launchBrowser } from '../support/browser.ts';
import { registryAnswers } from '../support/registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

const catalogue = createServer((_req, res) => {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Content-Type', 'application/json');
  const entry = {
    id: 'node-red-node-random',
    version: '0.4.1',
    description: 'A node that generates random numbers',
    updated_at: '2023-05-15T10:00:00.000Z',
    types: ['random'],
    keywords: ['node-red', 'random'],
    url: 'https://flows.nodered.org/node/node-red-node-random',
  };
  res.end(
    JSON.stringify({ name: 'Test catalogue', updated_at: '2026-01-01T00:00:00.000Z', modules: [entry] }),
  );
});

const countingCode = `const n = (flow.get('n') || 0) + 1;
flow.set('n', n);
node.status({ fill: 'green', shape: 'dot', text: 'ran ' + n });
msg.payload = 'greeting ' + n;
return msg;`;

describeInBrowser('the editor', () => {
  let server: TestServer;
  let browser: Browser;
  let window: EditorWindow;
  const node = { inject: '', function: '', debug: '' };
  const count = (text: string) => async () =>
    (await window.debugMessages()).filter((message) => message.includes(text)).length;

  beforeAll(async () => {
    catalogue.listen(0, '127.0.0.1');
    await new Promise((resolve) => catalogue.once('listening', resolve));
    const { port } = catalogue.address() as AddressInfo;
    [server, browser] = await Promise.all([
      startServer({
        settings: {
          uiHost: '127.0.0.1',
          engine: { heartbeatIntervalMs: 200, unresponsiveAfterMs: 1500 },
          editorTheme: { palette: { catalogues: [`http://127.0.0.1:${port}/catalogue.json`] } },
        },
      }),
      launchBrowser(),
    ]);
    window = await EditorWindow.open(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    catalogue.close();
  });

  afterEach(({ task }) =>
    task.result?.state === 'fail' ? window.picture(`failed-${task.name}`) : undefined,
  );

  /** Presses the button of the inject node. */
  const inject = () => window.page.click(`[id="${node.inject}"] .red-ui-flow-node-button-button`);

  /** Replaces the code of the function node. */
  const rewrite = async (code: string) => {
    const { page } = window;
    await window.edit(node.function);
    await page.click('#node-input-func-editor .monaco-editor .view-lines');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(code);
    await window.done();
  };

  it('loads at the first visit without any trouble', async () => {
    await window.visit(`${server.url}/`);
    await window.page.waitForLoadState('networkidle');
    expect(window.troubles).toEqual([]);
    expect(await window.page.title()).toContain('Sluice');
    expect(await window.page.textContent('.red-ui-header-logo')).toContain('Sluice');
    await window.picture('1-first-visit');
  });

  it('shows our version in the menu, and our words about it', async () => {
    const { page } = window;
    const { body } = await server.get('/settings');
    await page.click('#red-ui-header-button-sidemenu');
    const entry = page.locator('#menu-item-node-red-version');
    expect(await entry.textContent()).toContain(`Sluice ${body.sluiceVersion}`);
    await entry.click();
    await page.getByText('A flow-based runtime with an administration API').waitFor();
    await window.picture('2-about');
    expect(
      await page.locator('.red-ui-sidebar-help-content, .red-ui-help').first().textContent(),
    ).not.toContain('Changelog');
  });

  it('builds a flow with the mouse, and deploys it', async () => {
    for (const [type, x] of [
      ['inject', 160],
      ['function', 400],
      ['debug', 640],
    ] as const) {
      await window.drag(type, x, 400);
      node[type] = await window.idOf(type);
    }
    await window.wire(node.inject, node.function);
    await window.wire(node.function, node.debug);
    await window.edit(node.function);
    await window.fill('#node-input-name', 'greet');
    await window.picture('3-function');
    await window.done();
    await rewrite(countingCode);
    expect(await window.deploy()).toEqual({ status: 200, type: 'full' });
    const { body } = await server.get('/flows');
    expect(body.find(({ id }: { id: string }) => id === node.function)).toMatchObject({
      name: 'greet',
      func: countingCode,
      wires: [[node.debug]],
    });
  });

  it('shows in the debug sidebar what an inject sends, and the status under the node', async () => {
    await inject();
    await expect.poll(count('greeting 1')).toBe(1);
    const status = window.page.locator(`[id="${node.function}"] .red-ui-flow-node-status-label`);
    await expect.poll(() => status.textContent()).toBe('ran 1');
    await window.picture('4-debug');
  });

  it('shows what is in the context of the flow', async () => {
    const { page } = window;
    await page.evaluate("RED.actions.invoke('core:show-context-tab')");
    // The flow's, between the node's and the global one.
    await page.locator('button:has(.fa-refresh):visible').nth(1).click();
    const row = page.locator('tr:visible', { has: page.locator('.red-ui-sidebar-context-property') }).first();
    await expect.poll(() => row.textContent()).toBe('n1');
    await window.picture('5-context');
    await page.evaluate("RED.actions.invoke('core:show-debug-tab')");
  });

  it('deploys only the node that was changed', async () => {
    const { page } = window;
    await page.click('#red-ui-header-button-deploy-options');
    await page.click('#deploymenu-item-node');
    await rewrite(countingCode.replace('greeting', 'salute'));
    expect(await window.deploy()).toEqual({ status: 200, type: 'nodes' });
    await inject();
    await expect.poll(count('salute 2')).toBe(1);
  });

  it('makes a subflow of a node, which works', async () => {
    const { page } = window;
    await page.click(`[id="${node.function}"] .red-ui-flow-node`);
    await page.evaluate("RED.actions.invoke('core:convert-to-subflow')");
    expect((await window.deploy()).status).toBe(200);
    await inject();
    // A subflow has a context of its own.
    await expect.poll(count('salute 1')).toBe(1);
    const { body } = await server.get('/flows');
    expect(body.filter(({ type }: { type: string }) => type === 'subflow')).toHaveLength(1);
    await window.picture('6-subflow');
  });

  it('exports the flow and imports another', async () => {
    const { page } = window;
    await page.evaluate("RED.actions.invoke('core:show-export-dialog')");
    await page.click('#red-ui-clipboard-dialog-export-rng-full');
    await expect.poll(() => page.inputValue('#red-ui-clipboard-dialog-export-text')).toContain(node.inject);
    await page.click('#red-ui-clipboard-dialog-cancel');
    await page.evaluate("RED.actions.invoke('core:show-import-dialog')");
    const z = 'aaaa';
    const flow = [
      { id: z, type: 'tab', label: 'Brought in' },
      {
        id: 'bbbb',
        z,
        type: 'inject',
        name: 'start',
        props: [{ p: 'payload' }],
        repeat: '',
        crontab: '',
        once: false,
        topic: '',
        payload: '',
        payloadType: 'date',
        x: 160,
        y: 400,
        wires: [['cccc']],
      },
      {
        id: 'cccc',
        z,
        type: 'function',
        name: 'counter',
        func: countingCode,
        outputs: 1,
        timeout: 0,
        noerr: 0,
        initialize: '',
        finalize: '',
        libs: [],
        x: 400,
        y: 400,
        wires: [['dddd']],
      },
      {
        id: 'dddd',
        z,
        type: 'debug',
        name: 'shown',
        active: true,
        tosidebar: true,
        console: false,
        tostatus: false,
        complete: 'payload',
        targetType: 'msg',
        x: 640,
        y: 400,
        wires: [],
      },
    ];
    await page.fill('#red-ui-clipboard-dialog-import-text', JSON.stringify(flow));
    // It looks at the text when a key is released.
    await page.press('#red-ui-clipboard-dialog-import-text', 'End');
    await page.click('#red-ui-clipboard-dialog-ok');
    await page.locator('#red-ui-workspace-tabs .red-ui-tab', { hasText: 'Brought in' }).click();
    for (const type of ['inject', 'function', 'debug'] as const) node[type] = await window.idOf(type);
    expect((await window.deploy()).status).toBe(200);
    await inject();
    await expect.poll(count('greeting 1')).toBe(2);
    await window.picture('7-imported');
  });

  it('tells another browser of a deploy', async () => {
    const other = await EditorWindow.open(browser);
    await other.visit(`${server.url}/`);
    expect(await other.page.locator('.red-ui-tab', { hasText: 'Brought in' }).count()).toBeGreaterThan(0);
    await rewrite(countingCode.replace('greeting', 'welcome'));
    expect((await window.deploy()).status).toBe(200);
    await other.page.getByText('The flows on the server have been updated').waitFor();
    await other.picture('8-other-browser');
    expect(other.troubles).toEqual([]);
    await other.close();
  });

  it('stays usable when a flow loops endlessly, says so, and heals with the next deploy', async () => {
    const { page } = window;
    await rewrite('for (;;) {}');
    expect((await window.deploy()).status).toBe(200);
    await inject();
    const notice = page.locator('.red-ui-notification', {
      hasText: 'The engine does not respond: the function node',
    });
    await notice.waitFor();
    await window.picture('9-endless-loop');
    // Somebody else opens the editor meanwhile, and is told as well.
    const other = await EditorWindow.open(browser);
    await other.visit(`${server.url}/`);
    await other.page.locator('.red-ui-notification', { hasText: 'does not respond' }).waitFor();
    expect(other.troubles).toEqual([]);
    await other.close();
    await rewrite(countingCode.replace('greeting', 'healed'));
    expect((await window.deploy()).status).toBe(200);
    await notice.waitFor({ state: 'hidden' });
    await inject();
    await expect.poll(count('healed')).toBe(1);
    await window.picture('10-healed');
  });

  it('installs a module with the palette manager, whose node then is in the palette', async ({ skip }) => {
    if (!(await registryAnswers())) skip('the npm registry does not answer');
    const { page } = window;
    await page.evaluate("RED.actions.invoke('core:manage-palette')");
    await page
      .locator('#user-settings-tab-palette .red-ui-tab, .red-ui-tabs li', { hasText: 'Install' })
      .last()
      .click();
    await page.locator('.red-ui-palette-search input:visible').last().fill('random');
    const entry = page
      .locator('.red-ui-editableList-item-content, li', { hasText: 'node-red-node-random' })
      .last();
    await entry.getByText('install', { exact: true }).click();
    await page.locator('.red-ui-notification button', { hasText: 'Install' }).click();
    await window.picture('11-installing');
    await page
      .locator('.red-ui-palette-node[data-palette-type="random"]')
      .waitFor({ state: 'attached', timeout: 60_000 });
    await window.picture('12-installed');
    expect((await server.get('/nodes/node-red-node-random')).status).toBe(200);
    await page.evaluate("RED.actions.invoke('core:show-event-log')");
    await page.getByText('rc=0').waitFor();
    await window.picture('13-event-log');
  });

  it('disables, enables and removes the module again', async ({ skip }) => {
    if ((await server.get('/nodes/node-red-node-random')).status !== 200) skip('it could not be installed');
    const { page } = window;
    // Behind the event log is what was there before it.
    await page.locator('.red-ui-tray button', { hasText: 'Close' }).last().click();
    await page
      .locator('#user-settings-tab-palette .red-ui-tab, .red-ui-tabs li', { hasText: 'Nodes' })
      .last()
      .click();
    const module = page.locator('#red-ui-palette-module-list > li', { hasText: 'node-red-node-random' });
    const inPalette = page.locator('.red-ui-palette-node[data-palette-type="random"]');
    await module.getByText('disable all', { exact: true }).click();
    await expect
      .poll(async () => (await server.get('/nodes/node-red-node-random')).body.nodes[0].enabled)
      .toBe(false);
    await inPalette.waitFor({ state: 'hidden' });
    await module.getByText('enable all', { exact: true }).click();
    await inPalette.waitFor({ state: 'attached' });
    await module.getByText('remove', { exact: true }).click();
    await page.locator('.red-ui-notification button', { hasText: 'Remove' }).click();
    await inPalette.waitFor({ state: 'detached' });
    await window.picture('14-removed');
    expect((await server.get('/nodes/node-red-node-random')).status).toBe(404);
  });

  it('had no trouble all the while', () => {
    expect(window.troubles).toEqual([]);
  });
});
