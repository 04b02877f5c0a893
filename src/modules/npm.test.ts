import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { patience } from './npm.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-npm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Of somebody who has configured nothing. */
const nobody = () => ({ npm_config_userconfig: join(folder, 'none') });

it('npm gives up on a host that does not answer, before others have waited long', () => {
  expect(patience(folder, nobody())).toEqual(['--fetch-timeout=60000', '--fetch-retries=1']);
});

it('npm waits as long as its configuration says, where it does', () => {
  expect(patience(folder, { ...nobody(), NPM_CONFIG_FETCH_TIMEOUT: '1' })).toEqual(['--fetch-retries=1']);
  writeFileSync(join(folder, 'user'), 'registry=https://example.org\nfetch-retries = 5\n');
  expect(patience(folder, { npm_config_userconfig: join(folder, 'user') })).toEqual([
    '--fetch-timeout=60000',
  ]);
  writeFileSync(join(folder, '.npmrc'), 'fetch-timeout=5\nfetch-retries=2\n');
  expect(patience(folder, nobody())).toEqual([]);
});
