import { load } from '../load.ts';
import type { Group, Row } from '../row.ts';
import type { System } from '../systems.ts';

const tabs = 100;
const nodesPerTab = 99;

/** 10,000 items: tabs of change nodes in chains. */
export const tenThousand = Array.from({ length: tabs }, (_, t) => [
  { id: `t${t}`, type: 'tab', label: `Tab ${t}` },
  ...Array.from({ length: nodesPerTab }, (_, n) => ({
    id: `t${t}n${n}`,
    type: 'change',
    z: `t${t}`,
    name: `step ${n}`,
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: String(n), tot: 'num' }],
    x: 100 + (n % 10) * 150,
    y: 60 + Math.floor(n / 10) * 40,
    wires: [n + 1 < nodesPerTab ? [`t${t}n${n + 1}`] : []],
  })),
]).flat();

async function deploy(system: System, type: 'full' | 'nodes', name: string): Promise<number> {
  const changed = tenThousand.map((item) => (item.id === 't5n5' ? { ...item, name } : item));
  const begun = performance.now();
  const reply = await fetch(`${system.url}/flows`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Node-RED-API-Version': 'v2',
      'Node-RED-Deployment-Type': type,
    },
    body: JSON.stringify({ flows: changed }),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`deploy on ${system.name}: ${reply.status} ${text}`);
  return performance.now() - begun;
}

function deployRow(name: string, goal: number, type: 'full' | 'nodes'): Row {
  return {
    name,
    unit: 'ms',
    goal,
    async measure(system) {
      const times: number[] = [];
      for (let i = 0; i < 11; i++) times.push(await deploy(system, type, `renamed ${type} ${i}`));
      times.sort((a, b) => a - b);
      return { value: times[5] ?? Number.NaN };
    },
  };
}

/** Deploys of 10,000 nodes, until the answer, and reading them. */
export const deployGroup: Group = {
  name: 'deploy',
  setup: { flows: tenThousand },
  rows: [
    deployRow('deploy of 10,000 nodes, full', 0.3, 'full'),
    deployRow('deploy of 10,000 nodes, one changed', 0.05, 'nodes'),
    {
      name: 'GET /flows of 10,000 nodes',
      unit: 'per second',
      goal: 3,
      async measure(system) {
        const result = await load(system.port, { path: '/flows' }, { connections: 4, seconds: 3 });
        return { value: result.perSecond, p99: result.p99 };
      },
    },
  ],
};
