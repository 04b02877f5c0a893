import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../logging/logger.ts';
import { FlowFile, locateCredentialFile, locateFlowFile } from './flow-file.ts';
import { SerialisedFlows } from './serialised-flows.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-flows-'));
  path = join(dir, 'flows.json');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (options: { pretty?: boolean; readOnly?: boolean } = {}) =>
  new FlowFile({ path, pretty: true, readOnly: false, log: silentLogger, ...options });
type Item = { id: string; type: string; label: string };
const tab = { id: 't1', type: 'tab', label: 'One', 'a property of ours': { kept: [1, null] } };

describe('where the flow file lies', () => {
  const locate = (flowFile: string, isDefault = false) =>
    locateFlowFile({ userDir: join(dir, 'user'), flowFile, isDefault, cwd: join(dir, 'cwd') });
  beforeEach(async () => {
    await mkdir(join(dir, 'user'));
    await mkdir(join(dir, 'cwd'));
  });

  it('is an absolute path as given, and ./ means the current folder', () => {
    expect(locate('/srv/flows.json')).toBe('/srv/flows.json');
    expect(locate('./mine.json')).toBe(join(dir, 'cwd', 'mine.json'));
  });

  it('is the user directory, unless the current folder has a file of that name', async () => {
    expect(locate('mine.json')).toBe(join(dir, 'user', 'mine.json'));
    await writeFile(join(dir, 'cwd', 'mine.json'), '[]');
    expect(locate('mine.json')).toBe(join(dir, 'cwd', 'mine.json'));
  });

  it("is the peer's default name where nobody chose one and only that exists", async () => {
    expect(locate('flows.json', true)).toBe(join(dir, 'user', 'flows.json'));
    await writeFile(join(dir, 'user', `flows_${hostname()}.json`), '[]');
    expect(locate('flows.json', true)).toBe(join(dir, 'user', `flows_${hostname()}.json`));
    expect(locate('flows.json')).toBe(join(dir, 'user', 'flows.json'));
    await writeFile(join(dir, 'user', 'flows.json'), '[]');
    expect(locate('flows.json', true)).toBe(join(dir, 'user', 'flows.json'));
  });

  it('decides where the credentials lie: beside it, or in the user directory where they are there', async () => {
    const flows = join(dir, 'cwd', 'mine.json');
    expect(locateCredentialFile(flows, join(dir, 'user'))).toBe(join(dir, 'cwd', 'mine_cred.json'));
    await writeFile(join(dir, 'user', 'mine_cred.json'), '{}');
    expect(locateCredentialFile(flows, join(dir, 'user'))).toBe(join(dir, 'user', 'mine_cred.json'));
  });
});

describe('FlowFile', () => {
  it('is empty where there is no file', async () => {
    expect(await open().read()).toEqual({ is: 'flows', flows: [], existed: false });
  });

  it('writes pretty or compact, keeps unknown properties and the previous content', async () => {
    await open().write(SerialisedFlows.of([tab]));
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify([tab], null, 4));
    await open({ pretty: false }).write(SerialisedFlows.of([tab, { id: 't2', type: 'tab' }]));
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify([tab, { id: 't2', type: 'tab' }]));
    expect(await readFile(join(dir, '.flows.json.backup'), 'utf8')).toBe(JSON.stringify([tab], null, 4));
    expect(await open().read()).toEqual({
      is: 'flows',
      flows: [tab, { id: 't2', type: 'tab' }],
      existed: true,
    });
  });

  it.each([true, false])('writes each of several as if it were the first (pretty: %s)', async (pretty) => {
    const file = open({ pretty });
    let serialised = SerialisedFlows.of([]);
    const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id, type: 'tab', label: `of\n${id}` })) as [
      Item,
      Item,
      Item,
    ];
    for (const flows of [[a, b], [c, a, b], [c, { ...a, label: 'other' }], [], [b]]) {
      serialised = serialised.next(flows).serialised;
      await file.write(serialised);
      expect(await readFile(path, 'utf8')).toBe(JSON.stringify(flows, null, pretty ? 4 : 0));
    }
  });

  it('makes the folder that the name asks for', async () => {
    path = join(dir, 'a', 'b', 'flows.json');
    await open().write(SerialisedFlows.of([tab]));
    expect(await open().read()).toMatchObject({ flows: [tab] });
  });

  it('restores an empty file from its backup', async () => {
    await writeFile(path, '');
    expect(await open().read()).toMatchObject({ is: 'flows', flows: [] });
    await writeFile(join(dir, '.flows.json.backup'), JSON.stringify([tab]));
    expect(await open().read()).toMatchObject({ is: 'flows', flows: [tab] });
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify([tab]));
  });

  it.each([
    ['[\n  {"id": "a", "type": "tab"},\n]', 'it is not valid JSON, line 3, column 1: unexpected character'],
    ['{"flows": []}', 'the flows must be an array, not an object'],
    ['[{"id": "a", "type": "tab"}, {"id": "b"}]', 'item 1 (id "b"): type: must be a string, and is missing'],
    ['[7]', 'item 0: must be an object, not a number'],
  ])('names what is wrong with %j and leaves it alone', async (content, reason) => {
    await writeFile(path, content);
    expect(await open().read()).toEqual({ is: 'broken', reason });
    expect(await readFile(path, 'utf8')).toBe(content);
    expect(await readdir(dir)).toEqual(['flows.json']);
  });

  it('keeps a copy of a broken file when it is written over, once', async () => {
    await writeFile(path, '[{');
    const file = open();
    await file.read();
    await file.write(SerialisedFlows.of([tab]));
    await file.write(SerialisedFlows.of([]));
    const copies = (await readdir(dir)).filter((name) => name.startsWith('flows.json.broken-'));
    expect(copies).toHaveLength(1);
    expect(await readFile(join(dir, copies[0] ?? ''), 'utf8')).toBe('[{');
    expect(await readFile(path, 'utf8')).toBe('[]');
  });

  it('calls a file that it may not read broken, and then does not replace it', async () => {
    await mkdir(path);
    const file = open();
    expect(await file.read()).toEqual({ is: 'broken', reason: "it can't be read (EISDIR)" });
    await expect(file.write(SerialisedFlows.of([]))).rejects.toThrow();
    expect(await readdir(path)).toEqual([]);
  });

  it('writes nothing in read-only mode', async () => {
    await writeFile(path, '');
    await writeFile(join(dir, '.flows.json.backup'), JSON.stringify([tab]));
    const file = open({ readOnly: true });
    expect(await file.read()).toMatchObject({ flows: [tab] });
    await file.write(SerialisedFlows.of([]));
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it("gives the peer's revision", async () => {
    expect(SerialisedFlows.of([]).rev).toBe(
      '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    );
    path = fileURLToPath(new URL('../../test/fixtures/peer-user-dir/flows.json', import.meta.url));
    const content = await open({ readOnly: true }).read();
    if (content.is !== 'flows') throw new Error(content.reason);
    expect(SerialisedFlows.of(content.flows).rev).toBe(
      '1ccdebd680465046e10949f49a5aaf49a0da911da01acf404e130c04943376c9',
    );
  });
});
