/**
 * How fast messages travel inside one process: `node bench/hops.ts`. Our own figures only, to see what a change of the
 * message path does; the comparison with the peer, over whole servers, is `npm run bench`.
 */
import { SluiceRig, type TestFlows } from '../test/support/flow-rig.ts';

/** A flow, where messages go in, and what arrives at `end` for each of them. */
interface Course {
  readonly name: string;
  readonly flows: TestFlows;
  readonly entry: string;
  readonly arriving: number;
  /** Deliveries for each message that arrives. */
  readonly hops: number;
}

const finishesAtOnce = "node[Symbol.for('sluice.batchable')] = true";
const item = (id: string, type: string, wires: string[], more: object = {}) => ({
  id,
  type,
  z: 't',
  x: 0,
  y: 0,
  wires: [wires],
  ...more,
});
const end = (own: boolean) => item('end', 'probe', [], own ? { init: finishesAtOnce } : {});
const chain = (type: string, more: object = {}) =>
  Array.from({ length: 10 }, (_, n) => item(`n${n}`, type, [n < 9 ? `n${n + 1}` : 'end'], more));

const courses: readonly Course[] = [
  { name: 'ten junctions', flows: [...chain('junction'), end(true)], entry: 'n0', arriving: 1, hops: 11 },
  {
    name: 'ten handlers',
    flows: [...chain('probe', { init: finishesAtOnce }), end(true)],
    entry: 'n0',
    arriving: 1,
    hops: 11,
  },
  {
    name: 'fan of ten copies',
    flows: [item('fan', 'junction', Array<string>(10).fill('end')), end(true)],
    entry: 'fan',
    arriving: 10,
    hops: 1,
  },
  {
    name: 'fan of ten copies, foreign receiver',
    flows: [item('fan', 'junction', Array<string>(10).fill('end')), end(false)],
    entry: 'fan',
    arriving: 10,
    hops: 1,
  },
  {
    name: 'link call and return',
    flows: [
      item('call', 'link call', ['end'], { links: ['in'] }),
      item('in', 'link in', ['out'], { links: [] }),
      item('out', 'link out', [], { mode: 'return', links: [] }),
      end(true),
    ],
    entry: 'call',
    arriving: 1,
    hops: 1,
  },
];

/** Deliveries per second, the best of some rounds. */
async function measure({ flows, entry, arriving, hops }: Course): Promise<number> {
  const rig = await SluiceRig.open();
  await rig.deploy(flows);
  // The handlers themselves, without what a probe does besides.
  for (const { id, type } of flows) {
    if (type !== 'probe' || id === 'end') continue;
    rig.node(id).removeAllListeners('input');
    rig.node(id).on('input', (message: unknown, send: (message: unknown) => void, done: () => void) => {
      send(message);
      done();
    });
  }
  let arrived = 0;
  rig.node('end').removeAllListeners('input');
  rig.node('end').on('input', () => {
    arrived++;
  });
  const rounds: number[] = [];
  for (let round = 0; round < 6; round++) {
    arrived = 0;
    const total = 20_000 * arriving;
    const started = performance.now();
    for (let sent = 0; arrived < total; await new Promise(setImmediate)) {
      const some = Math.min(sent + 200, 20_000);
      for (; sent < some; sent++) rig.inject(entry, { _msgid: 'm', payload: 'hello', topic: 't' });
    }
    rounds.push((total * hops * 1000) / (performance.now() - started));
  }
  await rig.close();
  return Math.max(...rounds);
}

for (const course of courses) {
  const perSecond = await measure(course);
  console.log(`${course.name.padEnd(40)} ${(perSecond / 1e6).toFixed(2).padStart(8)} million deliveries/s`);
}
