import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRev, ServiceRig } from '../../../test/support/flows-service.ts';
import { isObject } from '../../contract/json.ts';
import { seal } from '../../storage/credential-cipher.ts';

let rig: ServiceRig;
beforeEach(async () => {
  rig = await ServiceRig.create();
});
afterEach(() => rig.remove());

const tab = { id: 't1', type: 'tab', label: 'One' };
const broker = { id: 'b1', type: 'mqtt-broker', name: 'Broker' };

describe('a deploy', () => {
  it('is on disk before the engine is told, and editors hear of it in order', async () => {
    const { flows, engine, told } = await rig.open();
    let seen: unknown;
    engine.onCall = async () => {
      seen = [await rig.onDisk(), await rig.onDisk('flows_cred.json')];
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
    const { flows } = await rig.open();
    await flows.deploy({ flows: [tab], mode: 'full', rev: emptyRev });
    await expect(flows.deploy({ flows: [], mode: 'full', rev: emptyRev })).rejects.toMatchObject({
      code: 'version_mismatch',
    });
    expect(await rig.onDisk()).toEqual([tab]);
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
    const { flows, engine } = await rig.open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    await expect(flows.deploy({ flows: wrong, mode: 'full' })).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: `Invalid flows: ${detail}`,
    });
    expect(flows.current().rev).toBe(rev);
    expect(await rig.onDisk()).toEqual([tab]);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('changes nothing when it cannot be written', async () => {
    const { flows, engine } = await rig.open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    // A folder in its place: permissions would mean nothing to root.
    await rm(join(rig.dir, 'flows.json'));
    await mkdir(join(rig.dir, 'flows.json', 'in the way'), { recursive: true });
    await expect(flows.deploy({ flows: [], mode: 'full' })).rejects.toMatchObject({ code: 'storage.failed' });
    expect(flows.current().rev).toBe(rev);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('runs one after the other, in order', async () => {
    const { flows, engine } = await rig.open();
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
    expect(await rig.onDisk()).toEqual([{ ...tab, label: '9' }]);
  });

  it('keeps credentials, drops those of removed nodes, and names what changed', async () => {
    const { flows, engine } = await rig.open();
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
    expect(await rig.onDisk('flows_cred.json')).toEqual({});
  });

  it('takes all credentials encrypted, and refuses those that it cannot decrypt', async () => {
    const { flows } = await rig.open({ secret: 'mine' });
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
    const content = await rig.onDisk('flows_cred.json');
    expect(isObject(content) && Object.keys(content)).toEqual(['$']);
  });
});

describe('credentials that code changes', () => {
  it('are stored at once, also while a deploy waits for the engine', async () => {
    const { flows, engine } = await rig.open();
    engine.onCall = async () => {
      await flows.setCredentials('b1', { password: 'z' });
      return { is: 'running' };
    };
    await flows.deploy({ flows: [broker], mode: 'full' });
    expect(await rig.onDisk('flows_cred.json')).toEqual({ b1: { password: 'z' } });
    await flows.setCredentials('b1', null);
    expect(await rig.onDisk('flows_cred.json')).toEqual({});
  });
});
