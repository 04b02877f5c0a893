import type { Group, Row } from '../row.ts';
import { answers, type System } from '../systems.ts';

type Item = Record<string, unknown>;

/** A chain of nodes between a probe's source and its sink; `links` of the last one are filled in. */
function chain(probe: string, nodes: readonly Item[], payload?: unknown): Item[] {
  const ids = nodes.map((_, i) => `${probe}-${i}`);
  const source = {
    ...at(probe),
    id: `${probe}-source`,
    type: 'probe source',
    probe,
    payload: payload === undefined ? '' : JSON.stringify(payload),
    wires: [[ids[0]]],
  };
  const sink = { ...at(probe), id: `${probe}-sink`, type: 'probe sink', probe, wires: [] };
  const middle = nodes.map((node, i) => ({
    ...at(probe),
    id: ids[i],
    wires: Array.from({ length: Number(node['outputs'] ?? 1) }, () => [ids[i + 1] ?? sink.id]),
    ...node,
  }));
  return [{ id: `tab-${probe}`, type: 'tab', label: probe }, source, ...middle, sink];
}

const at = (probe: string) => ({ z: `tab-${probe}`, x: 10, y: 10 });

const func = (body: string) => ({ type: 'function', func: body, outputs: 1 });
const change = (...rules: readonly object[]) => ({ type: 'change', rules });
const set = (p: string, to: unknown, tot = 'str') => ({ t: 'set', p, pt: 'msg', to, tot });
const pass = {
  type: 'switch',
  property: 'topic',
  propertyType: 'msg',
  rules: [{ t: 'eq', v: 't', vt: 'str' }],
  checkall: 'true',
  outputs: 1,
};

const record = {
  id: 12345,
  name: 'sensor in the north hall',
  values: [1, 2, 3, 4, 5, 6, 7, 8],
  place: { floor: 2, room: 'N-17', tags: ['heat', 'north', 'public'] },
  note: 'a text that makes it about two hundred bytes long',
};

function fanout(probe: string, width: number): Item[] {
  const ids = Array.from({ length: width }, (_, i) => `${probe}-${i}`);
  return [
    { id: `tab-${probe}`, type: 'tab', label: probe },
    {
      ...at(probe),
      id: `${probe}-source`,
      type: 'probe source',
      probe,
      payload: JSON.stringify(record),
      wires: [ids],
    },
    ...ids.map((id) => ({ ...at(probe), id, type: 'junction', wires: [[`${probe}-sink`]] })),
    { ...at(probe), id: `${probe}-sink`, type: 'probe sink', probe, wires: [] },
  ];
}

const subflows: Item[] = [
  {
    id: 'inner',
    type: 'subflow',
    name: 'inner',
    in: [{ x: 1, y: 1, wires: [{ id: 'inner-a' }] }],
    out: [{ x: 1, y: 1, wires: [{ id: 'inner-c', port: 0 }] }],
    env: [],
  },
  { id: 'inner-a', type: 'change', z: 'inner', x: 1, y: 1, rules: [set('a', '1')], wires: [['inner-b']] },
  { id: 'inner-b', z: 'inner', x: 1, y: 1, ...pass, wires: [['inner-c']] },
  { id: 'inner-c', type: 'change', z: 'inner', x: 1, y: 1, rules: [set('b', '2')], wires: [[]] },
  {
    id: 'outer',
    type: 'subflow',
    name: 'outer',
    in: [{ x: 1, y: 1, wires: [{ id: 'outer-i' }] }],
    out: [{ x: 1, y: 1, wires: [{ id: 'outer-i', port: 0 }] }],
    env: [],
  },
  { id: 'outer-i', type: 'subflow:inner', z: 'outer', x: 1, y: 1, wires: [[]] },
];

const linked: Item[] = [
  {
    id: 'callee',
    type: 'link in',
    z: 'tab-link',
    x: 1,
    y: 1,
    name: 'callee',
    links: [],
    wires: [['callee-out']],
  },
  { id: 'callee-out', type: 'link out', z: 'tab-link', x: 1, y: 1, mode: 'return', links: [], wires: [] },
];

const template = {
  type: 'template',
  field: 'payload',
  fieldType: 'msg',
  format: 'handlebars',
  syntax: 'mustache',
  output: 'str',
  template:
    '{{payload.id}} {{payload.name}} {{payload.note}} {{payload.place.floor}} {{payload.place.room}} {{topic}} {{payload.values.0}} {{payload.values.1}} {{payload.values.2}} {{payload.values.3}}',
};

const mqtt: Item[] = [
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: '1883',
    clientid: '',
    autoConnect: true,
    keepalive: '60',
    cleansession: true,
  },
  { id: 'tab-mqtt', type: 'tab', label: 'mqtt' },
  { ...at('mqtt'), id: 'm-source', type: 'probe source', probe: 'mqtt', payload: '', wires: [['m-send']] },
  {
    ...at('mqtt'),
    id: 'm-send',
    type: 'mqtt out',
    topic: 'sluice-bench/a',
    qos: '0',
    retain: 'false',
    broker: 'broker',
    wires: [],
  },
  {
    ...at('mqtt'),
    id: 'm-in',
    type: 'mqtt in',
    topic: 'sluice-bench/a',
    qos: '0',
    datatype: 'auto-detect',
    broker: 'broker',
    wires: [['m-fn']],
  },
  { ...at('mqtt'), id: 'm-fn', ...func('msg.topic = "sluice-bench/b";\nreturn msg;'), wires: [['m-out']] },
  {
    ...at('mqtt'),
    id: 'm-out',
    type: 'mqtt out',
    topic: '',
    qos: '0',
    retain: 'false',
    broker: 'broker',
    wires: [],
  },
  {
    ...at('mqtt'),
    id: 'm-back',
    type: 'mqtt in',
    topic: 'sluice-bench/b',
    qos: '0',
    datatype: 'auto-detect',
    broker: 'broker',
    wires: [['m-sink']],
  },
  { ...at('mqtt'), id: 'm-sink', type: 'probe sink', probe: 'mqtt', wires: [] },
];

const double = func('msg.payload = msg.payload * 2;\nreturn msg;');
const touch = func('msg.payload.seen = true;\nreturn msg;');

const flows: readonly Item[] = [
  ...chain(
    'junctions',
    Array.from({ length: 10 }, () => ({ type: 'junction' })),
  ),
  ...chain('mixed', [double, change(set('topic', 't')), pass, double, change(set('topic', 't')), pass]),
  ...chain('object', [change(set('topic', 't')), pass, touch], record),
  ...fanout('fanout', 10),
  ...subflows,
  ...chain('subflow', [{ type: 'subflow:outer' }]),
  ...chain('link', [{ type: 'link call', links: ['callee'], linkType: 'static', timeout: '30' }]),
  ...linked,
  ...chain(
    'split',
    [
      { type: 'split', splt: '\\n', spltType: 'str', arraySplt: 1, arraySpltType: 'len' },
      { type: 'join', mode: 'auto' },
    ],
    Array.from({ length: 1000 }, (_, i) => i),
  ),
  ...chain('jsonata', [change(set('sum', '$sum(payload.values)', 'jsonata'))], record),
  ...chain('template', [template], record),
  ...mqtt,
];

function messageRow(name: string, goal: number, probe: string, count: number, query = ''): Row {
  return {
    name,
    unit: 'per second',
    goal,
    async measure(system: System) {
      const run = async (messages: number) => {
        const reply = await fetch(`${system.url}/probe/${probe}?count=${messages}${query}`);
        if (!reply.ok) throw new Error(`${name}: ${system.name} answered ${reply.status}`);
        return (await reply.json()) as { count: number; arrived: number; ms: number };
      };
      await answers(`${system.url}/probe/${probe}?count=1${query}`);
      await run(Math.ceil(count / 5));
      const { arrived, ms } = await run(count);
      return { value: arrived / (ms / 1000) };
    },
  };
}

/** Messages per second through flows, counted inside the engine. */
export const messagesGroup: Group = {
  name: 'messages',
  setup: { flows },
  rows: [
    messageRow('ten junctions in a row', 10, 'junctions', 200_000),
    messageRow('function, change, switch, twice', 5, 'mixed', 60_000),
    messageRow('change, switch, function; 200-byte object', 3, 'object', 100_000),
    messageRow('fan-out to ten with clones', 3, 'fanout', 30_000, '&fanout=10'),
    messageRow('subflow of three nodes, nested twice', 5, 'subflow', 60_000),
    messageRow('link call and return', 5, 'link', 60_000),
    messageRow('split 1,000 and join', 2, 'split', 60, '&window=1'),
    messageRow('JSONata in a change node', 1.5, 'jsonata', 20_000),
    messageRow('template with ten fields', 1.5, 'template', 20_000),
    // Small windows would measure how long TCP waits for acknowledgements.
    messageRow('MQTT in → function → MQTT out', 1.2, 'mqtt', 30_000, '&window=3000'),
  ],
};
