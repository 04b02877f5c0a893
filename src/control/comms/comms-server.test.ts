import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { everybody } from '../auth/principal.ts';
import { CommsServer } from './comms-server.ts';
import { CommsHub } from './hub.ts';

describe('CommsServer', () => {
  const hub = new CommsHub();
  const http = createServer();
  let comms: CommsServer;
  let client: WebSocket;
  const frames: { topic: string; data: { msg?: string } }[][] = [];

  beforeEach(async () => {
    comms = new CommsServer({
      hub,
      path: '/comms',
      keepAliveMs: 60_000,
      auth: {
        enabled: false,
        anonymous: async () => everybody,
        principalOf: async () => everybody,
        onTokenDead: () => () => {},
        ownTokenIn: () => undefined,
      },
      onMessage: () => {},
      onConnection: () => {},
      onClose: () => {},
    });
    http.on('upgrade', (request, socket, head) => comms.handleUpgrade(request, socket, head));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/comms`);
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
    comms = new CommsServer({
      hub: new CommsHub(),
      path: '/comms',
      keepAliveMs: 60_000,
      strangerMs: 300,
      auth: {
        enabled: true,
        anonymous: async () => undefined,
        principalOf: () => {
          asked += 1;
          return new Promise((resolve) => answers.push(resolve));
        },
        onTokenDead: () => () => {},
        ownTokenIn: () => undefined,
      },
      onMessage: () => {},
      onConnection: () => {},
      onClose: () => {},
    });
    http.on('upgrade', (request, socket, head) => comms.handleUpgrade(request, socket, head));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  afterEach(() => {
    http.removeAllListeners('upgrade');
    comms.close();
    http.close();
  });
  const connect = async () => {
    const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/comms`);
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
