import { existsSync } from 'node:fs';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import type { Group } from '../row.ts';
import type { System } from '../systems.ts';

const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const missing = !existsSync(chromiumPath);
if (missing) console.error(`bench: no Chromium at ${chromiumPath}: the editor is not measured`);

/** What a page load cost. */
interface Load {
  readonly requests: number;
  readonly megabytes: number;
  /** Until the palette is drawn and the workspace can be used. */
  readonly ms: number;
  /** Until the code editor is there as well. */
  readonly wholeMs: number;
}

/** First visits with an empty cache, then visits with what the first one left. One browser for all of a system's rows. */
const loads = new WeakMap<System, Promise<{ readonly first: Load; readonly again: Load }>>();

/** The editor in Chromium. Empty where there is none. */
export const editorGroup: Group = {
  name: 'editor',
  setup: { settings: 'editorTheme: { tours: false, palette: { catalogues: [] } },' },
  rows: missing
    ? []
    : [
        {
          name: 'editor: first visit until the palette is drawn',
          unit: 'ms',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).first.ms }),
        },
        {
          name: 'editor: first visit until the code editor is there',
          unit: 'ms',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).first.wholeMs }),
        },
        {
          name: 'editor: first visit, bytes',
          unit: 'MB',
          goal: 0.6,
          measure: async (system) => ({ value: (await loaded(system)).first.megabytes }),
        },
        {
          name: 'editor: first visit, requests',
          unit: 'requests',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).first.requests }),
        },
        {
          name: 'editor: later visit until the palette is drawn',
          unit: 'ms',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).again.ms }),
        },
        {
          name: 'editor: later visit until the code editor is there',
          unit: 'ms',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).again.wholeMs }),
        },
        {
          name: 'editor: later visit, bytes',
          unit: 'MB',
          goal: 1,
          measure: async (system) => ({ value: (await loaded(system)).again.megabytes }),
        },
      ],
};

function loaded(system: System): Promise<{ readonly first: Load; readonly again: Load }> {
  const known = loads.get(system);
  if (known) return known;
  const measured = measure(system);
  loads.set(system, measured);
  return measured;
}

async function measure(system: System): Promise<{ readonly first: Load; readonly again: Load }> {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    const url = `${system.url}/`;
    return { first: await load(page, session, url), again: await load(page, session, url) };
  } finally {
    await browser.close();
  }
}

/** Loads the editor, and waits until nothing more comes. */
async function load(page: Page, session: CDPSession, url: string): Promise<Load> {
  let requests = 0;
  let bytes = 0;
  const count = () => {
    requests += 1;
  };
  const add = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength;
  };
  session.on('Network.requestWillBeSent', count);
  session.on('Network.loadingFinished', add);
  const begun = performance.now();
  await page.goto(url);
  await page.waitForSelector('.red-ui-palette-node[data-palette-type="inject"]');
  await page.waitForSelector('#red-ui-workspace-tabs .red-ui-tab.active');
  const ms = performance.now() - begun;
  await page.waitForFunction('window.monaco !== undefined');
  const wholeMs = performance.now() - begun;
  await page.waitForLoadState('networkidle');
  session.off('Network.requestWillBeSent', count);
  session.off('Network.loadingFinished', add);
  return { requests, megabytes: bytes / 1e6, ms, wholeMs };
}
