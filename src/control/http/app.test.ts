import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { surfApps } from '../../../test/support/surf-app.ts';

const start = surfApps();

describe('paths', () => {
  it('are told apart neither by case nor by a trailing slash, and keep the case of names', async () => {
    const { ask } = await start();
    for (const path of ['/surf', '/SURF', '/surf/', '/Surf/?_=1']) {
      expect(await (await ask(path)).json(), path).toEqual({ at: 'the beach' });
    }
    expect(await (await ask('/SURF/LongBoard')).json()).toEqual({ board: 'LongBoard' });
  });

  it('lie under httpAdminRoot', async () => {
    const { ask, handedOn } = await start({ root: '/admin/' });
    expect((await ask('/admin/surf')).status).toBe(200);
    expect((await ask('/ADMIN/surf')).status).toBe(200);
    expect((await ask('/surf')).status).toBe(418);
    expect((await ask('/administrator/surf')).status).toBe(418);
    expect(handedOn).toHaveLength(2);
  });

  it('are all handed on where there is no admin API', async () => {
    const { ask } = await start({ root: false });
    expect((await ask('/surf')).status).toBe(418);
  });

  it('answer HEAD wherever GET is answered, without a body', async () => {
    const { ask } = await start();
    const head = await ask('/surf', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '18', '']);
  });

  it('that are unknown, or have another method, are handed on with their body unread', async () => {
    const { post, ask, handedOn } = await start();
    expect((await post('/unknown', '{"a":1}')).status).toBe(418);
    expect((await post('/surf/deep/er', '{"b":2}')).status).toBe(418);
    expect(
      (
        await ask('/surf', {
          method: 'PATCH',
          body: '{broken',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(418);
    expect(handedOn).toEqual([
      { method: 'POST', url: '/unknown', body: '{"a":1}' },
      { method: 'POST', url: '/surf/deep/er', body: '{"b":2}' },
      { method: 'PATCH', url: '/surf', body: '{broken' },
    ]);
  });

  it('that cannot be decoded are refused', async () => {
    const { port } = await start();
    const req = httpRequest({ port, host: '127.0.0.1', path: '/surf/%zz' }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    res.resume();
    expect(res.statusCode).toBe(400);
  });
});

describe('upgrades', () => {
  it.each([
    ['/ours', 'Ours'],
    ['/other', 'Theirs'],
  ])('of %s go to: %s', async (path, taker) => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toContain(`101 ${taker}`);
  });
});

/** Sends a head as it is, and gives the answer. */
async function raw(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.write(`${head}\r\nHost: x\r\n\r\n`);
  while (!answer.includes('}')) await once(socket, 'data');
  socket.destroy();
  return answer;
}

describe('a request line', () => {
  it('may hold the whole address (RFC 9112, 3.2.2)', async () => {
    const { port } = await start();
    expect(await raw(port, 'GET http://elsewhere.example:80/surf HTTP/1.1')).toMatch(
      / 200 OK[\s\S]*the beach/,
    );
  });

  it('is answered as usual where another protocol is offered that is not spoken', async () => {
    const { port } = await start();
    expect(await raw(port, 'GET /surf HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c')).toMatch(
      / 200 OK[\s\S]*the beach/,
    );
  });
});
