import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { countCalls, endpoint, node, tab } from '../support/flow-snippets.ts';
import { startPeer } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';

// What open editors hear of deploys, the same on both.

const settings = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  credentialSecret: 'a secret',
  runtimeState: { enabled: true, ui: true },
  logging: { console: { level: 'warn' } },
};
const fine = [tab('t1'), ...endpoint('f', 't1', '/f', countCalls)];

let both: readonly TestServer[] = [];
beforeAll(async () => {
  both = [await startServer({ settings, flows: fine }), await startPeer({ settings, flows: fine })];
});
afterAll(() => Promise.all(both.map((server) => server[Symbol.asyncDispose]())));

/** The notifications of the runtime that an editor hears while something is done, and the retained ones before. */
async function heard(server: TestServer, during: () => Promise<void>): Promise<unknown[]> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/comms`);
  const messages: { topic: string; data: unknown }[] = [];
  socket.on('message', (frame) => {
    const text = JSON.parse(String(frame));
    if (Array.isArray(text)) messages.push(...text);
  });
  await once(socket, 'open');
  socket.send('{"subscribe":"notification/#"}');
  await sleep(300);
  await during();
  await sleep(300);
  socket.close();
  return messages.filter(({ topic }) => /^notification\/runtime-/.test(topic));
}

type Do = (server: TestServer) => Promise<unknown>;
const deploy =
  (flows: readonly object[], type = 'full'): Do =>
  (server) =>
    server.post('/flows', { json: flows, headers: { 'Node-RED-Deployment-Type': type } });
const change =
  (state: string): Do =>
  (server) =>
    server.post('/flows/state', { json: { state } });

function same(name: string, steps: readonly Do[]): void {
  it(name, async () => {
    const all = await Promise.all(
      both.map((server) =>
        heard(server, async () => {
          for (const step of steps) {
            await step(server);
            // The peer answers before flows have started.
            await sleep(400);
          }
        }),
      ),
    );
    expect(all[0]?.length).toBeGreaterThan(0);
    expect(all[0]).toEqual(all[1]);
  });
}

same('a connection after the start', []);
same('deploys', [deploy(fine), deploy([...fine, tab('t2')], 'nodes'), deploy(fine, 'flows')]);
same('a reload', [(server) => server.post('/flows', { headers: { 'Node-RED-Deployment-Type': 'reload' } })]);
same('a missing type, and its end', [
  deploy([...fine, node('x', 'no-such-type', 't1', []), node('y', 'subflow:nope', 't1', [])]),
  deploy([...fine, tab('t3')], 'nodes'),
]);
same('stop, a deploy meanwhile, and start', [change('stop'), deploy(fine), change('start'), change('start')]);
