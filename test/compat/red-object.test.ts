import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPeer } from '../support/peer.ts';
import { startServer } from '../support/server.ts';

/** What the fixture found. */
interface Surface {
  readonly members: { readonly [name: string]: string | { readonly [name: string]: unknown } };
  readonly instances: { readonly util: readonly string[] };
  readonly behaviour: { readonly [name: string]: unknown };
}

const fixture = fileURLToPath(new URL('../fixtures/surface', import.meta.url));
const folders: string[] = [];

/** What `RED` looks like in a server that has the fixture as a plugin. */
async function surfaceOf(start: typeof startServer): Promise<Surface> {
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-surface-'));
  folders.push(userDir);
  const module = join(userDir, 'node_modules', 'surface');
  mkdirSync(module, { recursive: true });
  cpSync(fixture, module, { recursive: true });
  const declared = {
    name: 'surface',
    version: '1.0.0',
    main: 'surface.js',
    'node-red': { plugins: { surface: 'surface.js' } },
  };
  writeFileSync(join(module, 'package.json'), JSON.stringify(declared));
  writeFileSync(join(userDir, 'package.json'), JSON.stringify({ dependencies: { surface: '1.0.0' } }));
  await using server = await start({
    userDir,
    settings: { surfaceSetting: { deep: [1] }, credentialSecret: 'x' },
  });
  const { body } = await server.get('/surface');
  return body;
}

describe('RED', () => {
  let ours: Surface;
  let theirs: Surface;
  beforeAll(async () => {
    ours = await surfaceOf(startServer);
    theirs = await surfaceOf(startPeer);
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('has every member that the peer has, of the same kind', () => {
    const { settings: _, ...members } = theirs.members;
    expect(Object.keys(members).length).toBeGreaterThan(14);
    expect(ours.members).toMatchObject(members);
    expect(ours.instances.util).toEqual(expect.arrayContaining([...theirs.instances.util]));
  });

  it('shows the settings that the peer shows', () => {
    const unset = ['httpAdminAuth', 'httpNodeAuth'];
    const names = Object.keys(theirs.members['settings'] as object).filter((name) => !unset.includes(name));
    expect(Object.keys(ours.members['settings'] as object)).toEqual(expect.arrayContaining(names));
  });

  it('behaves as the peer does', () => {
    expect(Object.keys(ours.behaviour).length).toBeGreaterThan(15);
    expect(ours.behaviour).toEqual(theirs.behaviour);
  });
});
