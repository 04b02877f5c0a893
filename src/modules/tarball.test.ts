import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterAll, describe, expect, it } from 'vitest';
import { inspectTarball, type TarballLimits } from './tarball.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-tarball-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly path: string;
  readonly body?: string;
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO' | 'Directory';
  readonly linkpath?: string;
}

/** An archive of exactly these entries, as nobody's tool would make it. */
function tar(...entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, body = '', type = 'File', linkpath }) => {
    const data = Buffer.from(body);
    const header = Buffer.alloc(512);
    new Header({
      path,
      type,
      mode: 0o644,
      size: data.length,
      mtime: new Date(0),
      ...(linkpath ? { linkpath } : {}),
    }).encode(header);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const good = JSON.stringify({
  name: '@acme/surf',
  version: '1.2.3',
  'node-red': { nodes: { surf: 'surf.js' } },
});
const manifest: Entry = { path: 'package/package.json', body: good };

function inspect(data: Buffer, limits?: TarballLimits) {
  const path = join(folder, 'upload.tgz');
  writeFileSync(path, data);
  return inspectTarball(path, limits);
}
const inspectTar = (...entries: readonly Entry[]) => inspect(gzipSync(tar(...entries)));

describe('an uploaded package', () => {
  it('is described by its package.json', async () => {
    const file = await inspectTar(manifest, { path: 'package/surf.js', body: 'x'.repeat(200_000) });
    expect(file).toMatchObject({ name: '@acme/surf', version: '1.2.3', nodes: { surf: 'surf.js' } });
  });

  it('may hold folders, and links that stay in it', async () => {
    await inspectTar(
      { path: 'package/', type: 'Directory' },
      manifest,
      { path: 'package/lib/a', type: 'SymbolicLink', linkpath: '../surf.js' },
      { path: 'package/b', type: 'Link', linkpath: 'package/surf.js' },
    );
  });

  it.each([
    ['not gzip', tar(manifest)],
    ['empty', Buffer.alloc(0)],
    ['gzip, but not tar', gzipSync('hello, I am not an archive'.repeat(100))],
    ['damaged gzip', gzipSync(tar(manifest)).subarray(0, 100)],
    ['without any entry', gzipSync(Buffer.alloc(1024))],
  ])('is refused when it is %s', async (_what, data) => {
    await expect(inspect(data)).rejects.toMatchObject({ code: 'invalid_tarball' });
  });

  it.each<[string, Entry]>([
    ['a path with ..', { path: 'package/../../evil', body: 'x' }],
    ['a path that leaves the package only', { path: 'package/../evil', body: 'x' }],
    ['an absolute path', { path: '/etc/evil', body: 'x' }],
    ['a backslash', { path: 'package\\..\\evil', body: 'x' }],
    ['a drive letter', { path: 'C:/evil', body: 'x' }],
    ['a symbolic link out of it', { path: 'package/a', type: 'SymbolicLink', linkpath: '../../etc/passwd' }],
    ['an absolute symbolic link', { path: 'package/a', type: 'SymbolicLink', linkpath: '/etc/passwd' }],
    ['a hard link out of it', { path: 'package/a', type: 'Link', linkpath: '../x' }],
    ['a device', { path: 'package/a', type: 'CharacterDevice' }],
    ['a pipe', { path: 'package/a', type: 'FIFO' }],
  ])('is refused when it holds %s', async (_what, entry) => {
    await expect(inspectTar(manifest, entry)).rejects.toMatchObject({ code: 'invalid_tarball' });
  });

  it('is refused without package/package.json', async () => {
    const elsewhere = { path: 'other/package.json', body: good };
    await expect(inspectTar(elsewhere)).rejects.toMatchObject({ code: 'invalid_tarball' });
  });

  it('is refused when its package.json is not JSON', async () => {
    await expect(inspectTar({ ...manifest, body: '{' })).rejects.toMatchObject({ code: 'invalid_tarball' });
  });

  it.each([
    ['no nodes', { name: 'a', version: '1.0.0' }],
    ['an empty section', { name: 'a', version: '1.0.0', 'node-red': {} }],
    ['a name that is an option', { name: '--x', version: '1.0.0', 'node-red': { nodes: { a: 'a.js' } } }],
    ['a name that is a path', { name: '../a', version: '1.0.0', 'node-red': { nodes: { a: 'a.js' } } }],
    ['a version that is a path', { name: 'a', version: '../1', 'node-red': { nodes: { a: 'a.js' } } }],
  ])('is not a node module with %s', async (_what, file) => {
    const entry = { ...manifest, body: JSON.stringify(file) };
    await expect(inspectTar(entry)).rejects.toMatchObject({ code: 'invalid_package' });
  });

  it('is refused over the limits', async () => {
    const data = gzipSync(tar(manifest, { path: 'package/big', body: 'x'.repeat(5000) }));
    await expect(inspect(data, { unpackedBytes: 4000, entries: 10 })).rejects.toMatchObject({
      code: 'invalid_tarball',
    });
    await expect(inspect(data, { unpackedBytes: 10_000, entries: 1 })).rejects.toMatchObject({
      code: 'invalid_tarball',
    });
    await inspect(data, { unpackedBytes: 10_000, entries: 10 });
  });

  it('is refused when padding goes on and on', async () => {
    const data = gzipSync(Buffer.concat([tar(manifest), Buffer.alloc(1_000_000)]));
    await expect(inspect(data, { unpackedBytes: 10_000, entries: 10 })).rejects.toMatchObject({
      code: 'invalid_tarball',
    });
  });
});
