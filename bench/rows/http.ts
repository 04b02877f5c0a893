import { hashSync } from '@node-rs/bcrypt';
import { load, type Request } from '../load.ts';
import type { Group, Row } from '../row.ts';
import type { System } from '../systems.ts';

const password = 'bench-password';
// Cost 8 is what the peer's own command line makes; both systems check the same hash.
const hash = hashSync(password, { cost: 8 });
const settings = `adminAuth: { type: 'credentials', users: [{ username: 'bench', password: '${hash}', permissions: '*' }] }`;

const echo = [
  { id: 'tab', type: 'tab', label: 'echo' },
  { id: 'in', type: 'http in', z: 'tab', x: 1, y: 1, url: '/echo', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    type: 'function',
    z: 'tab',
    x: 1,
    y: 1,
    outputs: 1,
    func: 'msg.payload = { ok: true };\nreturn msg;',
    wires: [['out']],
  },
  {
    id: 'straight',
    type: 'http in',
    z: 'tab',
    x: 1,
    y: 1,
    url: '/straight',
    method: 'get',
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', x: 1, y: 1, wires: [] },
];

function form(system: System): string {
  const client = system.name === 'peer' ? 'node-red-admin' : 'svc-admin';
  return `client_id=${client}&grant_type=password&scope=*&username=bench&password=${password}`;
}

async function tokenOf(system: System): Promise<string> {
  const reply = await fetch(`${system.url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form(system)),
  });
  const { access_token } = (await reply.json()) as { access_token: string };
  return access_token;
}

function requestRow(
  name: string,
  goal: number,
  connections: number,
  request: (system: System) => Promise<Request>,
): Row {
  return {
    name,
    unit: 'per second',
    goal,
    async measure(system) {
      const wanted = await request(system);
      await load(system.port, wanted, { connections, seconds: 0.7 });
      const result = await load(system.port, wanted, { connections, seconds: 3 });
      if (result.failures > 0)
        throw new Error(`${name}: ${result.failures} answers of ${system.name} were not 200`);
      return { value: result.perSecond, p99: result.p99 };
    },
  };
}

const authorised = (path: string) => async (system: System) => ({
  path,
  headers: { Authorization: `Bearer ${await tokenOf(system)}`, Accept: 'application/json' },
});

/** Requests per second of the admin API and through flows. */
export const httpGroup: Group = {
  name: 'http',
  setup: { settings, flows: echo },
  rows: [
    requestRow('GET /auth/login', 1, 16, async () => ({ path: '/auth/login' })),
    requestRow('POST /auth/token', 1, 1, async (system) => ({
      method: 'POST',
      path: '/auth/token',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form(system),
    })),
    requestRow('GET /diagnostics', 3, 16, authorised('/diagnostics')),
    requestRow('GET /nodes', 3, 16, authorised('/nodes')),
    requestRow('http in → response', 1, 32, async () => ({ path: '/straight' })),
    requestRow('http in → function → response', 1.5, 32, async () => ({ path: '/echo' })),
  ],
};
