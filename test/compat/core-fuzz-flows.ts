import type { PlayedCase, Step } from '../support/side-by-side.ts';

/** A random number generator (mulberry32) of a seed, and what is drawn with it. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const payloads = [
  'hello',
  'a,b,c',
  'x\ny',
  '',
  5,
  -2.5,
  0,
  true,
  null,
  [3, 1, 2],
  ['b', 'a'],
  [],
  { a: 1, b: [1, 2] },
  {},
  [[1], [2, 3]],
  '{"j":[1,2]}',
];

const bodies = [
  'return msg;',
  'return [msg, null];',
  'return [null, msg];',
  'return [[msg, { payload: "two", topic: msg.topic }], msg];',
  'const n = (context.get("n") || 0) + 1; context.set("n", n); msg.n = n; return [msg, { payload: n }];',
  'node.send([msg, { payload: "sent" }]); node.send(msg);',
  'if (typeof msg.payload === "string") throw new Error("no texts"); return [msg, msg];',
  'if (typeof msg.payload !== "string") { node.error("texts only", msg); return null; } return [null, msg];',
  'node.status({ fill: "green", shape: "dot", text: "saw " + typeof msg.payload }); return [msg];',
  'await null; msg.waited = true; return [msg, msg];',
  'msg.env = [env.get("WORD"), env.get("NUM"), env.get("INNER"), env.get("GROUP")]; return [msg];',
  'msg.where = [node.name, env.get("NR_FLOW_NAME"), env.get("NR_GROUP_NAME"), env.get("NR_SUBFLOW_NAME")]; return [msg];',
  'msg.list = [msg.payload, msg.payload]; node.send([[msg, msg]]); node.done();',
  'setTimeout(() => { node.send(msg); node.done(); }, 1);',
  'delete msg._msgid; return [msg, msg];',
  'flow.set("f" + node.id, msg.payload); msg.payload = flow.get("f" + node.id); return msg;',
];

const rules = [
  { t: 'set', p: 'payload', pt: 'msg', to: '5', tot: 'num' },
  { t: 'set', p: 'payload', pt: 'msg', to: '{"a":[1,2]}', tot: 'json' },
  { t: 'set', p: 'payload', pt: 'msg', to: 'payload & "!"', tot: 'jsonata' },
  { t: 'set', p: 'payload', pt: 'msg', to: '$env("WORD")', tot: 'jsonata' },
  { t: 'set', p: 'payload', pt: 'msg', to: 'NUM', tot: 'env' },
  { t: 'set', p: 'payload', pt: 'msg', to: 'x ${GROUP} y', tot: 'env' },
  { t: 'set', p: 'topic', pt: 'msg', to: 'payload', tot: 'msg' },
  { t: 'set', p: 'payload.deep.er', pt: 'msg', to: 'topic', tot: 'msg', dc: true },
  { t: 'set', p: 'error', pt: 'msg', to: 'was', tot: 'str' },
  { t: 'delete', p: 'topic', pt: 'msg' },
  { t: 'delete', p: 'payload', pt: 'msg' },
  { t: 'delete', p: 'parts', pt: 'msg' },
  { t: 'move', p: 'payload', pt: 'msg', to: 'moved', tot: 'msg' },
  { t: 'move', p: 'topic', pt: 'msg', to: 'payload', tot: 'msg' },
  { t: 'change', p: 'payload', pt: 'msg', from: 'a', fromt: 'str', to: 'A', tot: 'str' },
  { t: 'change', p: 'payload', pt: 'msg', from: '5', fromt: 'num', to: 'five', tot: 'str' },
];

const tests = [
  { t: 'istype', v: 'string', vt: 'string' },
  { t: 'istype', v: 'array', vt: 'array' },
  { t: 'nnull' },
  { t: 'empty' },
  { t: 'gt', v: '1', vt: 'num' },
  { t: 'eq', v: 'NUM', vt: 'env' },
  { t: 'cont', v: 'a', vt: 'str' },
  { t: 'regex', v: '^h', vt: 'str', case: false },
  { t: 'neq', v: '', vt: 'prev' },
  { t: 'jsonata_exp', v: '$exists(topic)', vt: 'jsonata' },
  { t: 'else' },
];

/** A node by its type's configuration, with the number of its outputs. */
type Shape = readonly [config: object, outputs: number];

const shapes: readonly ((dice: Dice) => Shape)[] = [
  (dice) => [
    { type: 'function', func: dice.one(bodies), outputs: 2, libs: [], timeout: 0, initialize: setup(dice) },
    2,
  ],
  (dice) => [
    { type: 'function', func: dice.one(bodies), outputs: 2, libs: [], timeout: 0, initialize: '' },
    2,
  ],
  (dice) => [
    { type: 'change', rules: Array.from({ length: 1 + dice.below(3) }, () => ({ ...dice.one(rules) })) },
    1,
  ],
  (dice) => [
    {
      type: 'switch',
      property: 'payload',
      propertyType: 'msg',
      rules: [{ ...dice.one(tests) }, { ...dice.one(tests) }],
      checkall: dice.one(['true', 'false']),
      repair: false,
      outputs: 2,
    },
    2,
  ],
  (dice) => [
    {
      type: 'template',
      field: dice.one(['payload', 'text']),
      fieldType: 'msg',
      syntax: 'mustache',
      template: dice.one([
        '{{payload}}|{{topic}}',
        '{{env.WORD}}',
        '{{#payload}}<{{.}}>{{/payload}}',
        '[1,{{n}}]',
      ]),
      output: dice.one(['str', 'str', 'json', 'yaml']),
    },
    1,
  ],
  (dice) => [
    {
      type: 'split',
      splt: dice.one([',', '\\n']),
      spltType: 'str',
      arraySplt: dice.one([1, 2]),
      arraySpltType: 'len',
      stream: false,
      addname: dice.one(['', 'key']),
      property: 'payload',
    },
    1,
  ],
  () => [{ type: 'join', mode: 'auto', accumulate: 'false' }, 1],
  (dice) => [
    {
      type: 'join',
      mode: 'custom',
      build: dice.one(['array', 'string', 'object', 'merged']),
      property: 'payload',
      propertyType: 'msg',
      key: 'topic',
      joiner: '-',
      joinerType: 'str',
      count: dice.one(['2', '3']),
      accumulate: dice.chance(0.3),
      timeout: '',
    },
    1,
  ],
  (dice) => [
    {
      type: 'sort',
      order: dice.one(['ascending', 'descending']),
      as_num: dice.chance(0.5),
      target: 'payload',
      targetType: dice.one(['msg', 'seq']),
      msgKey: '',
      msgKeyType: 'elem',
      seqKey: 'payload',
      seqKeyType: 'msg',
    },
    1,
  ],
  (dice) => [
    {
      type: 'batch',
      mode: 'count',
      count: 1 + dice.below(3),
      overlap: dice.below(2),
      topics: [],
      honourParts: false,
    },
    1,
  ],
  () => [
    {
      type: 'delay',
      pauseType: 'delay',
      timeout: '0',
      timeoutUnits: 'milliseconds',
      rate: '1',
      nbRateUnits: '1',
      rateUnits: 'second',
      randomFirst: '1',
      randomLast: '5',
      randomUnits: 'seconds',
      drop: false,
      allowrate: false,
    },
    1,
  ],
  (dice) => [{ type: 'json', property: 'payload', action: dice.one(['', 'str', 'obj']), pretty: false }, 1],
  (dice) => [
    {
      type: 'rbe',
      func: dice.one(['rbe', 'rbei', 'deadband']),
      gap: '2',
      start: '',
      inout: 'out',
      septopics: dice.chance(0.5),
      property: 'payload',
      topi: 'topic',
    },
    1,
  ],
  () => [
    {
      type: 'range',
      minin: '0',
      maxin: '10',
      minout: '0',
      maxout: '100',
      action: 'scale',
      round: false,
      property: 'payload',
    },
    1,
  ],
  () => [{ type: 'junction' }, 1],
  () => [{ type: 'yaml', property: 'payload' }, 1],
];

function setup(dice: Dice): string {
  return dice.one([
    '',
    '',
    'context.set("n", 10);',
    'await new Promise((r) => setTimeout(r, 5)); context.set("n", 20);',
  ]);
}

interface Item {
  readonly id: string;
  readonly z: string;
  wires: string[][];
  readonly [property: string]: unknown;
}

/** Grows a flow: a tree of nodes, so that the order in which each is given its messages is certain. */
class Growth {
  readonly dice: Dice;
  readonly name: string;
  readonly items: object[] = [];
  #count = 0;

  constructor(name: string, dice: Dice) {
    this.name = name;
    this.dice = dice;
  }

  add(z: string, config: object, outputs = 1): Item {
    const id = `${this.name}-${this.#count++}`;
    const wires = Array.from({ length: outputs }, (): string[] => []);
    const item: Item = { x: 1, y: 1, name: `name of ${id}`, ...config, id, z, wires };
    this.items.push(item);
    return item;
  }

  keep(z: string, label: string): Item {
    // Several instances of a subflow meet in one list.
    const mark = z === this.name || label.startsWith('~') ? '' : '~';
    return this.add(z, { type: 'keep', name: mark + label, tab: this.name }, 0);
  }

  /** Lets a tree of `size` nodes grow on a node; gives its last node, whose outputs are free. */
  grow(
    root: Item,
    z: string,
    size: number,
    options: { groups?: readonly string[]; subflows?: readonly string[] },
  ): Item {
    const { dice } = this;
    const ends: [Item, number][] = root.wires.map((_, port) => [root, port]);
    let last = root;
    for (let i = 0; i < size && ends.length > 0; i++) {
      const at = dice.below(ends.length);
      const [from, port] = ends[at] as [Item, number];
      if (dice.chance(0.75)) ends.splice(at, 1);
      const node = this.#node(z, options);
      this.#connect(from, port, node.first);
      last = node.last;
      for (let output = 0; output < last.wires.length; output++) ends.push([last, output]);
      this.#watch(node.first, z);
    }
    for (const [from, port] of ends) {
      if (from === last && z !== this.name) continue;
      if (dice.chance(0.85)) this.#connect(from, port, this.keep(z, `after ${from.id} ${port}`));
    }
    return last;
  }

  #connect(from: Item, port: number, to: Item): void {
    from.wires[port]?.push(to.id);
  }

  #node(
    z: string,
    { groups = [], subflows = [] }: { groups?: readonly string[]; subflows?: readonly string[] },
  ) {
    const { dice } = this;
    const more = groups.length > 0 && dice.chance(0.4) ? { g: dice.one(groups) } : {};
    const kind = dice.next();
    if (kind < 0.06) {
      const out = this.add(z, { type: 'link out', mode: 'link', links: [], ...more }, 0);
      const into = this.add(z, { type: 'link in', links: [out.id], ...more });
      Object.assign(out, { links: [into.id] });
      return { first: out, last: into };
    }
    if (kind < 0.12) {
      const into = this.add(z, { type: 'link in', links: [] });
      const work = this.add(z, dice.one(shapes)(dice)[0], 1);
      const back = this.add(z, { type: 'link out', mode: 'return', links: [] }, 0);
      this.#connect(into, 0, work);
      this.#connect(work, 0, back);
      const call = this.add(z, {
        type: 'link call',
        links: [into.id],
        linkType: 'static',
        timeout: '30',
        ...more,
      });
      return { first: call, last: call };
    }
    if (kind < 0.25 && subflows.length > 0) {
      const env = dice.chance(0.6) ? [{ name: 'INNER', type: 'str', value: `given ${dice.below(9)}` }] : [];
      const use = this.add(z, { type: `subflow:${dice.one(subflows)}`, env, ...more }, 1);
      return { first: use, last: use };
    }
    const [config, outputs] = dice.one(shapes)(dice);
    const node = this.add(z, { ...config, ...more, ...(dice.chance(0.04) ? { d: true } : {}) }, outputs);
    return { first: node, last: node };
  }

  #watch(node: Item, z: string): void {
    const { dice } = this;
    const kind = dice.next();
    if (kind > 0.3) return;
    const type = dice.one(['catch', 'catch', 'complete', 'status']);
    // Two ids, of which one is nobody's: a list of one would be a reference, which a deploy follows.
    const watcher = this.add(z, { type, scope: [node.id, 'nobody'], uncaught: false });
    this.#connect(watcher, 0, this.keep(z, `${type} of ${node.id}`));
  }
}

/** A random flow on a tab of that name, with groups, subflows, links and watchers, and the messages to give it. */
export function randomCase(name: string, seed: number): PlayedCase {
  const dice = new Dice(seed);
  const growth = new Growth(name, dice);
  const [inner, outer] = [`${name}-si`, `${name}-so`];
  subflow(growth, inner, []);
  subflow(growth, outer, [inner]);
  const groups = [`${name}-g1`, `${name}-g2`];
  growth.items.push(
    {
      id: name,
      type: 'tab',
      label: `Tab ${name}`,
      env: [
        { name: 'WORD', type: 'str', value: 'tab' },
        { name: 'NUM', type: 'num', value: '5' },
      ],
    },
    {
      id: groups[0],
      type: 'group',
      z: name,
      name: 'G1',
      nodes: [],
      x: 1,
      y: 1,
      w: 1,
      h: 1,
      env: [{ name: 'GROUP', type: 'str', value: 'one' }],
    },
    {
      id: groups[1],
      type: 'group',
      z: name,
      g: groups[0],
      name: 'G2',
      nodes: [],
      x: 1,
      y: 1,
      w: 1,
      h: 1,
      env: [{ name: 'GROUP', type: 'env', value: '${WORD}/2' }],
    },
  );
  const steps: Step[] = [];
  for (let i = 0; i < 2; i++) {
    const props = [
      { p: 'payload', v: String(dice.below(9)), vt: 'num' },
      { p: 'topic', vt: 'env', v: dice.one(['WORD', 'NUM', 'NONE']) },
      { p: 'data', vt: 'jsonata', v: '{"x": [1, 2]}' },
    ];
    const root = growth.add(name, {
      type: 'inject',
      props,
      repeat: '',
      crontab: '',
      once: false,
      onceDelay: 0,
    });
    const first = growth.add(name, { type: 'junction' });
    root.wires[0]?.push(first.id);
    growth.grow(first, name, 3 + dice.below(9), { groups, subflows: [inner, outer] });
    steps.push({ to: root.id, msg: {} });
    for (let message = 0; message < 5; message++) {
      const msg = { _msgid: `m${message}`, payload: dice.one(payloads), topic: dice.one(['t', 'u', 7, '']) };
      steps.push({ to: first.id, msg });
    }
  }
  if (dice.chance(0.6)) {
    // What nobody else takes; in which order branches fail is open.
    const rest = growth.add(name, { type: 'catch', scope: null, uncaught: dice.chance(0.5) });
    rest.wires[0]?.push(growth.keep(name, '~rest').id);
    if (dice.chance(0.5)) {
      const ofGroup = growth.add(name, { type: 'catch', scope: 'group', uncaught: false, g: groups[0] });
      ofGroup.wires[0]?.push(growth.keep(name, '~group').id);
    }
  }
  return { flows: growth.items, steps };
}

function subflow(growth: Growth, id: string, subflows: readonly string[]): void {
  const { dice } = growth;
  const first = growth.add(id, { type: 'junction' });
  const last = growth.grow(first, id, 2 + dice.below(4), { subflows });
  const at = { x: 1, y: 1 };
  const shown = dice.chance(0.5);
  const status = growth.add(id, {
    type: 'function',
    func: 'msg.payload = "shown " + typeof msg.payload; return msg;',
    outputs: 1,
    libs: [],
  });
  first.wires[0]?.push(status.id);
  if (dice.chance(0.4)) {
    const type = dice.one(['catch', 'catch', 'status']);
    const inside = growth.add(id, { type, scope: null, uncaught: type === 'catch' && dice.chance(0.5) });
    inside.wires[0]?.push(growth.keep(id, `~caught in ${id}`).id);
  }
  growth.items.push({
    id,
    type: 'subflow',
    name: `Subflow ${id}`,
    info: '',
    in: [{ ...at, wires: [{ id: first.id }] }],
    out: [{ ...at, wires: last.wires.map((_, port) => ({ id: last.id, port })).slice(0, 1) }],
    env: [
      { name: 'INNER', type: 'str', value: `default of ${id}` },
      { name: 'NUM', type: 'num', value: '8' },
    ],
    ...(shown ? { status: { ...at, wires: [{ id: status.id, port: 0 }] } } : {}),
  });
}
