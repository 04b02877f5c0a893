import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer, waitFor } from '../support/server.ts';
import { describeWith, isReachable, portOf } from '../support/services.ts';
import { tryFlows } from './node-modules-flows.ts';

const modules = [
  'node-red-node-random',
  'node-red-node-smooth',
  'node-red-node-base64',
  'node-red-node-suncalc',
  'node-red-node-sqlite',
  'node-red-node-serialport',
  'node-red-node-email',
  'node-red-node-mysql',
  'node-red-contrib-redis',
  'node-red-contrib-moment',
  'node-red-contrib-cron-plus',
  'node-red-contrib-influxdb',
  'node-red-contrib-mongodb4',
  'node-red-contrib-telegrambot',
  'node-red-contrib-uibuilder',
  'node-red-dashboard',
  '@flowfuse/node-red-dashboard',
];

const redis = (await isReachable('Redis')) ? portOf('Redis') : undefined;
const mariaDb = (await isReachable('MariaDB')) ? portOf('MariaDB') : undefined;
const browser = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/** What each flow answers. */
const answers: readonly (readonly [path: string, answer: RegExp])[] = [
  ['random', /^[345]$/],
  ['smooth?v=5', /^5$/],
  ['base64?v=hello', /^"aGVsbG8="$/],
  ['moment?v=2024-01-01', /^"2024-01-02 Dienstag"$/],
  ['sqlite?v=wor', /^\[{"word":"word"}\]$/],
  ['cron-read', /^"tick"$/],
  ['sun-read', /^[01]$/],
  ...(redis === undefined ? [] : [[`redis?v=sluice:${process.pid}`, /^\d+$/] as const]),
  ...(mariaDb === undefined ? [] : [['mysql?v=41', /^\[{"n":42}\]$/] as const]),
];

await describeWith('the npm registry', 'published node modules', () => {
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-modules-'));
  let server: TestServer;

  beforeAll(async () => {
    writeFileSync(join(userDir, 'package.json'), '{"name":"modules","version":"1.0.0","private":true}');
    const npm = ['install', '--no-audit', '--no-fund', '--omit=dev', '--legacy-peer-deps', ...modules];
    await promisify(execFile)('npm', npm, { cwd: userDir, shell: process.platform === 'win32' });
    server = await startServer({
      userDir,
      // A test tells nobody that it ran.
      settings: { uibuilder: { telemetryEnabled: false } },
      flows: tryFlows({ redisPort: redis, mariaDbPort: mariaDb, folder: userDir }),
      timeoutMs: 120_000,
    });
  }, 600_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('load all their sets', async () => {
    const { body } = await server.get('/nodes', { headers: { Accept: 'application/json' } });
    const sets = body as { module: string; id: string; loaded: boolean; err?: string }[];
    expect(sets.filter(({ loaded }) => !loaded).map(({ id, err }) => [id, err])).toEqual([]);
    expect(modules.filter((name) => !sets.some(({ module }) => module === name))).toEqual([]);
  });

  it.each(answers)('%s', async (path, answer) => {
    const text = await waitFor(async () => {
      const reply = await server.get(`/try/${path}`);
      return reply.status === 200 && reply.text;
    }, path);
    expect(text).toMatch(answer);
  });

  it('serve their pages', async () => {
    for (const path of ['/ui/', '/dashboard/page', '/tryuib/']) {
      expect([path, (await server.get(path)).status]).toEqual([path, 200]);
    }
  });

  it.skipIf(browser === undefined)('show a gauge that moves, in both dashboards', async () => {
    const chrome = await chromium.launch({ executablePath: browser ?? '', args: ['--no-sandbox'] });
    try {
      for (const path of ['/ui/', '/dashboard/page']) {
        const page = await chrome.newPage();
        await page.goto(`${server.url}${path}`);
        for (const value of ['42', '77']) {
          await server.get(`/try/gauge?v=${value}`);
          await page.getByText(value, { exact: true }).first().waitFor();
        }
        await page.close();
      }
    } finally {
      await chrome.close();
    }
  });
});
