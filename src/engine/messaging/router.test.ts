import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Hooks } from './hooks.ts';
import { Router } from './router.ts';
import { batchable, type RoutableNode, type RoutingFlow, Terminal } from './terminal.ts';

/** What a node does: how many times it sends, and to which output, for a message that may still travel `hops` wires. */
interface Plan {
  readonly wires: readonly (readonly number[])[];
  readonly batchable: boolean;
  /** The outputs of each send; `-1` sends to all at once. */
  readonly sends: readonly number[];
}

interface Travelling {
  hops: number;
  trail: string;
}

/** The rule, in a few lines: one queue; what is sent goes to its end, by output, then wire. */
function expectedOrder(plans: readonly Plan[], first: Travelling): string[] {
  const queue: [number, Travelling][] = [[0, first]];
  const seen: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [at, message] = next;
    seen.push(`${at}:${message.trail}`);
    const plan = plans[at];
    if (plan === undefined || message.hops === 0) continue;
    for (const output of plan.sends) {
      plan.wires.forEach((ends, port) => {
        if (output !== -1 && output !== port) return;
        for (const end of ends) {
          if (end < plans.length)
            queue.push([end, { hops: message.hops - 1, trail: `${message.trail}${at}` }]);
        }
      });
    }
  }
  return seen;
}

/** The same with a router. */
async function routedOrder(plans: readonly Plan[], first: Travelling, hooked: boolean): Promise<string[]> {
  const seen: string[] = [];
  const hooks = new Hooks();
  const terminals = new Map<object, Terminal>();
  const nodes: RoutableNode[] = [];
  const router = new Router({
    hooks,
    log: { error: (text) => expect.unreachable(String(text)), warn() {}, metric: () => false },
    synchronous: false,
    terminalOf: (node) => terminals.get(node) as Terminal,
  });
  const flow: RoutingFlow = {
    getNode: (id) => nodes[Number(id)],
    handleComplete() {},
    send: (events) => router.route(events, flow),
  };
  plans.forEach((plan, at) => {
    const node: RoutableNode = {
      id: String(at),
      wires: plan.wires.map((ends) => ends.map(String)),
      _inputCallback: null,
      send: (message) => router.send(terminals.get(node) as Terminal, message),
      metric() {},
      error: (problem) => expect.unreachable(String(problem)),
      receive: (given) => {
        const { hops, trail } = given as Travelling;
        seen.push(`${at}:${trail}`);
        if (hops === 0) return;
        for (const output of plan.sends) {
          const message = () => ({ hops: hops - 1, trail: `${trail}${at}` });
          node.send(plan.wires.map((_, port) => (output === -1 || output === port ? message() : null)));
        }
      },
    };
    nodes.push(node);
    const terminal = new Terminal(node, flow);
    terminal.batchable = plan.batchable;
    terminals.set(node, terminal);
  });
  if (hooked) hooks.add('preDeliver', (_: unknown) => {});
  nodes[0]?.receive(first);
  while (router.queued > 0) await new Promise(setImmediate);
  return seen;
}

const plan = fc.record({
  wires: fc.array(fc.array(fc.nat(6), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  batchable: fc.boolean(),
  sends: fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 2 }),
});

describe('Router', () => {
  it('delivers in the order of one queue, by output, then wire', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 6 }),
        fc.nat(4),
        fc.boolean(),
        async (plans, hops, hooked) => {
          const first = { hops, trail: '' };
          expect(await routedOrder(plans, first, hooked)).toEqual(expectedOrder(plans, first));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('names the flag that node types set', () => {
    expect(batchable).toBe(Symbol.for('sluice.batchable'));
  });
});
