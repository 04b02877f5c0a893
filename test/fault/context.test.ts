import { describe, expect, it } from 'vitest';
import { node, tab } from '../support/flow-snippets.ts';
import { startServer, type TestServer } from '../support/server.ts';

const settings = {
  uiHost: '127.0.0.1',
  contextStorage: { default: { module: 'memory' }, db: { module: 'sqlite' } },
};

/** Counts in the store, in each scope, and says on the log what it has stored: that much is acknowledged. */
const count = `
  const n = (flow.get('n', 'db') || 0) + 1;
  flow.set('n', n, 'db');
  global.set('all.n', n, 'db');
  context.set(['n', 'same'], [n, { n }], 'db');
  node.warn('stored ' + n);
`;
const flows = [
  tab('t1'),
  node('tick', 'inject', 't1', ['count'], { props: [], repeat: '0.02', once: true, onceDelay: '0.01' }),
  node('count', 'function', 't1', [], { func: count, outputs: 0, libs: [] }),
];

/** The numbers that the log says were stored, in order. */
const stored = (log: string): number[] => [...log.matchAll(/stored (\d+)/g)].map((found) => Number(found[1]));

async function expectAtLeast(server: TestServer, least: number): Promise<void> {
  for (const path of ['flow/t1/n', 'global/all.n', 'node/count/n', 'node/count/same.n']) {
    const { body } = await server.get(`/context/${path}?store=db`);
    expect(Number(body.msg), path).toBeGreaterThanOrEqual(least);
  }
}

describe('what a flow stored in the sqlite store', () => {
  it('is there after kill -9 of the engine', async () => {
    await using server = await startServer({ settings, flows });
    for (let round = 1; round <= 2; round++) {
      const before = await server.enginePid();
      const from = stored(server.log()).length;
      await server.waitFor(() => stored(server.log()).length >= from + 10, 'ten more numbers stored');
      process.kill(before, 'SIGKILL');
      await server.enginePid(before);
      const last = Math.max(...stored(server.log()));
      await server.waitFor(() => Math.max(...stored(server.log())) > last, 'counting to go on');
      await expectAtLeast(server, last);
    }
    const numbers = stored(server.log());
    // Had an acknowledged number been lost, it would have been counted again.
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });

  it('is there after kill -9 of the control plane', async () => {
    const first = await startServer({ settings, flows });
    try {
      await first.waitFor(() => stored(first.log()).length >= 20, 'twenty numbers stored');
      await first.kill('SIGKILL');
      await first.stop();
      const last = Math.max(...stored(first.log()));
      await using second = await startServer({ userDir: first.userDir });
      await expectAtLeast(second, last);
      await second.waitFor(() => stored(second.log()).length > 0, 'counting to go on');
      expect(stored(second.log())[0]).toBeGreaterThan(last);
    } finally {
      await first[Symbol.asyncDispose]();
    }
  });
});
