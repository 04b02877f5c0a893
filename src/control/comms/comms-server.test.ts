import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { everybody } from '../auth/principal.ts';
import { CommsServer, type CommsServerDeps } from './comms-server.ts';
import { CommsHub } from './hub.ts';

/** What the tests say of a server; nobody listens to the rest. */
interface Served extends Pick<CommsServerDeps, 'hub' | 'strangerMs'> {
  readonly auth: Pick<CommsServerDeps['auth'], 'enabled' | 'anonymous' | 'principalOf'>;
}

async function serve(http: Server, { auth, ...more }: Served): Promise<CommsServer> {
  const comms = new CommsServer({
    ...more,
    path: '/comms',
    keepAliveMs: 60_000,
    auth: { ...auth, onTokenDead: () => () => {}, ownTokenIn: () => undefined },
    onMessage: () => {},
    onConnection: () => {},
    onClose: () => {},
  });
  http.removeAllListeners('upgrade');
  http.on('upgrade', (request, socket, head) => comms.handleUpgrade(request, socket, head));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return comms;
}

function addressOf(http: Server): string {
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/comms`;
}

describe('CommsServer', () => {
  const hub = new CommsHub();
  const http = createServer();
  let comms: CommsServer;
  let client: WebSocket;
  const frames: { topic: string; data: { msg?: string } }[][] = [];

  beforeEach(async () => {
    comms = await serve(http, {
      hub,
      auth: { enabled: false, anonymous: async () => everybody, principalOf: async () => everybody },
    });
    client = new WebSocket(addressOf(http));
    client.on('message', (frame) => frames.push(JSON.parse(String(frame))));
    await once(client, 'open');
  });
  afterEach(() => {
    client.terminate();
    comms.close();
    http.close();
  });

  it('keeps little for an editor that does not read at all, and tells it of the gap', async () => {
    const { _socket: raw } = client as unknown as { _socket: Socket };
    raw.pause();
    const count = 50;
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < count; n++) {
      hub.publish('debug', { msg: megabyte });
      // Each in a frame of its own, so that the socket fills up.
      await sleep(60);
    }
    hub.publish('notification/runtime-state', { state: 'start' });
    raw.resume();
    const isNotice = ({ msg }: { msg?: string }) => msg?.includes('were not shown');
    await expect.poll(() => frames.flat().some(({ data }) => isNotice(data)), { timeout: 10_000 }).toBe(true);
    const heard = frames.flat();
    const shown = heard.filter(({ data }) => data.msg?.length === megabyte.length).length;
    expect(shown).toBeLessThan(count);
    expect(heard.at(-1)?.data.msg).toContain(`${count - shown} debug messages`);
    expect(heard.at(-2)?.topic).toBe('notification/runtime-state');
  });
});

describe('CommsServer, where a log-in is asked for', () => {
  const http = createServer();
  let comms: CommsServer;
  let asked = 0;
  const answers: ((principal: undefined) => void)[] = [];

  beforeEach(async () => {
    comms = await serve(http, {
      hub: new CommsHub(),
      strangerMs: 300,
      auth: {
        enabled: true,
        anonymous: async () => undefined,
        principalOf: () => {
          asked += 1;
          return new Promise((resolve) => answers.push(resolve));
        },
      },
    });
  });
  afterEach(() => {
    comms.close();
    http.close();
  });
  const connect = async () => {
    const client = new WebSocket(addressOf(http));
    await once(client, 'open');
    return client;
  };

  it('sends away whoever does not say who he is', async () => {
    const client = await connect();
    const [frame] = await once(client, 'message');
    expect(String(frame)).toBe('{"auth":"fail"}');
    await once(client, 'close');
  });

  it('leaves with the sender what comes while a token is looked up', async () => {
    const client = await connect();
    const frame = JSON.stringify({ auth: 'x'.repeat(500_000) });
    for (let n = 0; n < 100; n++) client.send(frame);
    await expect.poll(() => asked).toBe(1);
    for (let before = -1; before !== client.bufferedAmount; await sleep(500)) before = client.bufferedAmount;
    // 50 MB were sent; what the system's buffers do not take is still here.
    expect(client.bufferedAmount).toBeGreaterThan(20_000_000);
    client.terminate();
    for (const answer of answers) answer(undefined);
  });
});
