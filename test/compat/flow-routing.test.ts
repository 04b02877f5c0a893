import { describe } from 'vitest';
import { settle } from '../support/flow-rig.ts';
import { injecting, sameOnBoth, tab } from '../support/same-on-both.ts';

const probe = (id: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: 'probe',
  wires,
  ...more,
});
const sends = (id: string, wires: unknown[], what: string) => probe(id, wires, { code: `${what}; done()` });

describe('order', () => {
  const fan = [probe('a'), probe('b'), probe('c')];
  sameOnBoth(
    'one message to three wires',
    injecting(tab('t', [sends('s', [['a', 'b', 'c']], 'send(msg)'), ...fan]), ['s', { payload: 1 }]),
  );
  sameOnBoth(
    'wires that leave the inner list out',
    injecting(tab('t', [sends('s', ['ab', 'c'], 'send([msg, { payload: 2 }])'), ...fan]), [
      's',
      { payload: 1 },
    ]),
  );
  sameOnBoth(
    'by output, then wire, then message',
    injecting(
      tab('t', [
        sends('s', [['a', 'b'], ['c']], 'send([[{ payload: "A" }, { payload: "B" }], { payload: "C" }])'),
        ...fan,
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'branches of different length',
    injecting(
      tab('t', [
        sends('s', [['j1', 'a']], 'send(msg); send({ payload: 2 })'),
        { id: 'j1', type: 'junction', wires: [['j2']] },
        { id: 'j2', type: 'junction', wires: [['b']] },
        sends('a', [['c']], 'record("a" + msg.payload); send(msg)'),
        sends('b', [['c']], 'record("b" + msg.payload); send(msg)'),
        probe('c'),
      ]),
      ['s', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'promises and ticks of a node run before the next message',
    injecting(
      tab('t', [
        sends('s', [['a', 'b']], 'send(msg)'),
        probe('a', [['c']], {
          code: `process.nextTick(() => { record('tick'); send({ payload: 'tick' }); });
            Promise.resolve().then(() => { record('promise'); send({ payload: 'promise' }); }); record('a'); done();`,
        }),
        sends('b', [['c']], 'record("b"); send(msg)'),
        probe('c'),
      ]),
      ['s', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'send returns before receivers run',
    injecting(
      tab('t', [
        sends('s', [['a']], 'send(msg); record("sent"); setImmediate(() => record("immediate"))'),
        probe('a'),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'a node that sends to itself',
    injecting(
      tab('t', [
        probe('s', [['s', 'a']], { code: 'if (msg.n < 5) { msg.n++; send(msg) } done()' }),
        probe('a'),
      ]),
      ['s', { n: 0 }],
    ),
  );
  sameOnBoth(
    'synchronous delivery',
    injecting(
      tab('t', [
        sends('s', [['a', 'b']], 'send(msg); record("sent")'),
        sends('a', [['b']], 'msg.touched = true; record("a"); send(msg)'),
        probe('b'),
      ]),
      ['s', { payload: 1 }],
    ),
    { settings: { runtimeSyncDelivery: true } },
  );
});

describe('what is sent', () => {
  const two = [probe('a'), probe('b')];
  const cases: [string, string][] = [
    ['nothing', 'send(); send(null); send(undefined); send([]); send([null, undefined])'],
    ['fewer entries than outputs', 'send([msg])'],
    ['more entries than outputs', 'send([null, msg, { payload: "surplus" }])'],
    ['sequences with gaps', 'send([[null, msg, undefined, { payload: 2 }], null])'],
    ['text, numbers and booleans', 'send("text"); send(5); send(true); send(["x", 5]); send([["y", msg]])'],
    ['a function', 'send(function () {})'],
    ['an empty list of messages', 'send([[], []])'],
    ['the same object twice', 'send([msg, msg]); msg.late = true'],
    ['nested lists', 'send([[["x"], msg]])'],
    ['a frozen message', 'send(Object.freeze({ payload: 2 }))'],
    ['sealed and frozen messages', 'send([Object.seal({ payload: 2 }), [Object.freeze({}), msg]])'],
    ['a text that is an object', 'send(Object("text"))'],
  ];
  for (const [name, code] of cases) {
    sameOnBoth(name, injecting(tab('t', [sends('s', [['a'], ['b']], code), ...two]), ['s', { payload: 1 }]));
    sameOnBoth(
      `${name}, one wire`,
      injecting(tab('t', [sends('s', [['a']], code), ...two]), ['s', { payload: 1 }]),
    );
    sameOnBoth(
      `${name}, no wire`,
      injecting(tab('t', [sends('s', [[]], code), ...two]), ['s', { payload: 1 }]),
    );
  }
  sameOnBoth(
    'wires to nodes that are not there',
    injecting(tab('t', [sends('s', [['x', 'a', 'y'], ['a']], 'send([msg, msg]); msg.late = 1'), ...two]), [
      's',
      {},
    ]),
  );
  sameOnBoth(
    'a wire to a disabled node',
    injecting(tab('t', [sends('s', [['a', 'b']], 'send(msg)'), { ...probe('a'), d: true }, probe('b')]), [
      's',
      {},
    ]),
  );
  sameOnBoth(
    'a wire to another tab',
    injecting([...tab('t', [sends('s', [['b']], 'send(msg)')]), ...tab('u', [probe('b')])], ['s', {}]),
  );
});

describe('copies', () => {
  sameOnBoth(
    'the first event has the object itself, the others copies',
    injecting(
      tab('t', [
        sends('s', [['a', 'b'], ['c']], 'RED.kept = msg; send([msg, msg]); msg.afterwards = true'),
        ...['a', 'b', 'c'].map((id) =>
          probe(id, [], { code: 'record([node.id, msg === RED.kept, msg.afterwards])' }),
        ),
      ]),
      ['s', { payload: { deep: [1] } }],
    ),
  );
  sameOnBoth(
    'different objects are copied too, but the first',
    injecting(
      tab('t', [
        sends('s', [['a']], 'const x = { n: 1 }; const y = { n: 2 }; RED.kept = [x, y]; send([[x, y]])'),
        probe('a', [], { code: 'record([msg.n, RED.kept.includes(msg)])' }),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'what kinds of values copies have',
    injecting(
      tab('t', [
        sends(
          's',
          [['a', 'b']],
          `class Point { constructor() { this.x = 1 } get twice() { return 2 } }
           msg.point = new Point(); msg.date = new Date(5); msg.map = new Map([[1, { a: 1 }]]); msg.set = new Set([1]);
           msg.re = /x/gi; msg.buffer = Buffer.from('abc'); msg.typed = new Uint16Array([1, 2]); msg.error = new TypeError('t');
           msg.fn = () => 1; msg.self = msg; msg.req = { r: 1 }; msg.res = { s: 1 }; msg[Symbol.for('s')] = { y: 1 };
           msg.nothing = null; msg.undef = undefined; msg.list = [1, , 3]; msg.proto = Object.create(null);
           msg.boxed = new Number(4); RED.kept = msg; send(msg)`,
        ),
        probe('b', [], {
          code: `const k = RED.kept; const tag = (v) => Object.prototype.toString.call(v);
            record({ tags: Object.keys(msg).sort().map((key) => [key, tag(msg[key])]), same: Object.keys(msg).sort().filter((key) => msg[key] === k[key]),
              self: msg.self === msg, twice: msg.point.twice, map: [...msg.map], set: [...msg.set], re: [msg.re.flags, msg.re.source],
              buffer: msg.buffer.toString(), isBuffer: Buffer.isBuffer(msg.buffer), typed: [...msg.typed], symbol: msg[Symbol.for('s')],
              list: [msg.list.length, 1 in msg.list], proto: Object.getPrototypeOf(msg.proto) === Object.prototype, boxed: msg.boxed + 0 })`,
        }),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'a message that is a class instance',
    injecting(
      tab('t', [
        sends(
          's',
          [['a', 'b']],
          'class Mine { constructor() { this.v = { n: 1 } } }; RED.Mine = Mine; send(new Mine())',
        ),
        ...['a', 'b'].map((id) => probe(id, [], { code: 'record([node.id, msg instanceof RED.Mine, msg])' })),
      ]),
      ['s', {}],
    ),
  );
});

describe('_msgid', () => {
  const cases: [string, string][] = [
    ['kept', 'send(msg)'],
    ['made for one', 'send({ payload: 1 })'],
    ['shared in a sequence', 'send([[{ n: 1 }, { n: 2 }]])'],
    [
      'taken from the first that has one',
      'send([[{ n: 1 }, { n: 2, _msgid: "own" }, { n: 3, _msgid: "other" }], { n: 4 }])',
    ],
    [
      'not taken from an output without wires',
      'send([null, null, { n: 1, _msgid: "own" }]); send([{ n: 2 }, null, { n: 3, _msgid: "own" }])',
    ],
    ['empty text is none', 'send({ _msgid: "" })'],
  ];
  for (const [name, code] of cases) {
    sameOnBoth(
      name,
      injecting(tab('t', [sends('s', [['a', 'b'], ['b'], []], code), probe('a'), probe('b')]), ['s', {}]),
    );
  }
  sameOnBoth(
    'same id for all of one send',
    injecting(
      tab('t', [
        sends('s', [['a']], 'send([[{ n: 1 }, { n: 2 }]]); send([[{ n: 3 }]])'),
        probe('a', [], {
          code: 'RED.ids = [...(RED.ids || []), msg._msgid]; if (msg.n === 3) { record([RED.ids[0] === RED.ids[1], RED.ids[1] === RED.ids[2]]); delete RED.ids }',
        }),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth('receive makes one', async (rig) => {
    await rig.deploy(tab('t', [probe('a')]));
    rig.node('a').receive();
    rig.node('a').receive({ payload: 1 });
    rig.node('a').receive(null);
    await settle();
  });
});

describe('handlers', () => {
  for (const parameters of [0, 1, 2, 3, 4]) {
    sameOnBoth(
      `an input handler with ${parameters} parameters`,
      injecting(
        tab('t', [
          probe('s', [['a']], {
            parameters,
            code: 'record([typeof msg, typeof send, typeof done]); node.send({ payload: 2 }); if (done) done()',
          }),
          probe('a'),
          { id: 'c', type: 'complete', scope: ['s'], wires: [['d']] },
          probe('d'),
        ]),
        ['s', {}],
      ),
    );
  }
  sameOnBoth(
    'several handlers',
    injecting(
      tab('t', [
        probe('s', [['a']], {
          init: `node.on('input', (msg, send, done) => { record('second'); send({ payload: 'second' }); done() });
            node.on('input', function (msg) { record(['third', this === node]) })`,
          code: 'record("first"); send({ payload: "first" }); done()',
        }),
        probe('a'),
        { id: 'c', type: 'complete', scope: ['s'], wires: [['d']] },
        probe('d'),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'one of several handlers fails',
    injecting(
      tab('t', [
        probe('s', [['a']], {
          init: `node.on('input', (msg, send, done) => { record('second'); done(new Error('no')) });
            node.on('input', () => { throw new Error('thrown') })`,
          code: 'done()',
        }),
        { id: 'c', type: 'complete', scope: ['s'], wires: [['d']] },
        { id: 'e', type: 'catch', wires: [['d']] },
        probe('d'),
      ]),
      ['s', {}],
    ),
  );
  sameOnBoth(
    'done twice',
    injecting(
      tab('t', [
        probe('s', [], { code: 'done(); done()' }),
        { id: 'c', type: 'complete', scope: ['s'], wires: [['d']] },
        probe('d'),
      ]),
      ['s', { payload: 1 }],
    ),
  );
  sameOnBoth(
    'handlers taken away',
    injecting(
      tab('t', [
        probe('s', [], {
          init: `const once = () => record('once'); node.on('input', once); node.on('input', () => record('stays'));
          node.removeListener('input', once); 
          node.on('other', () => record('other')); node.emit('other'); node.removeAllListeners('other'); node.emit('other')`,
          code: 'record("code"); if (msg.n === 2) node.removeAllListeners("input")',
        }),
      ]),
      ['s', { n: 1 }],
      ['s', { n: 2 }],
      ['s', { n: 3 }],
    ),
  );
  sameOnBoth(
    'emit of input',
    injecting(
      tab('t', [
        probe('s', [], { code: 'if (msg.n < 2) node.emit("input", { n: msg.n + 1 }); record(msg.n)' }),
      ]),
      ['s', { n: 0 }],
    ),
  );
  sameOnBoth('send in a constructor', async (rig) => {
    await rig.deploy(
      tab('t', [probe('a'), probe('s', [['a', 'b']], { init: 'node.send({ payload: 1 })' }), probe('b')]),
    );
    await settle();
  });
  sameOnBoth(
    'updateWires',
    injecting(
      tab('t', [
        probe('s', [['a']], {
          code: 'if (msg.wires) node.updateWires(msg.wires); node.send({ n: msg.n }); record([node._wireCount, node._wire, node.wires])',
        }),
        probe('a'),
        probe('b'),
      ]),
      ['s', { n: 1 }],
      ['s', { n: 2, wires: [['b']] }],
      ['s', { n: 3, wires: [['a', 'b']] }],
      ['s', { n: 4, wires: [] }],
      ['s', { n: 5, wires: [[], ['b']] }],
    ),
  );
  sameOnBoth('the properties of a node', async (rig) => {
    await rig.deploy([
      ...tab('t', [
        probe('a', [['b']], { name: 'N', g: 'g1' }),
        probe('b', []),
        probe('c', [['a', 'b'], []]),
        { id: 'j', type: 'junction', wires: [['a']] },
      ]),
      { id: 'cfg', type: 'config', name: '' },
      { id: 'sec', type: 'secret' },
    ]);
    return ['a', 'b', 'c', 'j', 'cfg', 'sec'].map((id) => {
      const node = rig.node(id);
      const shown: [string, unknown][] = [];
      for (const key in node)
        if (Object.hasOwn(node, key)) shown.push([key, typeof node[key] === 'function' ? 'f' : node[key]]);
      return [shown, typeof node._flow, node._path];
    });
  });
  sameOnBoth(
    'metrics',
    async (rig) => {
      await rig.deploy(
        tab('t', [
          sends(
            's',
            [['a'], ['a']],
            'send([msg, { x: 1 }]); record(node.metric()); node.metric("own", msg, 5)',
          ),
          probe('a', [], { code: 'done(new Error("x"))' }),
        ]),
      );
      rig.inject('s', { _msgid: 'm' });
      await settle();
      return rig.logged.filter((record) => record.level === 99);
    },
    { settings: { metrics: true } },
  );
});
