import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { FlowsDeploy, FlowsStatus } from '../../link/protocol.ts';
import { silentLogger } from '../../logging/logger.ts';
import { seal } from '../../storage/credential-cipher.ts';
import { CredentialFile } from '../../storage/credential-file.ts';
import { FlowFile } from '../../storage/flow-file.ts';
import { openObjectConfig } from '../../storage/runtime-config.ts';
import { CommsHub } from '../comms/hub.ts';
import type { FlowsEngine } from './runner.ts';
import { FlowsService } from './service.ts';
import { FlowStore } from './store.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-service-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const emptyRev = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
const tab = { id: 't1', type: 'tab', label: 'One' };
const broker = { id: 'b1', type: 'mqtt-broker', name: 'Broker' };
const onDisk = async (name = 'flows.json'): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, name), 'utf8'));

/** An engine that does as it is told, or whatever a test wants. */
class TestEngine implements FlowsEngine {
  state: FlowsEngine['state'] = { is: 'running', since: new Date(), pid: 1 };
  readonly asked: string[] = [];
  deploys: FlowsDeploy[] = [];
  onCall: (method: string) => Promise<FlowsStatus> = async () => ({ is: 'running' });
  onReplace: () => Promise<void> = async () => {};
  tell: (status: FlowsStatus) => void = () => {};
  start: (status: FlowsStatus) => void = () => {};

  async call(method: string, asks: unknown): Promise<never> {
    this.asked.push(method);
    if (method === 'flows.deploy') this.deploys.push(asks as FlowsDeploy);
    return (await this.onCall(method)) as never;
  }
  async replace(): Promise<void> {
    this.asked.push('replace');
    await this.onReplace();
  }
  on(event: string, listener: (data: never) => void): () => void {
    if (event === 'flows.status') this.tell = listener as (status: FlowsStatus) => void;
    else this.start = (flows) => (listener as (answer: { flows: FlowsStatus }) => void)({ flows });
    return () => {};
  }
}

interface Options {
  readonly secret?: string | false;
  readonly safeMode?: boolean;
  readonly readOnly?: boolean;
  readonly engine?: TestEngine;
}

async function open(options: Options = {}) {
  const { readOnly = false, safeMode = false, engine = new TestEngine() } = options;
  const log = silentLogger;
  const runtime = openObjectConfig(dir, 'runtime', log, readOnly);
  const file = { pretty: false, readOnly, log };
  const store = new FlowStore({
    flowFile: new FlowFile({ ...file, path: join(dir, 'flows.json') }),
    credentialFile: new CredentialFile({
      ...file,
      path: join(dir, 'flows_cred.json'),
      secret: 'secret' in options ? options.secret : false,
      runtime,
    }),
    log,
  });
  const hub = new CommsHub();
  const told: unknown[] = [];
  hub.subscribe(({ topic, data }) => told.push([topic.replace('notification/', ''), data]));
  const types = {
    credentialFields: (type: string) =>
      type === 'mqtt-broker' ? { password: { type: 'password' as const } } : undefined,
    isRegistered: () => true,
  };
  const flows = new FlowsService({
    store,
    runtime,
    engine,
    types,
    hub,
    settings: { safeMode, readOnly },
    log,
  });
  await flows.load();
  return { flows, engine, told, hub };
}

describe('a deploy', () => {
  it('is on disk before the engine is told, and editors hear of it in order', async () => {
    const { flows, engine, told } = await open();
    let seen: unknown;
    engine.onCall = async () => {
      seen = [await onDisk(), await onDisk('flows_cred.json')];
      return { is: 'running' };
    };
    const rev = await flows.deploy({
      flows: [tab, { ...broker, credentials: { password: 'x' } }],
      mode: 'nodes',
    });
    expect(seen).toEqual([[tab, broker], { b1: { password: 'x' } }]);
    expect(engine.deploys).toEqual([
      {
        flows: [tab, broker],
        rev,
        credentials: { b1: { password: 'x' } },
        changedCredentials: ['b1'],
        mode: 'nodes',
      },
    ]);
    expect(flows.current()).toEqual({
      flows: [tab, broker],
      rev,
      credentials: { b1: { password: 'x' } },
      state: 'start',
    });
    expect(told).toEqual([
      ['runtime-state', { state: 'stop', deploy: true }],
      ['runtime-state', { state: 'start', deploy: true }],
      ['runtime-deploy', { revision: rev }],
    ]);
    expect([...flows.typesInUse()]).toEqual(['tab', 'mqtt-broker']);
  });

  it('is refused where the client started from another revision, and forced without one', async () => {
    const { flows } = await open();
    await flows.deploy({ flows: [tab], mode: 'full', rev: emptyRev });
    await expect(flows.deploy({ flows: [], mode: 'full', rev: emptyRev })).rejects.toMatchObject({
      code: 'version_mismatch',
    });
    expect(await onDisk()).toEqual([tab]);
    expect(await flows.deploy({ flows: [], mode: 'full' })).toBe(emptyRev);
  });

  it.each([
    [{ nodes: [] }, 'the flows must be an array, not an object'],
    [undefined, 'the flows must be an array, not absent'],
    [[tab, null], 'item 1: must be an object, not null'],
    [[{ type: 'tab' }], 'item 0: id: must be a string, and is missing'],
    [[tab, { id: 7, type: 'x' }], 'item 1: id: must be a string, not a number'],
    [[tab, { id: 'n', type: ['x'] }], 'item 1 (id "n"): type: must be a string, not an array'],
    [[tab, { id: '', type: 'x' }], 'item 1: id: must not be empty'],
    [[tab, { id: 'n', type: 'x', z: {} }], 'item 1 (id "n"): z: must be a string, not an object'],
    [
      [tab, { id: 'n', type: 'x', wires: ['m'] }],
      'item 1 (id "n"): wires: must be an array of arrays of node ids',
    ],
    [
      [tab, { id: 'n', type: 'x', credentials: 'x' }],
      'item 1 (id "n"): credentials: must be an object, not a string',
    ],
    [[tab, { id: 't1', type: 'x' }], 'item 1 (id "t1"): id: is already the id of item 0'],
    [
      [
        { id: 'a', type: 'subflow' },
        { id: 'ab', type: 'subflow:b', z: 'a' },
        { id: 'b', type: 'subflow' },
        { id: 'ba', type: 'subflow:a', z: 'b' },
      ],
      'subflows contain each other: a → b → a',
    ],
  ])('of %j is refused, named, and changes nothing', async (wrong, detail) => {
    const { flows, engine } = await open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    await expect(flows.deploy({ flows: wrong, mode: 'full' })).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: `Invalid flows: ${detail}`,
    });
    expect(flows.current().rev).toBe(rev);
    expect(await onDisk()).toEqual([tab]);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('changes nothing when it cannot be written', async () => {
    const { flows, engine } = await open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    // A folder in its place: permissions would mean nothing to root.
    await rm(join(dir, 'flows.json'));
    await mkdir(join(dir, 'flows.json', 'in the way'), { recursive: true });
    await expect(flows.deploy({ flows: [], mode: 'full' })).rejects.toMatchObject({ code: 'storage.failed' });
    expect(flows.current().rev).toBe(rev);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('runs one after the other, in order', async () => {
    const { flows, engine } = await open();
    let running = 0;
    engine.onCall = async () => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { is: 'running' };
    };
    const labels = Array.from({ length: 10 }, (_, i) => `${i}`);
    await Promise.all(labels.map((label) => flows.deploy({ flows: [{ ...tab, label }], mode: 'full' })));
    expect(engine.deploys.map((deploy) => deploy.flows[0]?.['label'])).toEqual(labels);
    expect(await onDisk()).toEqual([{ ...tab, label: '9' }]);
  });

  it('keeps credentials, drops those of removed nodes, and names what changed', async () => {
    const { flows, engine } = await open();
    await flows.deploy({ flows: [tab, { ...broker, credentials: { password: 'x' } }], mode: 'full' });
    await flows.deploy({ flows: [tab, broker], mode: 'nodes' });
    expect(engine.deploys.at(-1)).toMatchObject({
      credentials: { b1: { password: 'x' } },
      changedCredentials: [],
    });
    await flows.deploy({
      flows: [tab, broker],
      credentials: { b1: { password: 'y' }, gone: { a: 'b' } },
      mode: 'nodes',
    });
    expect(engine.deploys.at(-1)).toMatchObject({
      credentials: { b1: { password: 'y' } },
      changedCredentials: ['b1'],
    });
    await flows.deploy({ flows: [tab], mode: 'nodes' });
    expect(await onDisk('flows_cred.json')).toEqual({});
  });

  it('takes all credentials encrypted, and refuses those that it cannot decrypt', async () => {
    const { flows } = await open({ secret: 'mine' });
    const credentials = seal({ b1: { password: 'x' } }, 'mine');
    await flows.deploy({ flows: [tab, broker], credentials, mode: 'full' });
    expect(flows.credentialsOf('b1')).toEqual({ password: 'x' });
    const foreign = seal({ b1: { password: 'y' } }, 'theirs');
    await expect(flows.deploy({ flows: [broker], credentials: foreign, mode: 'full' })).rejects.toMatchObject(
      {
        code: 'credentials_load_failed',
      },
    );
    expect(flows.current().flows).toEqual([tab, broker]);
    const content = await onDisk('flows_cred.json');
    expect(isObject(content) && Object.keys(content)).toEqual(['$']);
  });
});

describe('when the engine fails after a deploy was stored', () => {
  const failing =
    (code: 'engine.gone' | 'engine.unresponsive' | 'engine.timeout' | 'engine.failed') => async () => {
      throw new AppError(code);
    };

  it.each(['engine.gone', 'engine.unresponsive'] as const)('it is replaced (%s)', async (code) => {
    const { flows, engine, told } = await open();
    engine.onCall = failing(code);
    engine.onReplace = async () => engine.tell({ is: 'missing-types', types: ['x'] });
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    expect(engine.asked).toEqual(['flows.deploy', 'replace']);
    expect(told.slice(1)).toEqual([
      ['runtime-state', expect.objectContaining({ error: 'missing-types', types: ['x'] })],
      ['runtime-deploy', { revision: rev }],
    ]);
  });

  it.each(['unresponsive', 'crashed'] as const)('it is replaced at once where it is %s', async (is) => {
    const { flows, engine } = await open();
    engine.state = { is } as FlowsEngine['state'];
    await flows.deploy({ flows: [tab], mode: 'full' });
    expect(engine.asked).toEqual(['replace']);
  });

  it.each([
    ['the new one fails too', failing('engine.gone'), failing('engine.unresponsive')],
    ['it has no time', failing('engine.timeout'), async () => {}],
    ['it throws', failing('engine.failed'), async () => {}],
    [
      'it finds the flows invalid',
      async (): Promise<FlowsStatus> => ({ is: 'invalid', message: 'why' }),
      async () => {},
    ],
  ])('the error says that it is saved (%s)', async (_, onCall, onReplace) => {
    const { flows, engine } = await open();
    engine.onCall = onCall;
    engine.onReplace = onReplace;
    await expect(flows.deploy({ flows: [tab], mode: 'full' })).rejects.toMatchObject({
      code: 'flows.not_started',
      status: 503,
      detail: expect.stringMatching(/^The flows were saved, but /),
    });
    expect(await onDisk()).toEqual([tab]);
    engine.onCall = async () => ({ is: 'running' });
    await flows.deploy({ flows: [], mode: 'full' });
  });

  it('is not replaced while the server stops', async () => {
    const { flows, engine } = await open();
    engine.onCall = failing('engine.gone');
    engine.state = { is: 'stopped' };
    await expect(flows.deploy({ flows: [tab], mode: 'full' })).rejects.toMatchObject({
      code: 'flows.not_started',
    });
    expect(engine.asked).toEqual(['flows.deploy']);
  });
});

describe('the state of the flows', () => {
  it('is kept over a restart, and a deploy does not start what was stopped', async () => {
    const first = await open();
    first.engine.onCall = async () => ({ is: 'stopped' });
    expect(await first.flows.setState('stop')).toBe('stop');
    expect(first.told).toEqual([['runtime-state', { state: 'stop' }]]);
    const { flows, engine, told } = await open();
    expect(flows.current().state).toBe('stop');
    engine.onCall = async () => ({ is: 'stopped' });
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    expect(told).toEqual([['runtime-deploy', { revision: rev }]]);
    expect(engine.asked).toEqual(['flows.deploy']);
    engine.onCall = async () => ({ is: 'running' });
    expect(await flows.setState('start')).toBe('start');
  });

  it('is safe until a deploy or a start, which is then a full one', async () => {
    const { flows, engine } = await open({ safeMode: true });
    expect([flows.state, flows.current().state]).toEqual(['safe', 'safe']);
    let started = false;
    engine.onCall = async (method) => {
      started ||= method === 'flows.start';
      return started ? { is: 'running' } : { is: 'safe' };
    };
    await flows.deploy({ flows: [tab], mode: 'nodes' });
    expect(engine.deploys[0]?.mode).toBe('full');
    expect(engine.asked).toEqual(['flows.deploy', 'flows.start']);
    expect([flows.state, flows.current().state]).toEqual(['start', 'start']);
  });

  it('says safe where the supervisor left the flows alone', async () => {
    const { flows, engine } = await open();
    engine.state = { is: 'safe', since: new Date(), pid: 1, reason: 'crashed' };
    expect([flows.state, flows.current().state]).toEqual(['safe', 'start']);
  });
});

describe('files that cannot be used', () => {
  it('a broken flow file is told to editors and kept as a copy by the next deploy, its credentials too', async () => {
    await writeFile(join(dir, 'flows.json'), '[{"id": "b1",');
    await writeFile(join(dir, 'flows_cred.json'), '{"b1":{"password":"x"}}');
    const { flows, engine, hub } = await open();
    expect(flows.current()).toMatchObject({ flows: [], rev: emptyRev });
    engine.tell({ is: 'running' });
    expect(hub.retained()).toEqual([
      {
        topic: 'notification/runtime-state',
        data: expect.objectContaining({ state: 'stop', text: expect.stringContaining('line 1, column 14') }),
      },
    ]);
    await expect(flows.reload()).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: expect.stringContaining('line 1'),
    });
    expect(await readFile(join(dir, 'flows.json'), 'utf8')).toBe('[{"id": "b1",');
    await flows.deploy({ flows: [tab], mode: 'full' });
    const copies = (await readdir(dir)).filter((name) => /\.(broken|replaced)-/.test(name)).sort();
    expect(copies).toEqual([
      expect.stringMatching(/^flows\.json\.broken-/),
      expect.stringMatching(/^flows_cred\.json\.replaced-/),
    ]);
    expect(await onDisk(copies[1])).toEqual({ b1: { password: 'x' } });
    engine.tell({ is: 'running' });
    expect(hub.retained()).toContainEqual({ topic: 'notification/runtime-state', data: { state: 'start' } });
  });

  it('credentials that cannot be decrypted stay until others are entered', async () => {
    await writeFile(join(dir, 'flows.json'), JSON.stringify([tab, broker]));
    const before = JSON.stringify(seal({ b1: { password: 'x' } }, 'old'));
    await writeFile(join(dir, 'flows_cred.json'), before);
    const { flows, engine, hub } = await open({ secret: 'new' });
    engine.tell({ is: 'running' });
    expect(hub.retained()[0]?.data).toMatchObject({ error: 'credentials_load_failed', type: 'warning' });
    await flows.deploy({ flows: [tab, { ...broker, name: 'Other' }], mode: 'full' });
    expect(await readFile(join(dir, 'flows_cred.json'), 'utf8')).toBe(before);
    await flows.deploy({ flows: [{ ...broker, credentials: { password: 'y' } }], mode: 'full' });
    expect((await readdir(dir)).filter((name) => name.includes('.undecryptable-'))).toHaveLength(1);
    expect((await open({ secret: 'new' })).flows.credentialsOf('b1')).toEqual({ password: 'y' });
  });

  it('reload takes what was changed on disk, and starts everything anew', async () => {
    const { flows, engine } = await open();
    await flows.deploy({ flows: [tab], mode: 'full' });
    await writeFile(join(dir, 'flows.json'), JSON.stringify([tab, broker]));
    await flows.reload();
    expect(engine.deploys.at(-1)).toMatchObject({ flows: [tab, broker], mode: 'full' });
  });

  it('reload refuses flows that could not be started, and changes nothing', async () => {
    const { flows, engine } = await open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    await writeFile(join(dir, 'flows.json'), JSON.stringify([tab, tab]));
    await expect(flows.reload()).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: 'Invalid flows: item 1 (id "t1"): id: is already the id of item 0',
    });
    expect(flows.current().rev).toBe(rev);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('flows that could not be started are shown as they are on disk', async () => {
    await writeFile(join(dir, 'flows.json'), JSON.stringify([tab, tab]));
    const { flows, engine, hub } = await open();
    expect(flows.current().flows).toEqual([tab, tab]);
    engine.start({ is: 'invalid', message: 'why' });
    expect(hub.retained()[0]?.data).toEqual({
      state: 'stop',
      error: 'invalid-flows',
      type: 'error',
      text: 'why',
      defaultValue: 'why',
    });
    expect(flows.isRunning).toBe(false);
    await flows.deploy({ flows: [tab], mode: 'nodes' });
    expect(flows.isRunning).toBe(true);
  });

  it('read-only: deploys are run but not written', async () => {
    await writeFile(join(dir, 'flows.json'), JSON.stringify([tab]));
    const { flows, engine } = await open({ readOnly: true });
    await flows.deploy({ flows: [{ ...broker, credentials: { password: 'x' } }], mode: 'full' });
    expect(engine.deploys[0]?.flows).toEqual([broker]);
    expect(await readdir(dir)).toEqual(['flows.json']);
    expect(await onDisk()).toEqual([tab]);
  });

  it('credentials written into the flow file by hand are used and not shown', async () => {
    await writeFile(join(dir, 'flows.json'), JSON.stringify([{ ...broker, credentials: { password: 'x' } }]));
    const { flows } = await open();
    expect(flows.serialised.json).not.toContain('password');
    expect(flows.credentialsOf('b1')).toEqual({ password: 'x' });
  });
});

describe('what the engine tells', () => {
  it('reaches the editors once, and the last missing type is an all-clear', async () => {
    const { engine, told } = await open();
    engine.tell({ is: 'missing-types', types: ['x'] });
    engine.start({ is: 'missing-types', types: ['x'] });
    engine.tell({ is: 'missing-types', types: [] });
    engine.tell({ is: 'running' });
    expect(told.map((message) => (message as unknown[])[1])).toEqual([
      expect.objectContaining({ error: 'missing-types', types: ['x'] }),
      { revision: emptyRev },
      {},
      { state: 'start' },
    ]);
  });
});

describe('credentials that code changes', () => {
  it('are stored at once, also while a deploy waits for the engine', async () => {
    const { flows, engine } = await open();
    engine.onCall = async () => {
      await flows.setCredentials('b1', { password: 'z' });
      return { is: 'running' };
    };
    await flows.deploy({ flows: [broker], mode: 'full' });
    expect(await onDisk('flows_cred.json')).toEqual({ b1: { password: 'z' } });
    await flows.setCredentials('b1', null);
    expect(await onDisk('flows_cred.json')).toEqual({});
  });
});
