import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, it } from 'vitest';

/** Debian's; overridden by `CHROMIUM`. */
export const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/**
 * `describe` for tests that need a browser. Where there is none they are skipped, and the name says why; on a CI machine
 * (`CI=true`), which must have it, they fail.
 */
export function describeInBrowser(name: string, body: () => void): void {
  if (existsSync(chromiumPath)) {
    describe(name, body);
  } else if (process.env['CI'] === 'true') {
    describe(name, () => {
      it('finds Chromium', () => {
        throw new Error(`${chromiumPath} is not there`);
      });
    });
  } else {
    describe.skip(`${name} (${chromiumPath} is not there)`, body);
  }
}

/** Starts Chromium, without anything that would speak to others by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A person's browser window on the editor, and everything in it that went wrong. */
export class EditorWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console, exceptions, failed requests, and answers of 400 and more. */
  readonly troubles: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.troubles.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => {
      if (!isMonacosOwn(error)) this.troubles.push(`exception: ${error.message}`);
    });
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText;
      // A page that is left gives up what it was loading.
      if (why !== 'net::ERR_ABORTED') this.troubles.push(`failed: ${request.url()} ${why}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.troubles.push(`${response.status()}: ${response.url()}`);
    });
    page.setDefaultTimeout(20_000);
  }

  /** A window of its own, with nothing stored. */
  static async open(
    browser: Browser,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<EditorWindow> {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    return new EditorWindow(context, await context.newPage());
  }

  /** Goes to an editor and waits until a person could work in it. */
  async visit(url: string): Promise<void> {
    await this.page.goto(url);
    await this.loaded();
  }

  /** Waits until the palette and the workspace are drawn. */
  async loaded(): Promise<void> {
    await this.page.waitForSelector('.red-ui-palette-node[data-palette-type="inject"]');
    await this.page.waitForSelector('.red-ui-loading-overlay, #red-ui-loading-progress', { state: 'hidden' });
    await this.page.waitForSelector('#red-ui-workspace-tabs .red-ui-tab.active');
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.page.fill('#node-dialog-login-username', username);
    await this.page.fill('#node-dialog-login-password', password);
    await this.page.click('#node-dialog-login-submit');
  }

  /** Drags a node from the palette to a place of the workspace; pixels from its upper left corner. */
  async drag(type: string, x: number, y: number): Promise<void> {
    const source = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await source.scrollIntoViewIfNeeded();
    const from = await source.boundingBox();
    const area = await this.page.locator('#red-ui-workspace-chart').boundingBox();
    if (!from || !area) throw new Error(`${type} is not in the palette`);
    const { mouse } = this.page;
    await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await mouse.down();
    await mouse.move(area.x + x - 20, area.y + y - 20, { steps: 5 });
    await mouse.move(area.x + x, area.y + y, { steps: 3 });
    await mouse.up();
  }

  /** The id of the only node of a type in the workspace that is shown. */
  async idOf(type: string): Promise<string> {
    const ids = await this.page.evaluate(
      `RED.nodes.filterNodes({ z: RED.workspaces.active() }).filter((n) => n.type === ${JSON.stringify(type)}).map((n) => n.id)`,
    );
    if (!Array.isArray(ids) || ids.length !== 1) throw new Error(`${type}: ${JSON.stringify(ids)}`);
    return ids[0];
  }

  /** Draws a wire from the first output of a node to the input of another, with the mouse. */
  async wire(from: string, to: string): Promise<void> {
    const output = await this.page.locator(`[id="${from}"] .red-ui-flow-port-output`).first().boundingBox();
    const input = await this.page.locator(`[id="${to}"] .red-ui-flow-port-input`).boundingBox();
    if (!output || !input) throw new Error('a port is not drawn');
    const { mouse } = this.page;
    await mouse.move(output.x + output.width / 2, output.y + output.height / 2);
    await mouse.down();
    await mouse.move(input.x - 20, input.y + input.height / 2, { steps: 5 });
    await mouse.move(input.x + input.width / 2, input.y + input.height / 2, { steps: 3 });
    await mouse.up();
  }

  /** Opens the edit dialog of a node, once the code editor is there: it is loaded last. */
  async edit(id: string): Promise<void> {
    await this.page.waitForFunction("RED.editor.codeEditor.settings.lib !== 'monaco' || window.monaco");
    await this.page.dblclick(`[id="${id}"] .red-ui-flow-node`);
    await this.page.waitForSelector('#node-dialog-ok');
  }

  /** Writes into a field of the edit dialog until the value stays: the dialog may still be filling its fields. */
  async fill(selector: string, value: string): Promise<void> {
    const field = this.page.locator(selector);
    for (let calm = 0; calm < 3; ) {
      if ((await field.inputValue()) === value) calm += 1;
      else {
        calm = 0;
        await field.fill(value);
      }
      await this.page.waitForTimeout(100);
    }
  }

  /** Closes the edit dialog with its button "Done". */
  async done(): Promise<void> {
    await this.page.click('#node-dialog-ok');
    await this.page.waitForSelector('.red-ui-tray', { state: 'detached' });
  }

  /** Presses "Deploy"; gives the answer's status and the kind of the deploy. */
  async deploy(): Promise<{ readonly status: number; readonly type: string | undefined }> {
    const answered = this.page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/flows'),
    );
    await this.page.click('#red-ui-header-button-deploy');
    const response = await answered;
    const type = response.request().headers()['node-red-deployment-type'];
    return { status: response.status(), type };
  }

  /** The texts of the messages in the debug sidebar. */
  debugMessages(): Promise<string[]> {
    return this.page.locator('.red-ui-debug-msg .red-ui-debug-msg-payload').allInnerTexts();
  }

  /** Keeps a picture, for people to look at, where `SCREENSHOTS` names a folder. */
  async picture(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** Monaco throws this at itself when a dialog is closed while it still looks at what was typed. */
function isMonacosOwn({ message, stack = '' }: Error): boolean {
  const frames = stack.split('\n').filter((line) => line.includes('http'));
  const isOfMonaco =
    frames.length > 0 && frames.every((line) => line.includes('/vendor/monaco/dist/editor.js'));
  return isOfMonaco && message.split('\n', 1)[0] === 'TextModelPart is disposed!';
}
