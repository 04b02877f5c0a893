import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRev, ServiceRig } from '../../../test/support/flows-service.ts';
import { AppError } from '../../contract/errors.ts';
import type { FlowsStatus } from '../../link/protocol.ts';
import type { FlowsEngine } from './runner.ts';

let rig: ServiceRig;
beforeEach(async () => {
  rig = await ServiceRig.create();
});
afterEach(() => rig.remove());

const tab = { id: 't1', type: 'tab', label: 'One' };

describe('what the engine is told of a deploy', () => {
  const other = { id: 't2', type: 'tab' };

  it('is what changed, where it has what that builds upon', async () => {
    const { flows, engine } = await rig.open();
    await flows.deploy({ flows: [tab], mode: 'full' });
    const rev = await flows.deploy({ flows: [other, tab], mode: 'nodes' });
    expect(engine.asked).toEqual(['flows.deploy', 'flows.patch']);
    expect(engine.deploys.at(-1)).toEqual({
      flows: [other, tab],
      rev,
      credentials: {},
      changedCredentials: [],
      mode: 'nodes',
    });
  });

  it('is all, where it lost step', async () => {
    const { flows, engine } = await rig.open();
    await flows.deploy({ flows: [tab], mode: 'full' });
    engine.has = { flows: [], rev: 'of old' };
    await flows.deploy({ flows: [tab, other], mode: 'nodes' });
    expect(engine.asked.slice(1)).toEqual(['flows.patch', 'flows.deploy']);
    expect(engine.has.flows).toEqual([tab, other]);
    await flows.deploy({ flows: [other], mode: 'nodes' });
    expect(engine.asked.slice(3)).toEqual(['flows.patch']);
    expect(engine.has.flows).toEqual([other]);
  });

  it('is all, where the files were read again', async () => {
    const { flows, engine } = await rig.open();
    await flows.deploy({ flows: [tab], mode: 'full' });
    await flows.reload();
    expect(engine.asked).toEqual(['flows.deploy', 'flows.deploy']);
  });
});

describe('when the engine fails after a deploy was stored', () => {
  const failing =
    (code: 'engine.gone' | 'engine.unresponsive' | 'engine.timeout' | 'engine.failed') => async () => {
      throw new AppError(code);
    };

  it.each(['engine.gone', 'engine.unresponsive'] as const)('it is replaced (%s)', async (code) => {
    const { flows, engine, told } = await rig.open();
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
    const { flows, engine } = await rig.open();
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
    const { flows, engine } = await rig.open();
    engine.onCall = onCall;
    engine.onReplace = onReplace;
    await expect(flows.deploy({ flows: [tab], mode: 'full' })).rejects.toMatchObject({
      code: 'flows.not_started',
      status: 503,
      detail: expect.stringMatching(/^The flows were saved, but /),
    });
    expect(await rig.onDisk()).toEqual([tab]);
    engine.onCall = async () => ({ is: 'running' });
    await flows.deploy({ flows: [], mode: 'full' });
  });

  it('is not replaced while the server stops', async () => {
    const { flows, engine } = await rig.open();
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
    const first = await rig.open();
    first.engine.onCall = async () => ({ is: 'stopped' });
    expect(await first.flows.setState('stop')).toBe('stop');
    expect(first.told).toEqual([['runtime-state', { state: 'stop' }]]);
    const { flows, engine, told } = await rig.open();
    expect(flows.current().state).toBe('stop');
    engine.onCall = async () => ({ is: 'stopped' });
    const rev = await flows.deploy({ flows: [tab], mode: 'full' });
    expect(told).toEqual([['runtime-deploy', { revision: rev }]]);
    expect(engine.asked).toEqual(['flows.deploy']);
    engine.onCall = async () => ({ is: 'running' });
    expect(await flows.setState('start')).toBe('start');
  });

  it('is safe until a deploy or a start, which is then a full one', async () => {
    const { flows, engine } = await rig.open({ safeMode: true });
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
    const { flows, engine } = await rig.open();
    engine.state = { is: 'safe', since: new Date(), pid: 1, reason: 'crashed' };
    expect([flows.state, flows.current().state]).toEqual(['safe', 'start']);
  });
});

describe('what the engine tells', () => {
  it('reaches the editors once, and the last missing type is an all-clear', async () => {
    const { engine, told } = await rig.open();
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
