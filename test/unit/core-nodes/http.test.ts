import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, logged, type Message } from '../../support/core-node.ts';

const place = { z: 'tab', x: 0, y: 0 };
const httpIn = [core('network/21-httpin'), core('function/10-function')];

beforeEach(() => helper.startServer());
afterEach(async () => {
  await helper.unload();
  await helper.stopServer();
  helper.settings({});
});

/** `http in` → function → `http response`. */
const route = (config: Message, func: string, response: Message = {}) => [
  { id: 'tab', type: 'tab' },
  {
    id: 'in',
    type: 'http in',
    ...place,
    method: 'get',
    url: '/route',
    upload: false,
    ...config,
    wires: [['f']],
  },
  { id: 'f', type: 'function', ...place, func, outputs: 1, wires: [['re']] },
  { id: 're', type: 'http response', ...place, statusCode: '', headers: {}, ...response, wires: [] },
];
const ask = (path: string, options?: RequestInit) => fetch(`${helper.url()}${path}`, options);

describe('http in and http response', () => {
  it('answers with what the flow says: parameters, query, status, headers, cookies', async () => {
    await helper.load(
      httpIn,
      route(
        { url: '/route/:id' },
        `msg.payload = { id: msg.req.params.id, query: msg.payload, cookie: msg.req.cookies.c };
         msg.statusCode = 201; msg.headers = { 'x-own': '1' }; msg.cookies = { d: { value: '2', path: '/' } };
         return msg;`,
      ) as never,
    );
    const answer = await ask('/route/7?a=b', { headers: { Cookie: 'c=3' } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-own')).toBe('1');
    expect(answer.headers.getSetCookie()).toEqual(['d=2; Path=/']);
    expect(await answer.json()).toEqual({ id: '7', query: { a: 'b' }, cookie: '3' });
  });

  it.each([
    ['JSON', { 'Content-Type': 'application/json' }, '{"a":1}', { a: 1 }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=1&b=2', { a: '1', b: '2' }],
    ['a text', { 'Content-Type': 'text/plain' }, 'hello', 'hello'],
    [
      'bytes',
      { 'Content-Type': 'application/octet-stream' },
      'xyz',
      { type: 'Buffer', data: [120, 121, 122] },
    ],
  ])('takes %s', async (_, headers, body, payload) => {
    await helper.load(
      httpIn,
      route({ method: 'post' }, 'msg.payload = JSON.stringify(msg.payload); return msg;') as never,
    );
    const answer = await ask('/route', { method: 'POST', headers, body });
    expect(JSON.parse(await answer.text())).toEqual(payload);
  });

  it('takes uploaded files', async () => {
    await helper.load(
      httpIn,
      route(
        { method: 'post', upload: true },
        'const [file] = msg.req.files; msg.payload = [file.originalname, file.buffer.toString(), msg.payload.field]; return msg;',
      ) as never,
    );
    const form = new FormData();
    form.set('field', 'value');
    form.set('file', new Blob(['content']), 'name.txt');
    expect(await (await ask('/route', { method: 'POST', body: form })).json()).toEqual([
      'name.txt',
      'content',
      'value',
    ]);
  });

  it('forgets its route when it is stopped, and keeps those of others', async () => {
    await helper.load(httpIn, route({}, 'return msg;', { statusCode: '204' }) as never);
    expect((await ask('/route')).status).toBe(204);
    await helper.setFlows(route({ url: '/other' }, 'return msg;') as never);
    expect((await ask('/route')).status).toBe(404);
    expect((await ask('/other')).status).toBe(200);
  });

  it('runs the middleware and the CORS options of the settings', async () => {
    helper.settings({
      httpNodeMiddleware: (
        _: unknown,
        response: { setHeader(name: string, value: string): void },
        next: () => void,
      ) => {
        response.setHeader('x-middleware', 'ran');
        next();
      },
      httpNodeCors: { origin: '*', methods: 'GET' },
    });
    await helper.load(httpIn, route({}, 'return msg;') as never);
    const answer = await ask('/route', { headers: { Origin: 'http://else.where' } });
    expect(answer.headers.get('x-middleware')).toBe('ran');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await ask('/route', { method: 'OPTIONS', headers: { Origin: 'http://else.where' } });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
  });
});

describe('http request', () => {
  let peer: ReturnType<typeof createServer>;
  let base: string;
  beforeEach(async () => {
    peer = createServer(async (request, response) => {
      const seen = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: await bodyOf(request),
      };
      if (request.url === '/move') {
        response.writeHead(302, { Location: '/moved' }).end();
        return;
      }
      response.writeHead(request.url === '/missing' ? 404 : 200, {
        'Content-Type': 'application/json',
        'Set-Cookie': 'k=v',
      });
      response.end(JSON.stringify(seen));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => peer.once('listening', resolve));
    base = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
  });
  afterEach(() => void peer.close());

  const load = (config: Message, more: Message[] = []) =>
    helper.load(
      [core('network/21-httprequest'), core('network/06-httpproxy'), core('network/05-tls')],
      [
        ...flowOf('http request', {
          method: 'GET',
          ret: 'obj',
          paytoqs: 'ignore',
          url: base,
          senderr: false,
          ...config,
        }),
        ...(more as never[]),
      ],
    );

  it('asks and gives the answer, its status, headers and cookies', async () => {
    await load({ url: `${base}/{{{topic}}}` });
    expect(await exchange('n1', { topic: 'a/b', headers: { 'x-own': '1' } })).toMatchObject({
      payload: { method: 'GET', url: '/a/b', headers: { 'x-own': '1' } },
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      responseCookies: { k: { value: 'v' } },
    });
  });

  it('sends JSON, query parameters, and whatever method the message says', async () => {
    await load({ method: 'POST' });
    expect((await exchange('n1', { payload: { a: 1 } }))['payload']).toMatchObject({
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    await helper.unload();
    await load({ paytoqs: 'query' });
    expect((await exchange('n1', { payload: { a: 1 } }))['payload'].url).toBe('/?a=1');
    await helper.unload();
    await load({ method: 'use', url: '' });
    const message = { method: 'PATCH', url: `${base}/p`, payload: 'x' };
    expect((await exchange('n1', message))['payload']).toMatchObject({
      method: 'PATCH',
      url: '/p',
      body: 'x',
    });
  });

  it('uses its credentials', async () => {
    await helper.load(
      core('network/21-httprequest'),
      flowOf('http request', { method: 'GET', ret: 'obj', url: base, authType: 'basic' }),
      {
        n1: { user: 'u', password: 'p' },
      },
    );
    expect((await exchange('n1', {}))['payload'].headers.authorization).toBe(`Basic ${btoa('u:p')}`);
  });

  it('follows redirections, gives texts and buffers', async () => {
    await load({ url: `${base}/move`, ret: 'txt' });
    const message = await exchange('n1', {});
    expect(JSON.parse(message['payload']).url).toBe('/moved');
    expect(message['redirectList']).toMatchObject([{ location: '/moved' }]);
    await helper.unload();
    await load({ ret: 'bin' });
    expect((await exchange('n1', {}))['payload']).toBeInstanceOf(Buffer);
  });

  it('gives an error status as any other, and tells of a host that does not answer', async () => {
    await load({ url: `${base}/missing` });
    expect(await exchange('n1', {})).toMatchObject({ statusCode: 404 });
    await helper.unload();
    await load({ url: 'http://127.0.0.1:1/' });
    expect(await exchange('n1', {})).toMatchObject({ statusCode: 'ECONNREFUSED' });
    expect(logged(20)).toHaveLength(1);
    await helper.unload();
    const caught = [{ id: 'c', type: 'catch', ...place, scope: null, wires: [['out']] }];
    await load({ url: 'http://127.0.0.1:1/', senderr: true }, caught);
    expect(await exchange('n1', {})).toMatchObject({ error: { source: { id: 'n1' } } });
    expect(logged(20)).toEqual([]);
  });

  it('goes through a proxy', async () => {
    await load({ url: 'http://nowhere.invalid/x', proxy: 'p' }, [
      { id: 'p', type: 'http proxy', url: base, noproxy: [] },
    ]);
    peer.on('connect', (request, socket) => {
      const through = connect((peer.address() as AddressInfo).port, '127.0.0.1');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(through).pipe(socket);
      expect(request.url).toBe('nowhere.invalid:80');
    });
    expect((await exchange('n1', {}))['payload']).toMatchObject({
      url: '/x',
      headers: { host: 'nowhere.invalid' },
    });
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
