import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { SluiceRig } from './flow-rig.ts';
import { type ModuleFixture, writeModule } from './node-module.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/*
 * What a suite of tests needs while it runs. Each is to be called where the suite is described, and takes away what it made.
 */

/** A server for all tests of the suite. */
export function serverWith(
  settings: object,
  more: Omit<ServerOptions, 'settings'> = {},
): { readonly server: TestServer } {
  const holder: { server: TestServer } = { server: undefined as unknown as TestServer };
  beforeAll(async () => {
    holder.server = await startServer({ ...more, settings });
  });
  afterAll(() => holder.server?.[Symbol.asyncDispose]());
  return holder;
}

/** A folder for all tests of the suite, and the means to write node modules into folders of their own in it. */
export function scratchModules(): {
  readonly scratch: string;
  readonly folderOf: (fixture: ModuleFixture) => string;
} {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-modules-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  let folders = 0;
  return { scratch, folderOf: (fixture) => writeModule(join(scratch, `m${folders++}`), fixture) };
}

/** Opens rigs, each until the end of the test. */
export function rigsPerTest(): typeof SluiceRig.open {
  const rigs: SluiceRig[] = [];
  afterEach(async () => {
    for (const rig of rigs.splice(0)) await rig.close();
  });
  return async (options) => {
    const rig = await SluiceRig.open(options);
    rigs.push(rig);
    return rig;
  };
}
