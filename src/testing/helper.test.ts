import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import helper, { NodeTestHelper, palette } from './index.ts';

afterEach(async () => {
  await helper.unload();
  helper.settings({});
});

// biome-ignore lint/suspicious/noExplicitAny: written as authors write node modules, without types
type RED = any;

function lowerCase(RED: RED) {
  function LowerCase(this: RED, config: RED) {
    RED.nodes.createNode(this, config);
    this.on('input', (msg: RED, send: RED, done: RED) => {
      if (typeof msg.payload !== 'string') return done(new Error('no text'));
      this.status({ text: 'busy' });
      msg.payload = msg.payload.toLowerCase();
      send(msg);
      done();
    });
  }
  RED.nodes.registerType('lower-case', LowerCase, { credentials: { key: { type: 'password' } } });
}
const flow = [
  { id: 'n1', type: 'lower-case', name: 'lower', wires: [['n2']] },
  { id: 'n2', type: 'helper' },
];
const next = (id: string) => new Promise<RED>((resolve) => helper.getNode(id).on('input', resolve));

describe('load', () => {
  it('runs a flow of the nodes, with callback or promise', async () => {
    await new Promise((resolve) => helper.load(lowerCase, flow, resolve));
    expect(helper.getNode('n1')).toMatchObject({ name: 'lower', type: 'lower-case' });
    expect(helper.getNode('none')).toBeNull();
    const message = next('n2');
    helper.getNode('n1').receive({ payload: 'HELLO' });
    expect(await message).toMatchObject({ payload: 'hello' });
  });

  it('gives nodes their credentials, from either place', async () => {
    await helper.load([lowerCase], flow, { n1: { key: 'secret' } });
    expect(helper.getNode('n1').credentials).toEqual({ key: 'secret' });
    await helper.load(lowerCase, [{ id: 'n1', type: 'lower-case', credentials: { key: 'inline' } }]);
    expect(helper.getNode('n1').credentials).toEqual({ key: 'inline' });
    expect(helper.credentials.get('n1')).toEqual({ key: 'inline' });
  });

  it('has catch, status and complete without being given them', async () => {
    await helper.load(lowerCase, [
      ...flow,
      { id: 'c', type: 'catch', scope: null, wires: [['caught']] },
      { id: 'caught', type: 'helper' },
      { id: 'd', type: 'complete', scope: ['n1'], wires: [['completed']] },
      { id: 'completed', type: 'helper' },
    ]);
    const [caught, completed] = [next('caught'), next('completed')];
    helper.getNode('n1').receive({ payload: 1 });
    helper.getNode('n1').receive({ payload: 'A' });
    expect((await caught).error.message).toBe('Error: no text');
    expect(await completed).toMatchObject({ payload: 'a' });
  });

  it('fails where a node module fails, by either way', async () => {
    const broken = async () => {
      throw new Error('broken');
    };
    await expect(helper.load(broken, [])).rejects.toThrow('broken');
    const told = await new Promise((resolve) => helper.load(broken, [], resolve));
    expect(told).toMatchObject({ message: 'broken' });
  });

  it('moves to another flow', async () => {
    await helper.load(lowerCase, flow);
    const before = helper.getNode('n1');
    await helper.setFlows([...flow, { id: 'n3', type: 'helper' }], 'nodes');
    expect(helper.getNode('n1')).toBe(before);
    expect(helper.getNode('n3')).not.toBeNull();
    await new Promise<void>((resolve) => helper.setFlows([], 'full', () => resolve()));
    expect(helper.getNode('n1')).toBeNull();
  });
});

describe('spies', () => {
  it('see what nodes do, and tell of it a moment later', async () => {
    await helper.load(lowerCase, flow);
    const node = helper.getNode('n1');
    const told = new Promise<RED>((resolve) => node.on('call:status', resolve));
    node.receive({ payload: 'A' });
    expect((await told).args).toEqual([{ text: 'busy' }]);
    expect(node.send.callCount).toBe(1);
    node.warn('careful');
    expect(node.warn.calledWithExactly('careful')).toBe(true);
    node.warn.should.be.calledOnce();
  });

  it('are taken off again', async () => {
    await helper.load(lowerCase, flow);
    await helper.unload();
    expect(helper.getNode('n1')).toBeNull();
    const other = new NodeTestHelper();
    await other.load(lowerCase, flow);
    expect(other.getNode('n1').warn.called).toBe(false);
    await other.unload();
  });

  it('are those of the next load where nobody waits for the unload', async () => {
    await helper.load(lowerCase, flow);
    const unloaded = helper.unload();
    await helper.load(lowerCase, flow);
    await unloaded;
    const n1 = helper.getNode('n1');
    const told = new Promise((resolve) => n1.on('call:warn', resolve));
    n1.warn('still told');
    expect(n1.warn.called).toBe(true);
    expect(await told).toMatchObject({ args: ['still told'] });
  });

  it('see the log', async () => {
    await helper.load(lowerCase, flow);
    helper.getNode('n1').error('oh');
    const records = helper.log()?.args.map(([record]) => record);
    expect(records).toContainEqual(
      expect.objectContaining({ level: helper.log()?.['ERROR'], id: 'n1', type: 'lower-case', msg: 'oh' }),
    );
  });
});

describe('settings', () => {
  it('are what nodes see at the next load, and replace each other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-helper-'));
    try {
      helper.settings({ foo: 1 });
      expect(
        helper.settings({
          bar: 2,
          contextStorage: { disk: { module: 'localfilesystem', config: { dir: folder } } },
        }),
      ).not.toHaveProperty('foo');
      let seen: RED;
      await helper.load((RED: RED) => {
        seen = RED.settings;
        lowerCase(RED);
      }, flow);
      expect([seen.foo, seen.bar, seen.get('bar')]).toEqual([undefined, 2, 2]);
      const context = helper.getNode('n1').context();
      await new Promise((resolve) => context.set('k', 1, 'disk', resolve));
      expect(context.get('k', 'disk')).toBe(1);
      await helper.unload();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are what nodes see, also once they are changed', async () => {
    let seen: RED;
    await helper.load((RED: RED) => {
      seen = RED;
      lowerCase(RED);
    }, flow);
    helper.settings()['nodeMessageBufferMaxLength'] = 2;
    expect(seen.settings.nodeMessageBufferMaxLength).toBe(2);
    expect(seen.settings).toBe(helper.settings());
    seen.settings.registerNodeSettings('lower-case', { lowerCaseWords: { value: 7, exportable: true } });
    expect(seen.settings.exportNodeSettings({})).toEqual({ lowerCaseWords: 7 });
  });

  it('have functions and defaults', () => {
    expect(typeof helper.settings()['get']).toBe('function');
    helper.init(undefined, { baz: 3 });
    expect(helper.settings()).toMatchObject({ baz: 3, httpNodeRoot: '/' });
  });
});

describe('what published specs use beneath', () => {
  it('keeps settings and puts them back', async () => {
    const saved = helper._settings;
    helper._settings = { foo: 4 };
    expect(helper.settings()).toMatchObject({ foo: 4 });
    helper._RED.settings.runtimeSyncDelivery = true;
    await helper.load(lowerCase, flow);
    const payloads: unknown[] = [];
    helper.getNode('n2').on('input', (msg: RED) => payloads.push(msg.payload));
    helper.getNode('n1').receive({ payload: 'A' });
    expect(payloads).toEqual(['a']);
    helper._settings = saved;
    expect(helper.settings()).not.toHaveProperty('foo');
  });

  it('listens to RED.events across loads, and counts the listeners of nodes', async () => {
    let started = 0;
    const listener = () => started++;
    helper._events.on('flows:started', listener);
    const listens = (RED: RED) => RED.events.on('flows:stopped', () => {});
    await helper.load(listens, []);
    expect(helper._events.listenerCount('flows:stopped')).toBe(1);
    await helper.load(lowerCase, flow);
    expect(helper._events.listenerCount('flows:stopped')).toBe(0);
    helper._events.off('flows:started', listener);
    await helper.load(lowerCase, flow);
    expect(started).toBe(2);
    let heard: unknown;
    await helper.load((RED: RED) => RED.events.on('mine', (data: unknown) => (heard = data)), []);
    expect(helper._RED.events.emit('mine', 5)).toBe(true);
    expect(heard).toBe(5);
  });

  it('stops and starts the flow, and tells what it is', async () => {
    await helper.load(lowerCase, flow);
    const before = helper.getNode('n1');
    await helper._redNodes.stopFlows();
    expect(helper.getNode('n1')).toBeNull();
    await helper._redNodes.startFlows();
    expect(helper.getNode('n1')).not.toBe(before);
    expect(helper._redNodes.getFlows().flows).toEqual(flow);
    expect(helper._redNodes.getNodeList()).toMatchObject([{ types: ['helper', 'lower-case'] }]);
    const ids: string[] = [];
    helper._RED.nodes.eachNode(({ id }: RED) => ids.push(id));
    expect(ids).toEqual(['n1', 'n2']);
  });

  it('stubs members of RED.util before load, and takes its spies off with unload', async () => {
    const real = helper._RED.util.generateId;
    // biome-ignore lint/suspicious/noExplicitAny: a sandbox of sinon, without its types
    const sandbox: any = helper._sandbox;
    sandbox.stub(helper._RED.util, 'generateId').returns('stubbed');
    let made: unknown;
    await helper.load((RED: RED) => {
      made = RED.util.generateId();
    }, []);
    expect(made).toBe('stubbed');
    await helper.unload();
    expect(helper._RED.util.generateId).toBe(real);
  });
});

describe('the server', () => {
  it('serves the routes of nodes, with callbacks or promises', async () => {
    await new Promise<void>((resolve) => helper.startServer(() => resolve()));
    try {
      await helper.load((RED: RED) => {
        RED.httpAdmin.get('/admin', RED.auth.needsPermission('x.read'), (_: RED, response: RED) =>
          response.json({ a: 1 }),
        );
        RED.httpNode.get('/node', (_: RED, response: RED) => response.send('node'));
        RED.server.on('request', (request: RED) => request.url === '/seen' && RED.log.info('seen'));
      }, []);
      await helper.request().get('/admin').expect(200, { a: 1 });
      expect(await (await fetch(`${helper.url()}/node`)).text()).toBe('node');
      expect((await fetch(`${helper.url()}/seen`)).status).toBe(404);
      expect(helper.log()?.args.flat()).toContainEqual(expect.objectContaining({ msg: 'seen' }));
    } finally {
      await new Promise<void>((resolve) => helper.stopServer(() => resolve()));
    }
    expect(() => helper.url()).toThrow('startServer');
  });
});

describe('requests', () => {
  it('are answered after the unload, for nodes that are gone', async () => {
    await helper.load((RED: RED) => {
      lowerCase(RED);
      RED.httpAdmin.post('/poke/:id', (request: RED, response: RED) =>
        response.sendStatus(RED.nodes.getNode(request.params.id) ? 200 : 404),
      );
    }, flow);
    await helper.request().post('/poke/n1').expect(200);
    await helper.unload();
    await helper.request().post('/poke/n1').expect(404);
  });
});

describe('sluice/testing', () => {
  it('loads from CommonJS as the helper itself, and has what else is named', () => {
    const file = fileURLToPath(new URL('./index.ts', import.meta.url));
    const code = `const helper = require(${JSON.stringify(file)});
      console.log(typeof helper.load, typeof helper.palette, typeof helper.NodeTestHelper, typeof helper.util.generateId)`;
    expect(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })).toBe(
      'function object function function\n',
    );
    expect(helper.palette).toBe(palette);
  });
});
