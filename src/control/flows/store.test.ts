import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRev, ServiceRig } from '../../../test/support/flows-service.ts';
import { seal } from '../../storage/credential-cipher.ts';

let rig: ServiceRig;
beforeEach(async () => {
  rig = await ServiceRig.create();
});
afterEach(() => rig.remove());

const tab = { id: 't1', type: 'tab', label: 'One' };
const broker = { id: 'b1', type: 'mqtt-broker', name: 'Broker' };

describe('files that cannot be used', () => {
  it('a broken flow file is told to editors and kept as a copy by the next deploy, its credentials too', async () => {
    await writeFile(join(rig.dir, 'flows.json'), '[{"id": "b1",');
    await writeFile(join(rig.dir, 'flows_cred.json'), '{"b1":{"password":"x"}}');
    const { flows, engine, hub } = await rig.open();
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
    expect(await readFile(join(rig.dir, 'flows.json'), 'utf8')).toBe('[{"id": "b1",');
    await flows.deploy({ flows: [tab], mode: 'full' });
    const copies = (await readdir(rig.dir)).filter((name) => /\.(broken|replaced)-/.test(name)).sort();
    expect(copies).toEqual([
      expect.stringMatching(/^flows\.json\.broken-/),
      expect.stringMatching(/^flows_cred\.json\.replaced-/),
    ]);
    expect(await rig.onDisk(copies[1])).toEqual({ b1: { password: 'x' } });
    engine.tell({ is: 'running' });
    expect(hub.retained()).toContainEqual({ topic: 'notification/runtime-state', data: { state: 'start' } });
  });

  it('credentials that cannot be decrypted stay until others are entered', async () => {
    await writeFile(join(rig.dir, 'flows.json'), JSON.stringify([tab, broker]));
    const before = JSON.stringify(seal({ b1: { password: 'x' } }, 'old'));
    await writeFile(join(rig.dir, 'flows_cred.json'), before);
    const { flows, engine, hub } = await rig.open({ secret: 'new' });
    engine.tell({ is: 'running' });
    expect(hub.retained()[0]?.data).toMatchObject({ error: 'credentials_load_failed', type: 'warning' });
    await flows.deploy({ flows: [tab, { ...broker, name: 'Other' }], mode: 'full' });
    expect(await readFile(join(rig.dir, 'flows_cred.json'), 'utf8')).toBe(before);
    await flows.deploy({ flows: [{ ...broker, credentials: { password: 'y' } }], mode: 'full' });
    expect((await readdir(rig.dir)).filter((name) => name.includes('.undecryptable-'))).toHaveLength(1);
    expect((await rig.open({ secret: 'new' })).flows.credentialsOf('b1')).toEqual({ password: 'y' });
  });

  it('reload takes what was changed on disk, and starts everything anew', async () => {
    const { flows, engine } = await rig.open();
    await flows.deploy({ flows: [tab], mode: 'full' });
    await writeFile(join(rig.dir, 'flows.json'), JSON.stringify([tab, broker]));
    await flows.reload();
    expect(engine.deploys.at(-1)).toMatchObject({ flows: [tab, broker], mode: 'full' });
  });

  it('reload refuses flows that could not be started, and changes nothing', async () => {
    const { flows, engine } = await rig.open();
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    await writeFile(join(rig.dir, 'flows.json'), JSON.stringify([tab, tab]));
    await expect(flows.reload()).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: 'Invalid flows: item 1 (id "t1"): id: is already the id of item 0',
    });
    expect(flows.current().rev).toBe(rev);
    expect(engine.asked).toEqual(['flows.deploy']);
  });

  it('flows that could not be started are shown as they are on disk', async () => {
    await writeFile(join(rig.dir, 'flows.json'), JSON.stringify([tab, tab]));
    const { flows, engine, hub } = await rig.open();
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
    await writeFile(join(rig.dir, 'flows.json'), JSON.stringify([tab]));
    const { flows, engine } = await rig.open({ readOnly: true });
    await flows.deploy({ flows: [{ ...broker, credentials: { password: 'x' } }], mode: 'full' });
    expect(engine.deploys[0]?.flows).toEqual([broker]);
    expect(await readdir(rig.dir)).toEqual(['flows.json']);
    expect(await rig.onDisk()).toEqual([tab]);
  });

  it('credentials written into the flow file by hand are used and not shown', async () => {
    await writeFile(
      join(rig.dir, 'flows.json'),
      JSON.stringify([{ ...broker, credentials: { password: 'x' } }]),
    );
    const { flows } = await rig.open();
    expect(String(flows.serialised.text.bytes)).not.toContain('password');
    expect(flows.credentialsOf('b1')).toEqual({ password: 'x' });
  });
});
