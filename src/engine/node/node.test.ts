import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type SluiceRig, settle, type TestFlows } from '../../../test/support/flow-rig.ts';
import { probe } from '../../../test/support/probe-nodes.ts';
import { rigsPerTest } from '../../../test/support/suite.ts';
import { type InputHandler, Node } from './node.ts';

const open = rigsPerTest();

async function run(flows: TestFlows, settings: Record<string, unknown> = {}): Promise<SluiceRig> {
  const rig = await open({ settings });
  await rig.deploy(flows);
  return rig;
}

describe('Node', () => {
  it('has exactly the properties that others rely on', async () => {
    const rig = await run([probe('a', { name: 'A', wires: [['b']], g: 'g' }), probe('b')]);
    expect(Object.keys(rig.node('a')).sort()).toEqual(
      [
        '_closeCallbacks',
        '_expectedDoneCount',
        '_inputCallback',
        '_inputCallbacks',
        '_wire',
        '_wireCount',
        'g',
        'id',
        'name',
        'send',
        'type',
        'wires',
        'z',
      ].sort(),
    );
    expect(() => JSON.stringify(rig.node('a'))).not.toThrow();
    expect(rig.node('a')._path).toBe('t/a');
    expect(rig.node('a')).toBeInstanceOf(Node);
    expect(rig.node('a')).toBeInstanceOf(EventEmitter);
  });

  it('is made of functions and classes with ancestors alike', async () => {
    const rig = await open();
    const set = { id: 'x/y', module: 'x' };
    class Base {
      greeting = 'hello';
    }
    class OfClass extends Base {
      constructor(config: object) {
        super();
        rig.runtime.createNode(this, config);
        Object.assign(this, config);
        const node = this as unknown as Node;
        const pass: InputHandler = (message, send, done) => {
          send({ ...message, greeting: this.greeting });
          done();
        };
        node.on('input', pass);
      }
    }
    rig.types.register(set, 'of-class', OfClass);
    await rig.deploy([probe('a', { type: 'of-class', wires: [['b']] }), probe('b')]);
    rig.inject('a', { _msgid: 'm' });
    await settle();
    expect(rig.seen).toEqual([['b', { _msgid: 'm', greeting: 'hello' }]]);
    expect(rig.node('a')).toBeInstanceOf(Base);
  });

  it('handles a message once with a handler added by once', async () => {
    const rig = await run([
      probe('a', { init: "node.once('input', () => record('once'))", code: 'record("always")' }),
    ]);
    rig.inject('a');
    rig.inject('a');
    expect(rig.seen).toEqual(['once', 'always', 'always']);
  });

  it('calls every handler that was there when the message came', async () => {
    const rig = await run([
      probe('a', {
        init: `const first = () => { record('first'); node.removeListener('input', first) }; node.on('input', first)`,
        code: 'record("second")',
      }),
    ]);
    rig.inject('a');
    rig.inject('a');
    expect(rig.seen).toEqual(['first', 'second', 'second']);
  });

  it('is chainable', async () => {
    const rig = await run([probe('a')]);
    const node = rig.node('a');
    const handler = () => {};
    for (const event of ['input', 'close', 'other']) {
      expect(node.on(event, handler)).toBe(node);
      expect(node.removeListener(event, handler)).toBe(node);
      expect(node.removeAllListeners(event)).toBe(node);
    }
  });

  it('bears a status of nothing', async () => {
    const rig = await run([probe('a')]);
    expect(() => rig.node('a').status(undefined)).not.toThrow();
  });

  it('writes metrics only where they are wanted', async () => {
    const flows = [probe('a', { wires: [['b']], code: 'send(msg); done()' }), probe('b')];
    const metrics = (rig: SluiceRig) =>
      rig.logged.filter((record) => record.level === 99).map(({ event }) => event);
    const off = await run(flows);
    off.inject('a', { _msgid: 'm' });
    await settle();
    expect([metrics(off), off.node('a').metric()]).toEqual([[], false]);
    const on = await run(flows, { metrics: true });
    on.inject('a', { _msgid: 'm' });
    await settle();
    expect(metrics(on)).toEqual([
      'node.probe.receive',
      'node.probe.send',
      'node.probe.done',
      'node.probe.receive',
    ]);
    expect(on.node('a').metric()).toBe(true);
  });

  it('reports a message that cannot even be received', async () => {
    const rig = await run([probe('a', { code: 'send(msg)', wires: [['b']] }), probe('b')]);
    rig.node('b').receive = () => {
      throw new Error('out of order');
    };
    rig.inject('a', {});
    await settle();
    expect(rig.logged.map(({ msg }) => String(msg)).join()).toMatch(
      /could not be delivered to node b: Error: out of order/,
    );
  });
});

describe('junctions and other nodes that pass on', () => {
  const chain: TestFlows = [
    { id: 'j', type: 'junction', z: 't', x: 0, y: 0, wires: [['k', 'end']] },
    { id: 'k', type: 'junction', z: 't', x: 0, y: 0, wires: [['end']] },
    probe('end', { code: 'record(msg.payload)' }),
  ];

  it('call handlers that were added to them', async () => {
    const rig = await run(chain);
    rig.node('k').on('input', () => rig.seen.push('watched'));
    rig.inject('j', { _msgid: 'm', payload: 1 });
    await settle();
    expect(rig.seen).toEqual(['watched', 1, 1]);
  });

  it('send with whatever took the place of their send', async () => {
    const rig = await run(chain);
    rig.node('k').send = (message: unknown) =>
      rig.seen.push(['sent', (message as { payload: unknown }).payload]);
    rig.inject('j', { _msgid: 'm', payload: 1 });
    await settle();
    expect(rig.seen).toEqual([['sent', 1], 1]);
  });

  it('are seen by hooks that come later', async () => {
    const rig = await run(chain);
    rig.hooks.add(
      'onReceive.late',
      ({ destination }: { destination: { id: string } }) => void rig.seen.push(destination.id),
    );
    rig.inject('j', { _msgid: 'm', payload: 1 });
    await settle();
    expect(rig.seen).toEqual(['j', 'k', 'end', 1, 'end', 1]);
  });
});
