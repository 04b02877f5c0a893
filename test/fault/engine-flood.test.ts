import { describe, expect, it } from 'vitest';
import { hello, route, startFaulty } from '../support/engine-faults.ts';

/** Two nodes that give each other two messages for each that they get. */
const storm = [
  ...route('storm', 'return msg;', { wires: [['out-storm', 'a']] }),
  ...['a', 'b'].map((id) => ({
    id,
    type: 'function',
    name: `node ${id}`,
    z: 'tab-storm',
    func: 'return [[{ payload: 1 }, { payload: 2 }]];',
    outputs: 1,
    libs: [],
    wires: [[id === 'a' ? 'b' : 'a']],
  })),
];

describe('an engine that is flooded with messages', () => {
  it('drops what does not fit into the queue, says for which node, and is healed by a deploy', async () => {
    await using faulty = await startFaulty({ flows: [...storm, ...hello], engine: { queueLimit: 20_000 } });
    const { server } = faulty;
    const { pid } = await faulty.until('running');
    expect((await server.get('/storm')).status).toBe(200);
    await server.waitFor(
      () => /The message queue is full: 20000 messages wait/.test(server.log()),
      'the error',
    );
    expect(server.log()).toMatch(
      /\[function:node [ab]\].*for this node \(function "node [ab]" [ab] in flow tab-storm\)/,
    );
    await faulty.deploy(hello);
    expect((await server.get('/hello')).text).toBe('hello');
    expect(await faulty.report()).toMatchObject({ state: 'running', pid, restarts: 0 });
    await server.waitFor(
      () => /The message queue has room again; \d+ messages were dropped/.test(server.log()),
      'the end',
    );
    expect((await faulty.answered()).unanswered).toEqual([]);
  });
});
