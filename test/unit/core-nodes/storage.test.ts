import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, give, received } from '../../support/core-node.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-files-'));
});
afterEach(async () => {
  await helper.unload();
  helper.settings({});
  rmSync(folder, { recursive: true, force: true });
});

const file = core('storage/10-file');

describe('file', () => {
  const load = (config: object) =>
    helper.load(
      file,
      flowOf('file', {
        filename: join(folder, 'x.txt'),
        filenameType: 'str',
        appendNewline: false,
        createDir: false,
        overwriteFile: 'false',
        encoding: 'none',
        ...config,
      }),
    );

  it('appends, overwrites and deletes', async () => {
    await load({ appendNewline: true });
    await give('n1', [{ payload: 'a' }, { payload: { b: 1 } }]);
    expect(readFileSync(join(folder, 'x.txt'), 'utf8')).toBe('a\n{"b":1}\n');
    await helper.unload();
    await load({ overwriteFile: 'true' });
    await exchange('n1', { payload: Buffer.from('z') });
    expect(readFileSync(join(folder, 'x.txt'), 'utf8')).toBe('z');
    await helper.unload();
    await load({ overwriteFile: 'delete' });
    await exchange('n1', {});
    expect(() => readFileSync(join(folder, 'x.txt'))).toThrow('ENOENT');
  });

  it('takes its name from the message, below the working directory, and makes folders', async () => {
    helper.settings({ fileWorkingDirectory: folder });
    await load({ filename: 'filename', filenameType: 'msg', createDir: true, encoding: 'utf16le' });
    await exchange('n1', { filename: 'deep/er.txt', payload: 'ä' });
    expect(readFileSync(join(folder, 'deep', 'er.txt'))).toEqual(Buffer.from('ä', 'utf16le'));
  });
});

describe('file in', () => {
  const load = (config: object) =>
    helper.load(file, [
      ...flowOf('file in', {
        filename: join(folder, 'in.txt'),
        filenameType: 'str',
        format: 'utf8',
        chunk: false,
        sendError: false,
        encoding: 'none',
        ...config,
      }),
      { id: 'c', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, wires: [['out']] },
    ]);

  it('reads a text, a buffer, or line by line', async () => {
    writeFileSync(join(folder, 'in.txt'), 'one\ntwo');
    await load({});
    expect((await exchange('n1', {}))['payload']).toBe('one\ntwo');
    await helper.unload();
    await load({ format: '' });
    expect((await exchange('n1', {}))['payload']).toEqual(Buffer.from('one\ntwo'));
    await helper.unload();
    await load({ format: 'lines' });
    expect((await give('n1', [{}], 'out', 2)).map(({ payload }) => payload)).toEqual(['one', 'two']);
  });

  it('reports a file that is not there', async () => {
    await load({});
    expect((await exchange('n1', {}))['error'].message).toContain('ENOENT');
  });
});

describe('watch', () => {
  it('tells of files that change', async () => {
    await helper.load(core('storage/23-watch'), flowOf('watch', { files: folder, recursive: false }));
    const told = received('out');
    // The watcher says nowhere when it is ready: the file changes until it has been seen.
    const changing = setInterval(() => writeFileSync(join(folder, 'new.txt'), String(Date.now())), 50);
    try {
      expect(await told).toMatchObject([
        { file: 'new.txt', filename: join(folder, 'new.txt'), type: 'file' },
      ]);
    } finally {
      clearInterval(changing);
    }
  });
});
