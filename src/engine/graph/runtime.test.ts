import { describe, expect, it } from 'vitest';
import { type SluiceRig, settle, type TestFlows } from '../../../test/support/flow-rig.ts';
import { probe as node } from '../../../test/support/probe-nodes.ts';
import { rigsPerTest } from '../../../test/support/suite.ts';

const open = rigsPerTest();
const life = (id: string, more: object = {}) =>
  node(id, { init: 'record("open " + node.id)', close: 'record("close " + node.id)', ...more });
const notified = (rig: SluiceRig) =>
  rig.published.splice(0).map(({ topic, data }) => [topic.replace('notification/', ''), data]);
const loading = (flows: TestFlows) => ({ flows: flows as never, rev: 'first', credentials: {} });

describe('configurations that cannot be built', () => {
  const template = (id: string, inside: string) => [
    { id, type: 'subflow', name: `Name of ${id}`, in: [], out: [] },
    node(`in-${id}`, { z: id, type: `subflow:${inside}` }),
  ];
  const broken: [string, TestFlows, RegExp][] = [
    [
      'ids that occur twice',
      [life('a'), life('b'), life('a'), life('c'), life('c')],
      /more than once: a, c$/,
    ],
    [
      'a subflow in itself',
      [...template('s', 's'), life('i', { type: 'subflow:s' })],
      /itself: Name of s \(s\) → Name of s \(s\)$/,
    ],
    [
      'subflows in each other',
      [...template('s', 'u'), ...template('u', 'v'), ...template('v', 's')],
      /Name of s \(s\) → Name of u \(u\) → Name of v \(v\) → Name of s \(s\)$/,
    ],
  ];
  for (const [name, flows, message] of broken) {
    it(`are refused with a text that names them: ${name}`, async () => {
      const rig = await open();
      expect(await rig.deploy(flows)).toEqual({ is: 'invalid', message: expect.stringMatching(message) });
      expect(rig.seen).toEqual([]);
      expect(rig.runtime.nodeCount).toBe(0);
    });

    it(`leave running what runs: ${name}`, async () => {
      const rig = await open();
      const running = [life('x')];
      await rig.deploy(running);
      expect(await rig.deploy(flows)).toMatchObject({ is: 'invalid' });
      expect(rig.runtime.status).toEqual({ is: 'running' });
      expect(rig.runtime.config.flows).toEqual(running);
      expect(rig.seen).toEqual(['open x']);
      expect(await rig.deploy([life('y')])).toEqual({ is: 'running' });
      expect(rig.seen).toEqual(['open x', 'close x', 'open y']);
    });
  }

  it('keep an engine from starting anything, until a deploy puts them right', async () => {
    const rig = await open();
    const flows = [life('a'), life('a')];
    expect(await rig.deploy(flows)).toMatchObject({ is: 'invalid' });
    expect(await rig.start()).toMatchObject({ is: 'invalid' });
    expect(await rig.deploy([life('b')])).toEqual({ is: 'running' });
    await rig.stop();
    expect(await rig.deploy(flows)).toMatchObject({ is: 'invalid' });
    expect(await rig.start()).toMatchObject({ is: 'invalid' });
    expect(rig.seen).toEqual(['open b', 'close b']);
  });

  it('do not include wires, links and references to nothing', async () => {
    const rig = await open();
    const flows = [
      life('a', { wires: [['nowhere', 'b']], code: 'send(msg)', cfg: 'nowhere', g: 'no-group' }),
      node('b', { code: 'record("b")' }),
      node('l', { type: 'link out', links: ['nowhere'] }),
      node('c', { type: 'catch', scope: ['nowhere'] }),
    ];
    expect(await rig.deploy(flows)).toEqual({ is: 'running' });
    rig.inject('a');
    await settle();
    expect(rig.seen).toEqual(['open a', 'b']);
  });
});

describe('how an engine begins', () => {
  it('with flows that run', async () => {
    const rig = await open();
    expect(await rig.runtime.load(loading([life('a')]), 'start')).toEqual({ is: 'running' });
    expect(notified(rig)).toEqual([
      ['runtime-state', {}],
      ['runtime-deploy', { revision: 'first' }],
      ['runtime-state', { state: 'start' }],
    ]);
  });

  it('stopped: deploys are taken, nothing runs until it is started', async () => {
    const rig = await open();
    expect(await rig.runtime.load(loading([life('a')]), 'stop')).toEqual({ is: 'stopped' });
    expect(notified(rig).at(-1)).toEqual(['runtime-state', { state: 'stop' }]);
    const next = { ...loading([life('b')]), rev: 'second', changedCredentials: [], mode: 'full' as const };
    expect(await rig.runtime.deploy(next)).toEqual({ is: 'stopped' });
    expect(notified(rig)).toEqual([['runtime-deploy', { revision: 'second' }]]);
    expect(rig.seen).toEqual([]);
    expect(await rig.runtime.start()).toEqual({ is: 'running' });
    expect(rig.seen).toEqual(['open b']);
    expect(await rig.runtime.start()).toEqual({ is: 'running' });
    expect(rig.seen).toEqual(['open b']);
  });

  it('in safe mode: a deploy of any type ends it', async () => {
    const rig = await open();
    expect(await rig.runtime.load(loading([life('a')]), 'safe')).toEqual({ is: 'safe' });
    expect(notified(rig).at(-1)).toEqual([
      'runtime-state',
      { state: 'safe', error: 'safe-mode', type: 'warning', text: 'notification.warnings.safe-mode' },
    ]);
    const next = {
      ...loading([life('a'), life('b')]),
      rev: 'second',
      changedCredentials: [],
      mode: 'nodes' as const,
    };
    expect(await rig.runtime.deploy(next)).toEqual({ is: 'running' });
    expect(rig.seen).toEqual(['open a', 'open b']);
  });
});

describe('what keeps flows from running', () => {
  it('a missing type, until it arrives', async () => {
    const rig = await open({ without: ['late'] });
    const flows = [
      life('a'),
      life('l', { type: 'late' }),
      life('m', { type: 'other' }),
      life('n', { type: 'subflow:gone' }),
    ];
    expect(await rig.deploy(flows)).toEqual({
      is: 'missing-types',
      types: ['late', 'other', 'subflow:gone'],
    });
    expect(await rig.deploy(flows.slice(0, 2))).toEqual({ is: 'missing-types', types: ['late'] });
    expect(rig.seen).toEqual([]);
    rig.register('late');
    await settle();
    expect(rig.status).toEqual({ is: 'running' });
    expect(rig.seen).toEqual(['open a', 'open l']);
    expect(notified(rig).slice(-2)).toEqual([
      ['runtime-state', {}],
      ['runtime-state', { state: 'start' }],
    ]);
  });

  it('nothing that was changed meanwhile', async () => {
    const rig = await open({ without: ['late'] });
    const s = life('s', { code: 'send(msg)', wires: [['a']] });
    const [a, b] = ['a', 'b'].map((id) => life(id, { code: 'record(node.id + config.v)', v: 1 }));
    await rig.deploy([s, a, b] as TestFlows);
    await rig.deploy(
      [{ ...s, wires: [['b']] }, a, { ...b, v: 2 }, life('l', { type: 'late' })] as TestFlows,
      { mode: 'nodes' },
    );
    expect(rig.seen.splice(0)).toEqual(['open s', 'open a', 'open b', 'close b']);
    rig.register('late');
    await settle();
    rig.inject('s');
    await settle();
    expect(rig.seen).toEqual(['open b', 'open l', 'b2']);
  });

  it('not a type that arrives while the flows are stopped', async () => {
    const rig = await open({ without: ['late'] });
    await rig.deploy([life('l', { type: 'late' })]);
    await rig.stop();
    rig.register('late');
    await settle();
    expect(rig.seen).toEqual([]);
    expect(await rig.start()).toEqual({ is: 'running' });
    expect(rig.seen).toEqual(['open l']);
  });
});

describe('deploys', () => {
  it('run one after the other', async () => {
    const rig = await open();
    const slow = life('slow', {
      close: 'record("closing"); setTimeout(() => { record("closed"); done() }, 20)',
      closeParameters: 1,
    });
    await rig.deploy([slow]);
    const outcomes = await Promise.all([
      rig.deploy([{ ...slow, v: 2 }], { mode: 'nodes' }),
      rig.deploy([life('other')]),
      rig.stop(),
    ]);
    expect(outcomes.map((status) => status.is)).toEqual(['running', 'running', 'stopped']);
    expect(rig.seen).toEqual([
      'open slow',
      'closing',
      'closed',
      'open slow',
      'closing',
      'closed',
      'open other',
      'close other',
    ]);
  });

  it('restart a node whose credentials changed, and give it the new ones', async () => {
    const rig = await open();
    const flows = [
      { id: 's', type: 'secret' },
      life('user', { cfg: 's', init: 'record(RED.nodes.getNode("s").credentials.password)' }),
      life('other'),
    ];
    await rig.deploy(flows, { credentials: { s: { password: 'one' } } });
    await rig.deploy(flows, { credentials: { s: { password: 'two' } }, mode: 'nodes' });
    expect(rig.seen).toEqual(['one', 'open other', 'close user', 'two']);
  });

  it('report progress to whoever waits for none', async () => {
    const rig = await open();
    await rig.deploy([life('a')]);
    await rig.stop();
    expect(rig.status).toEqual({ is: 'stopped' });
  });

  it('start the other nodes where one fails, and say which', async () => {
    const rig = await open();
    await rig.deploy([life('bad', { init: 'throw new Error("no start")' }), life('good')]);
    expect(rig.seen).toEqual(['open good']);
    expect(rig.logged.filter(({ level }) => level === 20)).toMatchObject([
      { id: 'bad', type: 'probe', msg: { message: 'no start' } },
    ]);
  });

  it('build config nodes that name each other, and say so', async () => {
    const rig = await open();
    const config = (id: string, ref: string) => ({ id, type: 'config', ref });
    await rig.deploy([config('c1', 'c2'), config('c2', 'c1'), life('a')]);
    expect(rig.seen).toEqual([['made', 'c1'], ['made', 'c2'], 'open a']);
    expect(rig.logged.some(({ msg }) => /refer to each other: c1, c2/.test(String(msg)))).toBe(true);
  });

  it('log a JSONata env property that cannot be evaluated, and start', async () => {
    const rig = await open();
    const env = [
      { name: 'BAD', type: 'jsonata', value: 'bad(' },
      { name: 'GOOD', type: 'jsonata', value: '1 + 1' },
    ];
    await rig.deploy([
      { id: 't', type: 'tab', env },
      node('a', { init: 'record(["BAD", "GOOD"].map((name) => RED.util.getSetting(node, name)))' }),
    ]);
    expect(rig.seen).toEqual([[undefined, 2]]);
    expect(rig.logged.some(({ msg }) => /env property 'BAD': Expected/.test(String(msg)))).toBe(true);
  });

  it('give up on a node that does not close in time', async () => {
    const rig = await open({ settings: { nodeCloseTimeout: 20 } });
    await rig.deploy([life('stuck', { close: '', closeParameters: 1 }), life('a')]);
    expect(await rig.deploy([life('a')])).toEqual({ is: 'running' });
    expect(rig.logged.filter(({ level }) => level === 20)).toMatchObject([
      { id: 'stuck', msg: expect.stringContaining('Close timed out') },
    ]);
  });
});

describe('status in the editors', () => {
  const statuses = (rig: SluiceRig) =>
    rig.published.splice(0).filter(({ topic }) => topic.startsWith('status/'));

  it('shows text, fill and shape, and takes back what is empty', async () => {
    const rig = await open();
    await rig.deploy([node('a')]);
    for (const status of [{}, { text: 'here', fill: 'red', extra: 1 }, 'text', {}, {}])
      rig.node('a').status(status);
    expect(statuses(rig)).toEqual([
      { topic: 'status/a', data: { text: 'here', fill: 'red' } },
      { topic: 'status/a', data: { text: 'text' } },
      { topic: 'status/a', data: {} },
    ]);
  });

  it('goes with a node that is removed, and stays with one that restarts', async () => {
    const rig = await open();
    const flows = [node('a', { init: 'node.status("a")' }), node('b', { init: 'node.status("b")' })];
    await rig.deploy(flows);
    statuses(rig);
    await rig.deploy([{ ...node('a'), v: 2 }], { mode: 'nodes' });
    expect(statuses(rig)).toEqual([{ topic: 'status/b', data: {} }]);
  });
});

describe('what is counted', () => {
  it('nodes, those in subflow instances too, and messages that wait', async () => {
    const rig = await open();
    await rig.deploy([
      { id: 'sf', type: 'subflow', in: [{ wires: [{ id: 'x' }] }], out: [] },
      node('x', { z: 'sf' }),
      node('i', { type: 'subflow:sf' }),
      node('k', { type: 'subflow:sf' }),
      node('s', { wires: [['i', 'k']], code: 'send(msg)' }),
    ]);
    expect(rig.runtime.nodeCount).toBe(5);
    rig.inject('s');
    expect(rig.runtime.queued).toBe(2);
    await settle();
    expect(rig.runtime.queued).toBe(0);
    await rig.stop();
    expect(rig.runtime.nodeCount).toBe(0);
  });
});
