import { afterEach, describe, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, give, logged, type Message, received } from '../../support/core-node.ts';

afterEach(() => helper.unload());

const payloads = (messages: readonly Message[]) => messages.map(({ payload }) => payload);

describe('function', () => {
  const functionNode = core('function/10-function');
  const load = (config: object, outputs = 1) =>
    helper.load(functionNode, flowOf('function', { outputs, ...config }, outputs));

  it('returns and sends, to several outputs, several messages, later', async () => {
    await load(
      {
        func: `node.send([[{ payload: 1 }, { payload: 2 }]]);
               setTimeout(() => { node.send([null, { payload: 'later' }]); node.done(); }, 1);
               return [{ payload: 3 }, null];`,
      },
      2,
    );
    const second = received('out2');
    expect(payloads(await give('n1', [{}], 'out', 3))).toEqual([1, 2, 3]);
    expect(payloads(await second)).toEqual(['later']);
  });

  it('reaches its contexts, env, and what the settings give every function', async () => {
    helper.settings({ functionGlobalContext: { given: { value: 7 } } });
    try {
      await helper.load(functionNode, [
        { id: 'tab', type: 'tab', env: [{ name: 'E', type: 'num', value: '5' }] },
        ...flowOf('function', {
          func: `context.set('c', (context.get('c') || 0) + 1);
                 flow.set('f.deep', 2); global.set('g', 3);
                 msg.payload = [context.get('c'), flow.get('f').deep, global.get('g'),
                   global.get('given').value, env.get('E'), flow.keys(), RED.util.generateId().length];
                 return msg;`,
        }).slice(1),
      ]);
      await exchange('n1', {});
      expect((await exchange('n1', {}))['payload']).toEqual([2, 2, 3, 7, 5, ['f'], 16]);
    } finally {
      helper.settings({});
    }
  });

  it('runs its setup before messages and its clean-up when it is stopped', async () => {
    await load({
      initialize: `await new Promise((go) => setTimeout(go, 20)); context.set('ready', true); node.send({ payload: 'up' });`,
      func: `return { payload: context.get('ready') };`,
      finalize: `node.warn('down');`,
    });
    helper.getNode('n1').receive({});
    expect(payloads(await received('out', 2))).toEqual(['up', true]);
    await helper.clearFlows();
    expect(logged(30)).toEqual(['down']);
  });

  it('uses modules that the settings allow', async () => {
    await load({
      libs: [
        { var: 'path', module: 'node:path' },
        { var: 'fs', module: 'fs' },
      ],
      func: `return { payload: [path.join('a', 'b'), typeof fs.readFileSync] };`,
    });
    expect((await exchange('n1', {}))['payload']).toEqual(['a/b', 'function']);
  });

  it('names the line of an error, and stops an endless loop at its time-out', async () => {
    await helper.load(functionNode, [
      ...flowOf('function', { func: 'const a = 1;\nmissing();' }),
      { id: 'n2', type: 'function', z: 'tab', x: 0, y: 0, timeout: 0.02, func: 'for (;;);', wires: [[]] },
      { id: 'c', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, wires: [['out']] },
    ]);
    expect((await exchange('n1', {}))['error'].message).toContain('missing is not defined (line 2');
    expect((await exchange('n2', {}))['error'].message).toContain('timed out');
  });
});

describe('switch', () => {
  const load = (config: object, outputs: number) =>
    helper.load(
      core('function/10-switch'),
      flowOf('switch', { property: 'payload', propertyType: 'msg', ...config }, outputs),
    );

  it.each([
    [{ t: 'eq', v: '5', vt: 'num' }, 5, 6],
    [{ t: 'neq', v: 'a', vt: 'str' }, 'b', 'a'],
    [{ t: 'lt', v: '5', vt: 'num' }, 4, 5],
    [{ t: 'gte', v: '5', vt: 'num' }, 5, 4],
    [{ t: 'btwn', v: '1', vt: 'num', v2: '3', v2t: 'num' }, 2, 4],
    [{ t: 'cont', v: 'ell', vt: 'str' }, 'hello', 'hi'],
    [{ t: 'regex', v: '^h.*O$', vt: 'str', case: true }, 'hello', 'oh'],
    [{ t: 'true' }, true, false],
    [{ t: 'null' }, null, 1],
    [{ t: 'empty' }, [], [1]],
    [{ t: 'istype', v: 'array', vt: 'array' }, [1], 'x'],
    [{ t: 'hask', v: 'k', vt: 'str' }, { k: 1 }, { l: 1 }],
    [{ t: 'jsonata_exp', v: 'payload > 3', vt: 'jsonata' }, 4, 3],
  ])('%o', async (rule, yes, no) => {
    await load({ rules: [rule, { t: 'else' }], checkall: 'true' }, 2);
    expect((await exchange('n1', { payload: yes }))['payload']).toEqual(yes);
    expect((await exchange('n1', { payload: no }, 'out2'))['payload']).toEqual(no);
  });

  it('stops at the first match where it should', async () => {
    const rules = [{ t: 'gt', v: '1', vt: 'num' }, { t: 'gt', v: '2', vt: 'num' }, { t: 'else' }];
    await load({ rules, checkall: 'false' }, 3);
    const others = [received('out2'), received('out3')];
    await exchange('n1', { payload: 5 });
    const none = Promise.race(others);
    expect(await Promise.race([none, new Promise((go) => setImmediate(() => go('none')))])).toBe('none');
  });
});

describe('change', () => {
  const load = (...rules: object[]) => helper.load(core('function/15-change'), flowOf('change', { rules }));

  it('sets, changes, moves and deletes, in order', async () => {
    await load(
      { t: 'set', p: 'a.b', pt: 'msg', to: 'payload', tot: 'msg' },
      { t: 'change', p: 'a.b', pt: 'msg', from: 'l+', fromt: 're', to: 'L', tot: 'str' },
      { t: 'move', p: 'topic', pt: 'msg', to: 'subject', tot: 'msg' },
      { t: 'delete', p: 'payload', pt: 'msg' },
      { t: 'set', p: 'sum', pt: 'msg', to: '$sum([1,2,n])', tot: 'jsonata' },
      { t: 'set', p: 'obj', pt: 'msg', to: '{"x":[1]}', tot: 'json' },
    );
    const message = await exchange('n1', { payload: 'hello', topic: 't', n: 3 });
    expect(message).toMatchObject({ a: { b: 'heLo' }, subject: 't', sum: 6, obj: { x: [1] } });
    expect(message).not.toHaveProperty('payload');
    expect(message).not.toHaveProperty('topic');
  });

  it('reaches flow and global context', async () => {
    await load(
      { t: 'set', p: 'kept', pt: 'flow', to: 'payload', tot: 'msg', dc: true },
      { t: 'set', p: 'payload', pt: 'msg', to: 'kept.deep', tot: 'flow' },
      { t: 'set', p: 'g', pt: 'global', to: '5', tot: 'num' },
    );
    expect((await exchange('n1', { payload: { deep: 1 } }))['payload']).toBe(1);
    expect(helper.getNode('n1').context().global.get('g')).toBe(5);
  });
});

describe('range', () => {
  it.each([
    ['scale', 25, 250],
    ['clamp', 12, 100],
    ['roll', 12, 20],
  ])('%s', async (action, payload, result) => {
    const config = { minin: '0', maxin: '10', minout: '0', maxout: '100', round: false, property: 'payload' };
    await helper.load(core('function/16-range'), flowOf('range', { ...config, action }));
    expect((await exchange('n1', { payload }))['payload']).toBe(result);
  });
});

describe('template', () => {
  const load = (config: object) =>
    helper.load(
      core('function/80-template'),
      flowOf('template', { field: 'payload', fieldType: 'msg', syntax: 'mustache', ...config }),
    );

  it('fills a template from the message, context and env', async () => {
    await load({ template: '{{payload.n}} {{{raw}}} {{raw}} {{flow.f}} {{global.g}} {{env.HOME_OF_TEST}}' });
    process.env['HOME_OF_TEST'] = 'env';
    helper.getNode('n1').context().flow.set('f', 'flow');
    helper.getNode('n1').context().global.set('g', 'global');
    expect((await exchange('n1', { payload: { n: 1 }, raw: '<b>' }))['payload']).toBe(
      '1 <b> &lt;b&gt; flow global env',
    );
  });

  it('parses what it made', async () => {
    await load({ template: '{"n":{{payload}}}', output: 'json' });
    expect((await exchange('n1', { payload: 5 }))['payload']).toEqual({ n: 5 });
    await helper.unload();
    await load({ template: 'n: {{payload}}', output: 'yaml' });
    expect((await exchange('n1', { payload: 5 }))['payload']).toEqual({ n: 5 });
  });

  it('takes its template from the message where it has none, and leaves plain text alone', async () => {
    await load({ template: '' });
    expect((await exchange('n1', { template: 'x{{payload}}', payload: 1 }))['payload']).toBe('x1');
    await helper.unload();
    await load({ template: '{{payload}}', syntax: 'plain' });
    expect((await exchange('n1', { payload: 1 }))['payload']).toBe('{{payload}}');
  });
});

describe('delay', () => {
  const load = (config: object) =>
    helper.load(
      core('function/89-delay'),
      flowOf('delay', {
        timeout: '0.01',
        timeoutUnits: 'seconds',
        rate: '1',
        nbRateUnits: '0.03',
        rateUnits: 'second',
        randomFirst: '0',
        randomLast: '0.01',
        randomUnits: 'seconds',
        drop: false,
        allowrate: false,
        outputs: 1,
        ...config,
      }),
    );

  it('delays, also by what the message says, and lets messages out at once or drops them', async () => {
    await load({ pauseType: 'delay' });
    expect(payloads(await give('n1', [{ payload: 1 }, { payload: 2 }]))).toEqual([1, 2]);
    await helper.unload();
    await load({ pauseType: 'delayv', timeout: '60' });
    expect(
      payloads(
        await give('n1', [
          { payload: 'slow', delay: 30 },
          { payload: 'quick', delay: 1 },
        ]),
      ),
    ).toEqual(['quick', 'slow']);
    await helper.unload();
    await load({ pauseType: 'delay', timeout: '60' });
    helper.getNode('n1').receive({ payload: 'waits' });
    expect(payloads(await give('n1', [{ flush: true }], 'out', 1))).toEqual(['waits']);
  });

  it('limits the rate, keeping what waits in order', async () => {
    await load({ pauseType: 'rate' });
    expect(
      payloads(
        await give(
          'n1',
          [1, 2, 3].map((payload) => ({ payload })),
        ),
      ),
    ).toEqual([1, 2, 3]);
    await helper.unload();
    await load({ pauseType: 'rate', drop: true, nbRateUnits: '60' });
    const [first] = await give(
      'n1',
      [1, 2, 3].map((payload) => ({ payload })),
      'out',
      1,
    );
    expect(first).toMatchObject({ payload: 1 });
  });
});

describe('trigger', () => {
  const load = (config: object) =>
    helper.load(
      core('function/89-trigger'),
      flowOf('trigger', {
        op1: '1',
        op1type: 'str',
        op2: '0',
        op2type: 'str',
        duration: '10',
        units: 'ms',
        extend: 'false',
        bytopic: 'all',
        ...config,
      }),
    );

  it('sends one thing, then another', async () => {
    await load({});
    expect(payloads(await give('n1', [{ payload: 'x' }], 'out', 2))).toEqual(['1', '0']);
  });

  it('can be extended, reset, and told apart by topic', async () => {
    await load({ op1type: 'nul', op2: 'payl', op2type: 'payl', extend: 'true' });
    expect(payloads(await give('n1', [{ payload: 1 }, { payload: 2 }], 'out', 1))).toEqual([2]);
    await helper.unload();
    await load({ bytopic: 'topic', duration: '60000' });
    expect(
      await give(
        'n1',
        [{ topic: 'a' }, { topic: 'b' }, { topic: 'a' }, { topic: 'a', reset: true }, { topic: 'a' }],
        'out',
        3,
      ),
    ).toMatchObject([
      { topic: 'a', payload: '1' },
      { topic: 'b', payload: '1' },
      { topic: 'a', payload: '1' },
    ]);
  });
});

describe('exec', () => {
  const load = (config: object) =>
    helper.load(
      core('function/90-exec'),
      flowOf('exec', { addpay: 'payload', append: '', useSpawn: 'false', timer: '', ...config }, 3),
    );

  it('gives output, errors and the return code of a command', async () => {
    await load({ command: 'echo out; echo err >&2; exit 3 #' });
    const [errors, code] = [received('out2'), received('out3')];
    expect((await exchange('n1', { payload: 'x' }))['payload']).toBe('out\n');
    expect(payloads(await errors)).toEqual(['err\n']);
    expect(await code).toMatchObject([{ payload: { code: 3 } }]);
  });

  it('streams a command that it spawns, and ends it when told', async () => {
    await load({ command: 'cat /dev/zero', addpay: '', useSpawn: 'true' });
    const ended = received('out3');
    const chunk = received('out');
    helper.getNode('n1').receive({});
    await chunk;
    helper.getNode('n1').receive({ kill: 'SIGKILL' });
    expect(await ended).toMatchObject([{ payload: { code: null, signal: 'SIGKILL' } }]);
  });
});

describe('rbe', () => {
  const load = (config: object) =>
    helper.load(
      core('function/rbe'),
      flowOf('rbe', {
        func: 'rbe',
        gap: '',
        start: '',
        inout: 'out',
        property: 'payload',
        topi: 'topic',
        septopics: true,
        ...config,
      }),
    );
  const values = (...list: unknown[]) => list.map((payload) => ({ payload, topic: 't' }));

  it('passes changes only', async () => {
    await load({});
    expect(payloads(await give('n1', values(1, 1, 2, 2, 1, { a: 1 }, { a: 1 }, 'end'), 'out', 5))).toEqual([
      1,
      2,
      1,
      { a: 1 },
      'end',
    ]);
  });

  it('knows a dead band', async () => {
    await load({ func: 'deadbandEq', gap: '10' });
    expect(payloads(await give('n1', values(0, 5, 10, 15, 30), 'out', 3))).toEqual([0, 10, 30]);
  });
});
