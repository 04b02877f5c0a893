// The specification's section on errors and the decisions 1 and 3 to 6, over HTTP; and the API document.
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { hashSync } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startServer, type TestServer } from '../support/server.ts';

const users = [{ username: 'admin', password: hashSync('surf', { cost: 4 }), permissions: '*' }];

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startServer({
    settings: {
      diagnostics: { enabled: true },
      adminAuth: { type: 'credentials', users },
      apiMaxLength: 100_000,
    },
  });
  token = await server.login('admin', 'surf');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const json = (body: string) => ({ token, headers: { 'content-type': 'application/json' }, body });

/** Nothing of the server's inside is in the answer (decision 3). */
function expectDiscretion(reply: Reply): void {
  expect(reply.text).not.toMatch(/<html|node_modules|\.(js|ts):\d|\n\s+at |\/(work|home|tmp|usr|root)\//i);
  expect(reply.headers.get('x-powered-by')).toBeNull();
}

describe('decision 3: errors with a body', () => {
  it.each([
    ['POST', '/flows', '{', 400, 'bad_request'],
    ['POST', '/flows', '{"flows":7}', 400, 'invalid_flow'],
    ['GET', '/flow/none', undefined, 404, 'not_found'],
    ['GET', '/nodes/none', undefined, 404, 'not_found'],
    ['GET', '/diagnostics?scope=x', undefined, 400, 'invalid_request'],
    ['POST', '/nodes', '{"module":7}', 400, 'invalid_request'],
    ['POST', '/nodes', '{}', 400, undefined],
  ] as const)('%s %s %s: %i %s is { code, message }', async (method, path, body, status, code) => {
    const reply = await server.request(method, path, body === undefined ? { token } : json(body));
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.body).toEqual({ code: code ?? expect.any(String), message: expect.stringMatching(/\w+/) });
    expectDiscretion(reply);
  });

  it('have another shape at the token endpoint (RFC 6749, 5.2)', async () => {
    const reply = await server.post('/auth/token', json('{'));
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.any(String) },
    ]);
    expectDiscretion(reply);
  });
});

describe('decision 4: 401', () => {
  it.each([
    ['GET', '/diagnostics'],
    ['GET', '/flows'],
    ['POST', '/flows'],
    ['GET', '/nodes'],
    ['POST', '/nodes'],
    ['DELETE', '/nodes/x'],
    ['PUT', '/nodes/x'],
    ['GET', '/settings'],
    ['POST', '/auth/revoke'],
  ])('%s %s: has no body, whatever is wrong', async (method, path) => {
    const tries = [{}, { token: 'nonsense' }, { headers: { authorization: 'Basic YTpi' } }];
    for (const options of tries) {
      const reply = await server.request(method, path, options);
      expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([401, '', null]);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('comes before the body is looked at', async () => {
    const { token: _, ...options } = json('{');
    expect((await server.post('/flows', options)).status).toBe(401);
    expect((await server.post('/flows', { ...options, body: 'x'.repeat(200_000) })).status).toBe(401);
  });
});

describe('decision 5', () => {
  it.each(['/flows', '/nodes', '/auth/revoke'])('%s: a body over apiMaxLength is 413', async (path) => {
    for (const length of [100_001, 10_000_000]) {
      const reply = await server.post(path, json(`{"x":"${'x'.repeat(length)}"}`));
      expect([reply.status, reply.body]).toEqual([
        413,
        { code: 'body_too_large', message: expect.any(String) },
      ]);
    }
  });

  it('a body over apiMaxLength is 413 at the token endpoint, in its shape', async () => {
    const reply = await server.post('/auth/token', json(`{"x":"${'x'.repeat(200_000)}"}`));
    expect([reply.status, reply.body.error]).toEqual([413, 'body_too_large']);
  });

  it('a body without a length is measured too', async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
        if (answer.includes('\r\n')) resolve(answer.split('\r\n', 1)[0] ?? '');
      });
      socket.on('error', reject);
      socket.write(
        `POST /flows HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
          'Transfer-Encoding: chunked\r\n\r\n',
      );
      for (let i = 0; i < 20; i++) socket.write(`2710\r\n${'x'.repeat(10_000)}\r\n`);
      socket.end('0\r\n\r\n');
    });
    expect(status).toBe('HTTP/1.1 413 Payload Too Large');
  });

  it('the default of apiMaxLength is 5 MB', async () => {
    await using open = await startServer({ settings: {}, until: 'live' });
    const post = (length: number) =>
      open.post('/auth/revoke', { json: { token: 'x'.repeat(length - '{"token":""}'.length) } });
    expect((await post(5 * 2 ** 20)).status).toBe(200);
    expect((await post(5 * 2 ** 20 + 1)).status).toBe(413);
  });

  it.each(['{', '{"a":', 'undefined', "{'a':1}", '[1,]', '\u0000'])(
    'the body %j can’t be parsed: 400',
    async (body) => {
      expect((await server.post('/flows', json(body))).status).toBe(400);
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('a body may be packed with %s; apiMaxLength counts what was packed', async (encoding, pack) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    const packed = (text: string) => server.post('/auth/revoke', { token, headers, body: pack(text) });
    expect((await packed('{"token":"x"}')).status).toBe(200);
    const bomb = await packed(`{"token":"x"${' '.repeat(200_000)}}`);
    expect([bomb.status, bomb.body.code]).toEqual([413, 'body_too_large']);
    expect((await server.post('/auth/revoke', { token, headers, body: '{"token":"x"}' })).status).toBe(400);
  });

  it.each([
    { 'content-encoding': 'br' },
    { 'content-encoding': 'gzip, gzip' },
    { 'content-type': 'application/json; charset=iso-8859-1' },
  ])('a body sent with %j: 415', async (header) => {
    const headers = { 'content-type': 'application/json', ...header };
    const reply = await server.post('/auth/revoke', { token, headers, body: '{"token":"x"}' });
    expect([reply.status, reply.body]).toEqual([
      415,
      { code: 'unsupported_media_type', message: expect.any(String) },
    ]);
  });

  it('a body that is nested beyond all measure: 400', async () => {
    for (const path of ['/flows', '/settings/user', '/library/local/flows/deep', '/nodes']) {
      const deep = `[{"id":"a","type":"tab","x":${'['.repeat(5000)}${']'.repeat(5000)}}]`;
      expect([path, (await server.post(path, json(deep))).status]).toEqual([path, 400]);
    }
  });

  it('a known path with another method, and an unknown path, are 404', async () => {
    for (const [method, path] of [
      ['PATCH', '/flows'],
      ['DELETE', '/diagnostics'],
      ['POST', '/diagnostics'],
      ['PUT', '/auth/login'],
      ['GET', '/auth/token'],
      ['GET', '/no/such/path'],
      ['POST', '/nope'],
      ['GET', '/diagnostics/deeper'],
    ] as const) {
      const reply = await server.request(method, path, { token });
      expect([method, path, reply.status]).toEqual([method, path, 404]);
      expectDiscretion(reply);
    }
  });
});

describe('decision 6', () => {
  it('unknown fields of a request are ignored, a field of the wrong type is 400 and named', async () => {
    expect((await server.post('/auth/revoke', { token, json: { token: 'x', surf: [1] } })).status).toBe(200);
    const reply = await server.post('/auth/revoke', { token, json: { token: { not: 'text' } } });
    expect([reply.status, reply.body]).toEqual([
      400,
      { code: 'invalid_request', message: 'Field "token" must be a string' },
    ]);
  });
});

describe('paths', () => {
  it('differ neither by case nor by a trailing slash; HEAD is answered wherever GET is', async () => {
    for (const path of ['/Diagnostics', '/DIAGNOSTICS/', '/diagnostics/?_=1']) {
      expect([path, (await server.get(path, { token })).status]).toEqual([path, 200]);
    }
    expect((await server.request('HEAD', '/flows', { token })).status).toBe(200);
    expect((await server.request('HEAD', '/flows')).status).toBe(401);
  });

  it('answer OPTIONS with their methods, without a token; unknown ones are 404', async () => {
    for (const [path, methods] of [
      ['/flows', 'GET,HEAD,POST'],
      ['/Nodes/', 'GET,HEAD,POST'],
      ['/nodes/@surf/board', 'GET,HEAD,DELETE,PUT'],
      ['/auth/token', 'POST'],
      ['/diagnostics', 'GET,HEAD'],
    ]) {
      const reply = await server.request('OPTIONS', path ?? '');
      expect([path, reply.status, reply.headers.get('allow'), reply.text]).toEqual([
        path,
        200,
        methods,
        methods,
      ]);
    }
    expect((await server.request('OPTIONS', '/none')).status).toBe(404);
  });

  it('that are malformed are answered, and the server lives on', async () => {
    for (const path of [
      '/nodes/%zz',
      '/%',
      '/flow/%00',
      '/nodes/..%2f..%2fetc',
      `/nodes/${'x'.repeat(5000)}`,
    ]) {
      const reply = await server.get(path, { token });
      expect(reply.status, path).toBeGreaterThanOrEqual(400);
      expect(reply.status, path).toBeLessThan(500);
      expectDiscretion(reply);
    }
  });
});

describe('decision 1: the base URL', () => {
  it('ends in httpAdminRoot, under which everything lies', async () => {
    const settings = { httpAdminRoot: '/admin', diagnostics: { enabled: true } };
    await using rooted = await startServer({ settings, adminRoot: '/admin' });
    expect((await rooted.get('/admin/diagnostics')).status).toBe(200);
    expect((await rooted.get('/Admin/auth/login')).status).toBe(200);
    expect((await rooted.get('/diagnostics')).status).toBe(404);
    expect((await rooted.get('/administrator/diagnostics')).status).toBe(404);
    expect((await rooted.get('/admin/openapi.json')).body.servers).toEqual([{ url: '/admin/' }]);
  });

  it('is nothing where httpAdminRoot is false', async () => {
    await using closed = await startServer({ settings: { httpAdminRoot: false }, until: 'spawned' });
    await closed.waitFor(() => closed.log().includes('Server now running'));
    for (const path of ['/', '/auth/login', '/flows', '/health/live', '/openapi.json', '/false/flows']) {
      const reply = await closed.waitFor(async () => {
        const asked = await closed.get(path);
        return asked.status === 503 ? undefined : asked; // While the engine, which has the last word, is starting.
      });
      expect([path, reply.status]).toEqual([path, 404]);
    }
  });
});

describe('/openapi.json', () => {
  it('is open, and describes the specified operations with their permissions and statuses', async () => {
    const reply = await server.get('/openapi.json');
    expect([reply.status, reply.body.openapi]).toEqual([200, '3.1.0']);
    const of = (path: string, method: string) => {
      const operation = reply.body.paths[path]?.[method];
      const statuses = Object.keys(operation?.responses ?? {}).filter((status) => status < '500');
      return [operation?.['x-permission'] ?? 'open', statuses];
    };
    expect(of('/auth/login', 'get')).toEqual(['open', ['200']]);
    expect(of('/auth/token', 'post')).toEqual(['open', ['200', '400', '401', '404', '413', '415', '429']]);
    expect(of('/auth/revoke', 'post')).toEqual(['', ['200', '400', '401', '413', '415']]);
    expect(of('/nodes', 'post')).toEqual([
      'nodes.write',
      expect.arrayContaining(['200', '400', '401', '404']),
    ]);
    expect(of('/diagnostics', 'get')).toEqual(['settings.read', ['200', '401', '403']]);
  });

  it('tells the truth: what it calls guarded is refused without a token, what it calls open is not', async () => {
    const { paths } = (await server.get('/openapi.json')).body;
    const operations = Object.entries<Record<string, { security: unknown[] }>>(paths).flatMap(
      ([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          path,
          method,
          guarded: operation.security.length > 0,
        })),
    );
    expect(operations.length).toBeGreaterThan(15);
    for (const { path, method, guarded } of operations) {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const reply = await server.request(method.toUpperCase(), url);
      if (guarded) expect([method, path, reply.status]).toEqual([method, path, 401]);
      else expect([method, path, reply.status]).not.toEqual([method, path, 401]);
    }
  });
});
