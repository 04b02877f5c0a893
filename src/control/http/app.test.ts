import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { Type } from '../../contract/schema.ts';
import { type Logger, silentLogger } from '../../logging/logger.ts';
import { everybody, type Principal } from '../auth/principal.ts';
import { createApp } from './app.ts';
import type { Feature } from './feature.ts';
import { HttpServer } from './http-server.ts';
import { TooManyAttempts, Unauthorized } from './refusals.ts';

/** Routes that show every way to answer. */
const surf: Feature = async (app) => {
  app.get('/surf', { config: { needs: 'open' } }, () => ({ at: 'the beach' }));
  app.get('/surf/:board', { config: { needs: 'open' } }, (request) => request.params);
  app.get('/me', { config: { needs: '' } }, (request) => ({ scope: request.principal.scope }));
  app.get('/guarded', { config: { needs: 'flows.read' } }, () => ({ secret: true }));
  app.post(
    '/surf',
    {
      schema: {
        body: Type.Object({
          height: Type.Number(),
          boards: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
          spot: Type.Optional(Type.Union([Type.Literal('reef'), Type.Literal('beach')])),
        }),
      },
      config: { needs: 'open' },
    },
    (request) => request.body,
  );
  app.post('/echo', { config: { needs: 'open' } }, (request) => ({ body: request.body }));
  app.get('/conflict', { config: { needs: 'open' } }, () => {
    throw new AppError('version_mismatch', { message: 'only for the log' });
  });
  app.get('/missing', { config: { needs: 'open', noBodyFor: [404] } }, () => {
    throw new AppError('not_found');
  });
  app.get('/oauth', { config: { needs: 'open', errorShape: 'oauth' } }, () => {
    throw new AppError('invalid_request', { detail: 'no wave' });
  });
  app.get('/slow-down', { config: { needs: 'open' } }, () => {
    throw new TooManyAttempts(1500);
  });
  app.get('/bug', { config: { needs: 'open' } }, () => {
    throw new TypeError('at /home/admin/secret.ts');
  });
};

const open: HttpServer[] = [];
afterEach(async () => {
  for (const http of open.splice(0)) await http.close();
});

async function start(
  options: { root?: string | false; identify?: () => Principal | Promise<Principal>; log?: Logger } = {},
) {
  const handedOn: { method: string | undefined; url: string | undefined; body: string }[] = [];
  const http = new HttpServer();
  open.push(http);
  const { port } = await http.listen(0, '127.0.0.1');
  const app = await createApp({
    server: http.server,
    settings: { httpAdminRoot: options.root ?? '/', apiMaxLength: 1000 },
    auth: { identify: options.identify ?? (() => everybody) },
    log: options.log ?? silentLogger,
    version: '0.0.0',
    features: [surf],
    upgrades: [
      (req, socket) => {
        if (req.url !== '/ours') return false;
        socket.end('HTTP/1.1 101 Ours\r\n\r\n');
        return true;
      },
    ],
    fallback: {
      async request(req, res) {
        let body = '';
        for await (const chunk of req) body += chunk;
        handedOn.push({ method: req.method, url: req.url, body });
        res.writeHead(418).end('the engine');
      },
      upgrade: (_req, socket) => socket.end('HTTP/1.1 101 Theirs\r\n\r\n'),
    },
  });
  http.open(app);
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const post = (path: string, body: string, type = 'application/json') =>
    ask(path, { method: 'POST', body, headers: { 'content-type': type } });
  return { port, ask, post, handedOn };
}

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

describe('bodies', () => {
  it('over the limit are refused with 413', async () => {
    const { post } = await start();
    const reply = await post('/echo', JSON.stringify('x'.repeat(1001)));
    expect([reply.status, await reply.json()]).toEqual([
      413,
      { code: 'body_too_large', message: 'The request body is too large' },
    ]);
  });

  it('of many megabytes are refused such that the sender can read the answer', async () => {
    const { post } = await start();
    const reply = await post('/echo', JSON.stringify('x'.repeat(20_000_000)));
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
  });

  it('that cannot be parsed are refused with 400', async () => {
    const { post } = await start();
    for (const [body, message] of [
      ['{', 'The body is not valid JSON'],
      ['no', 'The body is not valid JSON'],
      ['{"__proto__":{"admin":true}}', expect.stringContaining('"__proto__"')],
    ] as const) {
      const reply = await post('/echo', body);
      const answer = { code: 'bad_request', message };
      expect([body, reply.status, await reply.json()]).toEqual([body, 400, answer]);
    }
  });

  it('may be forms, with arrays', async () => {
    const { post } = await start();
    const form = 'a=1&b[]=2&c=3&c=4&d%5B%5D=5&d[]=6&__proto__=x';
    const reply = await post('/echo', form, 'application/x-www-form-urlencoded; charset=UTF-8');
    expect(await reply.text()).toBe(
      '{"body":{"a":"1","b":["2"],"c":["3","4"],"d":["5","6"],"__proto__":"x"}}',
    );
  });

  it('that are empty or of another type are an empty object', async () => {
    const { post, ask } = await start();
    expect(await (await post('/echo', '')).json()).toEqual({ body: {} });
    expect(await (await post('/echo', 'text', 'text/plain')).json()).toEqual({ body: {} });
    expect(await (await ask('/echo', { method: 'POST' })).json()).toEqual({ body: {} });
  });

  it('ignore unknown fields, and coerce nothing', async () => {
    const { post } = await start();
    expect((await post('/surf', '{"height":2,"wind":"east"}')).status).toBe(200);
    expect((await post('/surf', '{"height":"2"}')).status).toBe(400);
  });

  it.each([
    ['{}', 'Field "height" is missing'],
    ['{"height":"2"}', 'Field "height" must be a number'],
    ['{"height":2,"boards":[{"id":"a"},{"id":7}]}', 'Field "boards[1].id" must be a string'],
    ['{"height":2,"boards":[{}]}', 'Field "boards[0].id" is missing'],
    ['{"height":2,"spot":"lake"}', 'Field "spot" must be "reef" or "beach"'],
    ['[]', 'The body must be an object'],
  ])('%s is refused in words: %s', async (body, message) => {
    const { post } = await start();
    const reply = await post('/surf', body);
    expect([reply.status, await reply.json()]).toEqual([400, { code: 'invalid_request', message }]);
  });
});

describe('errors', () => {
  it('are a code and words, and nothing of the log', async () => {
    const { ask } = await start();
    const reply = await ask('/conflict');
    expect([reply.status, reply.headers.get('content-type'), await reply.json()]).toEqual([
      409,
      'application/json; charset=utf-8',
      { code: 'version_mismatch', message: 'The flows have been changed by somebody else' },
    ]);
  });

  it('that nobody foresaw are logged, and tell the client nothing', async () => {
    const lines: unknown[][] = [];
    const { ask } = await start({ log: { ...silentLogger, error: (...line) => lines.push(line) } });
    const reply = await ask('/bug?token=1');
    expect([reply.status, await reply.json()]).toEqual([
      500,
      { code: 'internal_error', message: 'An internal error occurred; the log has the details' },
    ]);
    expect(lines).toEqual([['GET /bug: at /home/admin/secret.ts', { err: expect.any(TypeError) }]]);
  });

  it('have the shape of OAuth where the route says so', async () => {
    const { ask } = await start();
    expect(await (await ask('/oauth')).json()).toEqual({
      error: 'invalid_request',
      error_description: 'no wave',
    });
  });

  it('have no body for the statuses that the route lists', async () => {
    const { ask } = await start();
    const reply = await ask('/missing');
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([404, null, '']);
  });

  it('have no body for 429, and say when to come again', async () => {
    const { ask } = await start();
    const reply = await ask('/slow-down');
    expect([reply.status, reply.headers.get('retry-after'), await reply.text()]).toEqual([429, '2', '']);
  });

  it('answer what is not HTTP', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1').end('NOT HTTP\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\{"code":"bad_request",/);
  });
});

describe('the guard', () => {
  const principal: Principal = { scope: ['flows.read'], anonymous: false };

  it('lets pass who is granted what the route needs', async () => {
    const { ask } = await start({ identify: () => principal });
    expect(await (await ask('/me')).json()).toEqual({ scope: ['flows.read'] });
    expect((await ask('/guarded')).status).toBe(200);
  });

  it('waits for who has to be asked for', async () => {
    const { ask } = await start({ identify: async () => principal });
    expect((await ask('/guarded')).status).toBe(200);
  });

  it('refuses others with 401, without a body, saying why', async () => {
    const refusals = [
      {
        identify: () => ({ ...principal, scope: ['nodes.read'] }),
        says: 'Bearer error="insufficient_scope", scope="flows.read"',
      },
      { identify: async () => Promise.reject(Unauthorized.badToken()), says: 'Bearer error="invalid_token"' },
      {
        identify: () => {
          throw Unauthorized.missing();
        },
        says: 'Bearer',
      },
    ];
    for (const { identify, says } of refusals) {
      const { ask } = await start({ identify });
      const reply = await ask('/guarded');
      expect([
        reply.status,
        reply.headers.get('www-authenticate'),
        reply.headers.get('content-type'),
        reply.headers.get('content-length'),
        await reply.text(),
      ]).toEqual([401, says, null, '0', '']);
    }
  });

  it('asks nobody who they are at an open route', async () => {
    const { ask } = await start({
      identify: () => {
        throw Unauthorized.badToken();
      },
    });
    expect((await ask('/surf')).status).toBe(200);
  });

  it('refuses to be built with a route that does not say what it needs', async () => {
    const careless: Feature = async (app) => {
      app.get('/open-to-all', () => 'oops');
    };
    await expect(
      createApp({
        server: new HttpServer().server,
        settings: { httpAdminRoot: '/', apiMaxLength: 1000 },
        auth: { identify: () => everybody },
        log: silentLogger,
        version: '0.0.0',
        features: [careless],
        fallback: { request: () => {}, upgrade: () => {} },
      }),
    ).rejects.toThrow('/open-to-all does not state what it needs');
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

describe('an answer to GET', () => {
  it('is tagged, and is 304 for who has it', async () => {
    const { port } = await start();
    const url = `http://127.0.0.1:${port}/surf`;
    const first = await fetch(url);
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]+"$/)]);
    const again = await fetch(url, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('content-type')]).toEqual([304, '', null]);
    expect((await fetch(url, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('etag')).toBe(tag);
    expect((await fetch(url, { method: 'HEAD', headers: { 'if-none-match': '*' } })).status).toBe(304);
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
