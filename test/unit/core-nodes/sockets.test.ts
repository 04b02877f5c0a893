import { createSocket } from 'node:dgram';
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket,
} from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import helper from '../../../src/testing/index.ts';
import { core, exchange, type Message, received } from '../../support/core-node.ts';

const place = { z: 'tab', x: 0, y: 0 };
const tab = { id: 'tab', type: 'tab' };
const out = { id: 'out', type: 'helper', ...place, wires: [] };

afterEach(() => helper.unload());

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('tcp', () => {
  const tcp = core('network/31-tcpin');

  it('listens, and answers on the same connection', async () => {
    const port = await freePort();
    await helper.load(tcp, [
      tab,
      {
        id: 'in',
        type: 'tcp in',
        ...place,
        server: 'server',
        port: String(port),
        datamode: 'stream',
        datatype: 'utf8',
        newline: '\\n',
        topic: 't',
        wires: [['out', 'reply']],
      },
      { id: 'reply', type: 'tcp out', ...place, beserver: 'reply', base64: false, end: false, wires: [] },
      out,
    ]);
    const told = received('out');
    const answer = await talk(await connected(port), 'hello\n');
    expect(await told).toMatchObject([{ payload: 'hello', topic: 't', _session: { type: 'tcp' } }]);
    expect(answer).toBe('hello');
  });

  it('connects, sends and receives', async () => {
    const seen: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        seen.push(String(data));
        socket.write(`got ${data}`);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const port = String((server.address() as AddressInfo).port);
    try {
      await helper.load(tcp, [
        tab,
        {
          id: 'req',
          type: 'tcp request',
          ...place,
          server: '127.0.0.1',
          port,
          out: 'count',
          splitc: '5',
          ret: 'string',
          wires: [['out']],
        },
        out,
      ]);
      expect(await exchange('req', { payload: 'x' })).toMatchObject({ payload: 'got x' });
      expect(seen).toEqual(['x']);
    } finally {
      await helper.unload();
      server.close();
    }
  });
});

describe('udp', () => {
  it('listens and sends', async () => {
    const port = await new Promise<number>((resolve) => {
      const socket = createSocket('udp4').bind(0, '127.0.0.1', () => {
        const { port: free } = socket.address();
        socket.close(() => resolve(free));
      });
    });
    await helper.load(core('network/32-udp'), [
      tab,
      {
        id: 'in',
        type: 'udp in',
        ...place,
        port: String(port),
        datatype: 'utf8',
        iface: '',
        multicast: 'false',
        group: '',
        ipv: 'udp4',
        wires: [['out']],
      },
      {
        id: 'send',
        type: 'udp out',
        ...place,
        addr: '127.0.0.1',
        port: String(port),
        iface: '',
        outport: '',
        ipv: 'udp4',
        base64: false,
        multicast: 'false',
        wires: [],
      },
      out,
    ]);
    const told = received('out');
    // The socket binds when it likes; nobody says when.
    const sending = setInterval(() => helper.getNode('send').receive({ payload: 'datagram' }), 20);
    try {
      expect(await told).toMatchObject([{ payload: 'datagram', ip: '127.0.0.1' }]);
    } finally {
      clearInterval(sending);
    }
  });
});

describe('websocket', () => {
  const websocket = core('network/22-websocket');

  it('listens on the shared server: to all, to one, or as whole messages', async () => {
    await helper.startServer();
    try {
      await helper.load(websocket, [
        tab,
        { id: 'l', type: 'websocket-listener', path: '/ws', wholemsg: 'false' },
        { id: 'whole', type: 'websocket-listener', path: '/whole', wholemsg: 'true' },
        { id: 'in', type: 'websocket in', ...place, server: 'l', client: '', wires: [['out', 'send']] },
        { id: 'win', type: 'websocket in', ...place, server: 'whole', client: '', wires: [['out']] },
        { id: 'send', type: 'websocket out', ...place, server: 'l', client: '', wires: [] },
        out,
      ]);
      const base = helper.url().replace('http', 'ws');
      const [one, other] = [await opened(`${base}/ws`), await opened(`${base}/ws`)];
      const told = received('out');
      const answer = nextText(one);
      one.send('hello');
      expect(await told).toMatchObject([{ payload: 'hello' }]);
      expect(await answer).toBe('hello');
      const both = Promise.all([nextText(one), nextText(other)]);
      helper.getNode('send').receive({ payload: { to: 'all' } });
      expect(await both).toEqual(['{"to":"all"}', '{"to":"all"}']);
      const whole = await opened(`${base}/whole`);
      const toldWhole = received('out');
      whole.send('{"payload":1,"topic":"t"}');
      expect(await toldWhole).toMatchObject([{ payload: 1, topic: 't' }]);
      for (const socket of [one, other, whole]) socket.terminate();
    } finally {
      await helper.unload();
      await helper.stopServer();
    }
  });

  it('connects as a client', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    server.on('connection', (socket) => {
      socket.send('welcome');
      socket.on('message', (text) => socket.send(`got ${text}`));
    });
    try {
      const path = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await helper.load(websocket, [
        tab,
        { id: 'c', type: 'websocket-client', path, tls: '', wholemsg: 'false', hb: '0', subprotocol: '' },
        { id: 'in', type: 'websocket in', ...place, server: '', client: 'c', wires: [['out']] },
        { id: 'send', type: 'websocket out', ...place, server: '', client: 'c', wires: [] },
        out,
      ]);
      expect(await received('out')).toMatchObject([{ payload: 'welcome' }]);
      expect(await exchange('send', { payload: 'x' })).toMatchObject({ payload: 'got x' });
    } finally {
      await helper.unload();
      server.close();
    }
  });
});

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
  });
}

/** Sends, gives the first answer, and ends the connection. */
function talk(socket: Socket, text: string): Promise<string> {
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.write(text);
  return answer.finally(() => socket.destroy());
}

function opened(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve(socket)).once('error', reject);
  });
}

function nextText(socket: WebSocket): Promise<Message | string> {
  return new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
}
