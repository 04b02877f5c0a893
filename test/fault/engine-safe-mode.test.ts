import { describe, expect, it } from 'vitest';
import { hello, route, startFaulty } from '../support/engine-faults.ts';

/** A flow that ends the process as soon as it is started. */
const deadly = [
  { id: 't', type: 'tab', label: 't' },
  {
    id: 'f',
    type: 'function',
    z: 't',
    func: 'return msg;',
    initialize: 'global.get("host").process.exit(9);',
    wires: [[]],
  },
];

describe('an engine that crashes again and again', () => {
  it('comes up in safe mode, says so, and is healed by a deploy', async () => {
    await using faulty = await startFaulty({ flows: [...deadly, ...hello] });
    const { server } = faulty;
    const report = await faulty.until('safe');
    expect(report.safe).toMatch(/crashed 3 times.*exit code 9/);
    expect(await faulty.flowState()).toBe('safe');
    expect(server.log()).toMatch(/Safe mode: the flows are not started/);
    const diagnostics = await server.get('/diagnostics', { token: faulty.token });
    expect(diagnostics.body.runtime.flows).toEqual({ state: 'safe', started: false });
    // Modules are loaded, flows are not started.
    const nodes = await server.get('/nodes', {
      token: faulty.token,
      headers: { accept: 'application/json' },
    });
    expect(nodes.body.find((set: { id: string }) => set.id === 'node-red/function')).toMatchObject({
      loaded: true,
    });
    expect((await server.get('/hello')).status).toBe(404);

    await faulty.deploy(hello);
    expect((await server.get('/hello')).text).toBe('hello');
    expect(await faulty.flowState()).toBe('start');
    expect((await faulty.report()).state).toBe('running');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('stays in safe mode when it is killed there', async () => {
    await using faulty = await startFaulty({ flows: deadly });
    const { pid } = await faulty.until('safe');
    process.kill(await faulty.server.enginePid(), 'SIGKILL');
    await faulty.server.waitFor(async () => {
      const now = await faulty.report();
      return now.state === 'safe' && now.pid !== pid;
    }, 'another engine in safe mode');
    expect(await faulty.flowState()).toBe('safe');
  });

  it('gets three chances again after a deploy that does not heal it', async () => {
    await using faulty = await startFaulty({ flows: deadly });
    const first = await faulty.until('safe');
    await faulty.server.post('/flows', { token: faulty.token, json: [...deadly, ...hello] });
    await faulty.server.waitFor(
      async () => (await faulty.report()).restarts >= first.restarts + 3,
      'three more crashes',
    );
    await faulty.until('safe');
    await faulty.deploy(hello);
    expect((await faulty.server.get('/hello')).text).toBe('hello');
  });

  it('is left as it is by crashes that are far apart', async () => {
    const die = route('die', 'global.get("host").process.exit(1);');
    await using faulty = await startFaulty({
      flows: [...die, ...hello],
      engine: { crashLimit: 2, crashWindowMs: 1 },
    });
    await faulty.until('running');
    for (let count = 1; count <= 3; count++) {
      await faulty.server.get('/die');
      await faulty.afterRestart(count);
    }
    expect(await faulty.flowState()).toBe('start');
  });
});
