import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, give, logged, received } from '../../support/core-node.ts';

const place = { z: 'tab', x: 0, y: 0 };
const sink = (id: string) => ({ id, type: 'helper', ...place, wires: [] });

afterEach(() => helper.unload());

describe('inject', () => {
  beforeAll(async () => {
    await helper.startServer();
    return () => helper.stopServer();
  });

  it('sends its properties, of every type, when it is asked to', async () => {
    const props = [
      { p: 'payload', v: '{"a":1}', vt: 'json' },
      { p: 'topic', vt: 'str' },
      { p: 'count', v: '3', vt: 'num' },
      { p: 'sum', v: '1+2', vt: 'jsonata' },
      { p: 'now', v: '', vt: 'date' },
      { p: 'who', v: 'WHO', vt: 'env' },
    ];
    process.env['WHO'] = 'me';
    await helper.load(core('common/20-inject'), flowOf('inject', { props, topic: 'hello', once: false }));
    const message = await exchange('n1', {});
    expect(message).toMatchObject({ payload: { a: 1 }, topic: 'hello', count: 3, sum: 3, who: 'me' });
    expect(message['now']).toBeTypeOf('number');
  });

  it('sends by itself at the start, and again', async () => {
    const config = {
      props: [{ p: 'payload', v: 'x', vt: 'str' }],
      once: true,
      onceDelay: 0.001,
      repeat: '0.02',
    };
    await helper.load(core('common/20-inject'), flowOf('inject', config));
    expect((await received('out', 3)).map(({ payload }) => payload)).toEqual(['x', 'x', 'x']);
  });

  it('answers the route of its button', async () => {
    await helper.load(core('common/20-inject'), flowOf('inject', { props: [{ p: 'payload', v: 'x' }] }));
    const sent = received('out');
    await helper.request().post('/inject/n1').expect(200);
    await helper.request().post('/inject/none').expect(404);
    await sent;
    const changed = received('out');
    await helper
      .request()
      .post('/inject/n1')
      .send({ __user_inject_props__: [{ p: 'payload', v: 'other', vt: 'str' }] })
      .expect(200);
    expect(await changed).toMatchObject([{ payload: 'other' }]);
  });
});

describe('debug', () => {
  it('shows messages in the sidebar, the log and its status, and can be switched off', async () => {
    await helper.startServer();
    try {
      const config = { complete: 'payload', active: true, tosidebar: true, console: true, tostatus: true };
      await helper.load(
        core('common/21-debug'),
        flowOf('debug', { ...config, statusType: 'auto', name: 'D' }),
      );
      const socket = new WebSocket(`${helper.url().replace('http', 'ws')}/comms`);
      await new Promise((resolve) => socket.once('open', resolve));
      const frame = new Promise<{ topic: string; data: object }[]>((resolve) => {
        socket.on('message', (text) => {
          const messages = JSON.parse(String(text));
          if (messages.some(({ topic }: { topic: string }) => topic === 'debug')) resolve(messages);
        });
      });
      helper.getNode('n1').receive({ payload: { a: 1 }, topic: 't' });
      const shown = (await frame).find(({ topic }) => topic === 'debug');
      expect(shown?.data).toEqual({
        id: 'n1',
        z: 'tab',
        path: 'tab',
        name: 'D',
        topic: 't',
        property: 'payload',
        msg: '{"a":1}',
        format: 'Object',
      });
      expect(logged(40).map(String)).toContainEqual(expect.stringContaining('a: 1'));
      expect(helper.getNode('n1').status.lastCall.args[0]).toMatchObject({ text: '{ a: 1 }' });
      await helper.request().post('/debug/n1/disable').expect(201);
      expect(helper.getNode('n1').active).toBe(false);
      await helper.request().post('/debug/n1/enable').expect(200);
      await helper.request().post('/debug/none/enable').expect(404);
      socket.terminate();
    } finally {
      await helper.stopServer();
    }
  });
});

describe('catch, status and complete', () => {
  const failing = core('function/10-function');
  const flow = (func: string, watcher: object) => [
    { id: 'tab', type: 'tab' },
    { id: 'f', type: 'function', ...place, func, wires: [[]] },
    { id: 'w', ...place, wires: [['out']], ...watcher },
    sink('out'),
  ];

  it('catch gives the message with its error', async () => {
    await helper.load(
      failing,
      flow('throw new Error("oh " + msg.payload)', { type: 'catch', scope: null }) as never,
    );
    expect(await exchange('f', { payload: 1 })).toMatchObject({
      payload: 1,
      error: { message: 'Error: oh 1', source: { id: 'f', type: 'function', count: 1 } },
    });
  });

  it('status gives what a node shows', async () => {
    await helper.load(
      failing,
      flow('node.status({ fill: "red", text: "x" })', { type: 'status', scope: ['f'] }) as never,
    );
    expect(await exchange('f', {})).toMatchObject({
      status: { fill: 'red', text: 'x', source: { id: 'f', type: 'function' } },
    });
  });

  it('complete gives what a node has done with', async () => {
    await helper.load(failing, flow('msg.payload++', { type: 'complete', scope: ['f'] }) as never);
    expect(await exchange('f', { payload: 1 })).toMatchObject({
      payload: 2,
      complete: { source: { id: 'f', type: 'function' } },
    });
  });
});

describe('link', () => {
  const link = core('common/60-link');

  it('carries messages from link out to link in, across tabs', async () => {
    await helper.load(link, [
      { id: 'tab', type: 'tab' },
      { id: 'tab2', type: 'tab' },
      { id: 'lo', type: 'link out', ...place, mode: 'link', links: ['li'], wires: [] },
      { id: 'li', type: 'link in', ...place, z: 'tab2', links: ['lo'], wires: [['out']] },
      { ...sink('out'), z: 'tab2' },
    ]);
    expect(await exchange('lo', { payload: 1 })).toMatchObject({ payload: 1, _event: 'node:lo' });
  });

  it('calls and returns, by id and by name, and reports a call that is not answered', async () => {
    const called = [
      { id: 'li', type: 'link in', ...place, name: 'twice', links: [], wires: [['f']] },
      { id: 'f', type: 'function', ...place, func: 'msg.payload *= 2; return msg', wires: [['ret']] },
      { id: 'ret', type: 'link out', ...place, mode: 'return', links: [], wires: [] },
      { id: 'deaf', type: 'link in', ...place, name: 'deaf', links: [], wires: [[]] },
    ];
    const call = { type: 'link call', ...place, timeout: '0.02', wires: [['out']] };
    await helper.load(
      [link, core('function/10-function')],
      [
        { id: 'tab', type: 'tab' },
        ...called,
        { ...call, id: 'c1', linkType: 'static', links: ['li'] },
        { ...call, id: 'c2', linkType: 'dynamic', links: [] },
        { ...call, id: 'c3', linkType: 'static', links: ['deaf'] },
        { id: 'catch', type: 'catch', ...place, scope: ['c2', 'c3'], wires: [['err']] },
        sink('out'),
        sink('err'),
      ],
    );
    const answer = await exchange('c1', { payload: 2 });
    expect(answer['payload']).toBe(4);
    expect(answer).not.toHaveProperty('_linkSource');
    expect(await exchange('c2', { payload: 3, target: 'twice' })).toMatchObject({ payload: 6 });
    expect((await exchange('c2', { payload: 3, target: 'nobody' }, 'err'))['error'].message).toContain(
      'nobody',
    );
    expect((await exchange('c3', {}, 'err'))['error'].message).toBe('timeout');
  });
});

describe('junction, comment, unknown and global-config', () => {
  it('junction passes everything on', async () => {
    await helper.load(core('common/05-junction'), [
      { id: 'tab', type: 'tab' },
      { id: 'n1', type: 'junction', ...place, wires: [['n2']] },
      { id: 'n2', type: 'junction', ...place, wires: [['out']] },
      sink('out'),
    ]);
    expect((await give('n1', [{ payload: 1 }, { payload: 2 }])).map(({ payload }) => payload)).toEqual([
      1, 2,
    ]);
  });

  it('global-config gives every flow its env', async () => {
    await helper.load(
      [core('common/91-global-config'), core('function/15-change')],
      [
        { id: 'g', type: 'global-config', env: [{ name: 'WHERE', type: 'str', value: 'here' }], modules: {} },
        ...flowOf('change', { rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'WHERE', tot: 'env' }] }),
      ],
    );
    expect(await exchange('n1', {})).toMatchObject({ payload: 'here' });
  });

  it('comment and unknown are there and do nothing', async () => {
    await helper.load(
      [core('common/90-comment'), core('common/98-unknown')],
      [
        { id: 'tab', type: 'tab' },
        { id: 'c', type: 'comment', ...place, wires: [] },
        { id: 'u', type: 'unknown', ...place, wires: [] },
      ],
    );
    expect(helper.getNode('c')).toMatchObject({ type: 'comment' });
    expect(helper.getNode('u')).toMatchObject({ type: 'unknown' });
  });
});
