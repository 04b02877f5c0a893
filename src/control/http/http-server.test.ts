import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpServer } from './http-server.ts';

const entrance = {
  request: (_req: unknown, res: import('node:http').ServerResponse) => void res.end('let in'),
  upgrade: () => {},
};

describe('HttpServer', () => {
  it('lets requests wait until it is opened', async () => {
    const http = new HttpServer();
    const { port } = await http.listen(0, '127.0.0.1');
    let answered = false;
    const reply = fetch(`http://127.0.0.1:${port}/`).then((response) => {
      answered = true;
      return response.text();
    });
    await new Promise((resolve) => http.server.once('request', resolve));
    expect(answered).toBe(false);
    http.open(entrance);
    expect(await reply).toBe('let in');
    await http.close();
  });

  it('says which address is in use', async () => {
    const first = new HttpServer();
    const { port } = await first.listen(0, '127.0.0.1');
    const second = new HttpServer();
    await expect(second.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
    await first.close();
  });

  it('closes under idle, busy and upgraded connections', async () => {
    const http = new HttpServer();
    const { port } = await http.listen(0, '127.0.0.1');
    http.open({ request: () => {}, upgrade: (_req, socket) => void socket.write('HTTP/1.1 101 Up\r\n\r\n') });
    const heads = [
      '',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    ];
    const ends = heads.map(async (head) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(head);
      socket.resume();
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('close', resolve));
    });
    await new Promise((resolve) => http.server.once('upgrade', resolve));
    await http.close();
    await Promise.all(ends);
    expect(http.server.listening).toBe(false);
  });
});
