import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../support/server.ts';
import { describeWith, isReachable } from '../../support/services.ts';
import { document, documented, type Row } from './table.ts';
import type { Trial } from './trials.ts';

const rewrite = process.env['SLUICE_WRITE_COMPATIBILITY'] === '1';
const chrome = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/**
 * A test per module: installs it over the administration API of one server, deploys its flow beside those of the modules
 * before it, and compares what happened with the table in `docs/compatibility.md` (versions aside), or writes the table
 * where `SLUICE_WRITE_COMPATIBILITY=1`.
 */
export async function tryModules(group: string, trials: readonly Trial[]): Promise<void> {
  const reachable = new Map<Trial, boolean>();
  for (const trial of trials) {
    const browser = trial.page === undefined || chrome !== undefined;
    const service = trial.needs === undefined || (await isReachable(trial.needs));
    reachable.set(trial, (browser && service) || process.env['CI'] === 'true');
  }
  await describeWith('the npm registry', group, () => {
    let server: TestServer;
    const flows: object[] = [{ id: 'try', type: 'tab', label: 'Try' }];

    beforeAll(async () => {
      server = await startServer({
        // A test tells nobody that it ran.
        settings: { uibuilder: { telemetryEnabled: false } },
        flows: [],
        // Native code is compiled all the same, but not optimised: that takes half of the time.
        env: { CFLAGS: '-O0', CXXFLAGS: '-O0', JOBS: '2' },
      });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    for (const trial of trials) {
      it.skipIf(!reachable.get(trial))(`${trial.module}: ${trial.tried}`, { timeout: 400_000 }, async () => {
        const reply = await server.post('/nodes', { json: { module: trial.module }, timeoutMs: 390_000 });
        expect(reply.status, reply.text + server.log().slice(-4000)).toBe(200);
        const sets: { id: string; loaded?: boolean; err?: string }[] = [
          ...reply.body.nodes,
          ...reply.body.plugins,
        ];
        const failed = sets.filter(({ loaded, err }) => loaded === false || err !== undefined);
        flows.push(...(trial.flows?.(server.userDir) ?? []));
        await server.deploy(flows, { headers: { 'Node-RED-Deployment-Type': 'nodes' } });
        if (failed.length === 0) await doItsJob(server, trial);
        const works = trial.flows === undefined ? 'loads' : 'works';
        const row: Row = {
          module: trial.module,
          version: reply.body.version,
          sets: sets.length,
          tried: trial.tried,
          outcome:
            failed.length === 0
              ? works
              : `fails: ${failed.map(({ id, err }) => `${id}: ${err?.split('\n')[0]}`).join('; ')}`,
        };
        if (rewrite) document(row);
        else expect({ ...documented(trial.module), version: row.version }).toEqual(row);
      });
    }
  });
}

async function doItsJob(server: TestServer, { answers, page }: Trial): Promise<void> {
  if (answers !== undefined) {
    const [path, answer] = answers;
    await server.waitFor(async () => {
      const reply = await server.get(`/try/${path}`, { timeoutMs: 5000 });
      return reply.status === 200 && answer.test(reply.text);
    }, `/try/${path} answers ${answer}`);
  }
  if (page !== undefined) {
    const browser = await chromium.launch({ executablePath: chrome ?? '', args: ['--no-sandbox'] });
    try {
      await openPage(server, browser, page);
    } finally {
      await browser.close();
    }
  }
}

async function openPage(
  server: TestServer,
  browser: Browser,
  page: NonNullable<Trial['page']>,
): Promise<void> {
  const opened = await browser.newPage();
  const failures: string[] = [];
  opened.on('pageerror', (error) => failures.push(String(error)));
  const response = await opened.goto(`${server.url}${page.path}`);
  expect(response?.status()).toBe(200);
  if (page.gauge !== undefined) {
    const pictures: string[] = [];
    for (const value of ['42', '77']) {
      await server.get(`/try/${page.gauge}?v=${value}`);
      await opened.getByText(value, { exact: true }).first().waitFor();
      pictures.push(await restingPicture(opened));
    }
    expect(pictures[0], 'the gauge moves, not only its number').not.toBe(pictures[1]);
  }
  expect(failures).toEqual([]);
  await opened.close();
}

/** What is drawn on a page, but for the texts, once it stands still. */
async function restingPicture(page: Page): Promise<string> {
  const picture = () =>
    page
      .locator('svg')
      .evaluateAll((all) => all.map((svg) => svg.innerHTML.replace(/<text.*?<\/text>/gs, '')).join());
  for (let last = ''; ; ) {
    const now = await picture();
    if (now === last) return now;
    last = now;
    await page.waitForTimeout(250);
  }
}
