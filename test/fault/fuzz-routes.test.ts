// Random requests to every route: no 5xx but a 503 that says why, no hang, no crash, nothing of the server's inside in an answer.
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { hashSync } from '@node-rs/bcrypt';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

/** The same requests each time; more of them, and others, by the environment. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 1000);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_250_101);

const users = [
  { username: 'admin', password: hashSync('surf', { cost: 4 }), permissions: '*' },
  { username: 'reader', password: hashSync('surf', { cost: 4 }), permissions: 'read' },
];
const repository = fileURLToPath(new URL('../../', import.meta.url));

let server: TestServer;
let tokens: { readonly admin: string; readonly reader: string };
let routes: readonly (readonly [method: string, path: string])[];
beforeAll(async () => {
  server = await startServer({
    settings: {
      diagnostics: { enabled: true },
      runtimeState: { enabled: true },
      adminAuth: { type: 'credentials', users },
      apiMaxLength: 20_000,
      // Random names must not be asked of a registry.
      externalModules: { palette: { denyList: ['*'] } },
      logging: { console: { level: 'warn' } },
    },
  });
  tokens = { admin: await server.login('admin', 'surf'), reader: await server.login('reader', 'surf', '') };
  const { paths } = (await server.get('/openapi.json')).body as {
    paths: { [path: string]: { [method: string]: object } };
  };
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** A value once in so many times, else null. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const segment = fc.oneof(
  fc.constantFrom(
    ...['node-red', 'inject', 'global', 'flow', 'local', 'flows', '@a', 'x', 'functions', 'examples'],
    ...['..', '.', '%2e%2e', '..%2f..%2fetc', '%00', '%', '%zz', '%c3%28', '', '__proto__', 'constructor'],
    ...['a%2fb', 'a;b', 'a?b', 'a[0]', 'a.b', "a['", 'ä', '%F0%9F%98%80', 'x'.repeat(3000)],
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'lng',
          'store',
          'keysOnly',
          'scope',
          'access_token',
          '_',
          '__proto__',
          'a[b]',
          'lng[]',
        ),
        segment,
      ),
      { maxLength: 3 },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
);
const jsonBody = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc
    .record(
      {
        flows: fc.anything({ maxDepth: 2 }),
        rev: fc.anything({ maxDepth: 0 }),
        nodes: fc.array(
          fc.record(
            {
              id: fc.anything({ maxDepth: 0 }),
              type: fc.constantFrom('tab', 'inject', 7, null),
              z: fc.string(),
            },
            { requiredKeys: [] },
          ),
        ),
        configs: fc.anything({ maxDepth: 1 }),
        subflows: fc.anything({ maxDepth: 2 }),
        label: fc.anything({ maxDepth: 1 }),
        credentials: fc.anything({ maxDepth: 2 }),
        state: fc.constantFrom('start', 'stop', 'safe', 7),
        enabled: fc.constantFrom(true, 'yes', null),
        module: fc.oneof(fc.string(), fc.constantFrom('--global', '../x', '/etc', 'ms', '@a/b', null, ['a'])),
        version: fc.anything({ maxDepth: 0 }),
        url: fc.anything({ maxDepth: 0 }),
        text: fc.anything({ maxDepth: 1 }),
        client_id: fc.constantFrom('svc-admin', 'x', 7),
        grant_type: fc.constantFrom('password', 'x', null),
        scope: fc.anything({ maxDepth: 1 }),
        username: fc.constantFrom('admin', 'reader', '__proto__', 7),
        password: fc.anything({ maxDepth: 0 }),
        token: fc.anything({ maxDepth: 0 }),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each))),
  fc
    .array(
      fc.record({
        id: fc.string(),
        type: fc.constantFrom('tab', 'inject', 'subflow', 'x'),
        z: fc.string(),
        wires: fc.anything({ maxDepth: 2 }),
      }),
    )
    .map((flows) => JSON.stringify(flows, (_key, each) => (typeof each === 'bigint' ? `${each}` : each))),
  fc.constantFrom(
    '{',
    '[',
    'null',
    '"',
    '\u0000',
    '[[[[',
    '{"__proto__":{"x":1}}',
    `{"a":"${'x'.repeat(30_000)}"}`,
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ),
);
const formBody = fc.oneof(
  fc.webQueryParameters(),
  fc.constantFrom(
    'a=%',
    '&&&&',
    'a[b][c]=d',
    '__proto__=x',
    '__proto__[x]=y',
    'a=1&'.repeat(1200),
    '%zz=%zz',
    '=',
  ),
);
const multipartBody = fc.oneof(
  fc.constantFrom(
    ...['', '--b', '--b--', '--b\r\n\r\n\r\n--b--\r\n', 'x'],
    '--b\r\nContent-Disposition: form-data; name="f"; filename="a.tgz"\r\n\r\nhalf',
    '--b\r\nContent-Disposition: form-data; name="f"; filename="a.tgz"\r\n\r\nnot gzip\r\n--b--\r\n',
    '--b\r\nContent-Disposition: form-data; name="f"; filename="../../a.tgz"\r\n\r\n\r\n--b--\r\n',
    '--b\r\nContent-Disposition: form-data; name="module"\r\n\r\nms\r\n--b--\r\n',
    '--b\r\nContent-Disposition: form-data\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--\r\n',
  ),
  fc.string().map((text) => `--b\r\n${text}\r\n--b--\r\n`),
);
const body = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('application/json'), text: jsonBody }) },
  fc.record({ type: fc.constant('application/x-www-form-urlencoded'), text: formBody }),
  fc.record({
    type: fc.constantFrom('multipart/form-data; boundary=b', 'multipart/form-data'),
    text: multipartBody,
  }),
  fc.record({
    type: fc.constantFrom(
      undefined,
      '',
      'x',
      'text/plain',
      'application/json; charset=utf-16',
      'application/octet-stream',
      'multipart/mixed',
    ),
    text: fc.oneof(fc.string(), jsonBody),
  }),
  fc.constant({ type: undefined, text: undefined }),
);
const headers = fc.record(
  {
    accept: fc.constantFrom('application/json', '*/*', 'text/html', '', 'x', 'application/json;q=0'),
    'accept-language': fc.constantFrom('de', '*', '', 'x'.repeat(500), '../..', 'de;q=nan', ',,,'),
    'accept-encoding': fc.constantFrom('br', 'gzip', 'identity;q=0', '*;q=0', 'x'),
    'if-none-match': fc.constantFrom('*', 'W/"x"', '"', ''),
    range: fc.constantFrom('bytes=0-1', 'bytes=9999999-', 'bytes=-0', 'x'),
    'node-red-api-version': fc.constantFrom('v1', 'v2', 'v3', ''),
    'node-red-deployment-type': fc.constantFrom('full', 'nodes', 'flows', 'reload', 'x'),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', ',', 'x'.repeat(500)),
    host: fc.constantFrom('', 'x', 'a b', '[::1]:x'),
    cookie: fc.constant('access_token=x'),
  },
  { requiredKeys: [] },
);
/** Headers by which a request is seldom more than refused. */
const rareHeaders = seldom(
  fc.constantFrom(
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'x' },
    { expect: '100-continue' },
    { expect: 'x' },
  ),
  12,
);

const requests = fc.record({
  route: fc.nat(),
  otherMethod: seldom(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'),
    4,
  ),
  segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
  otherPath: seldom(
    fc.array(segment, { maxLength: 4 }).map((steps) => `/${steps.join('/')}`),
    8,
  ),
  query,
  body,
  headers,
  rareHeaders,
  as: fc.constantFrom('admin', 'admin', 'admin', 'reader', 'nobody', 'stranger'),
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: OutgoingHttpHeaders;
}

function send(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  text: string | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { host: '127.0.0.1', port: server.port, method, path, headers, agent: false, timeout: 15_000 },
      async (res) => {
        res.setEncoding('latin1');
        let answer = '';
        for await (const chunk of res) answer += chunk;
        resolve({ status: res.statusCode ?? 0, text: answer, headers: res.headers });
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer within 15 s')));
    call.on('error', reject);
    call.end(text);
  });
}

it('random requests are answered, and tell nothing of the server', async () => {
  const engine = await server.enginePid();
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(requests, async (made) => {
      const [method, template] = routes[made.route % routes.length] ?? ['GET', '/'];
      const filled = template.replace(/\{[^}]*\}|\*/g, () => made.segments[made.route % 3] ?? 'x');
      const path = (made.otherPath ?? filled) + made.query;
      const authorization = {
        admin: `Bearer ${tokens.admin}`,
        reader: `Bearer ${tokens.reader}`,
        nobody: 'Bearer x',
        stranger: undefined,
      }[made.as];
      const verb = made.otherMethod ?? method;
      const { type, text } = verb === 'TRACE' ? { type: undefined, text: undefined } : made.body;
      const answer = await send(
        verb,
        encodeURI(path).replaceAll('%25', '%'),
        {
          ...made.headers,
          ...made.rareHeaders,
          ...(authorization ? { authorization } : {}),
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
        },
        text,
      );
      seen.set(`${answer.status}`, (seen.get(`${answer.status}`) ?? 0) + 1);
      const what = `${verb} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
      expect(
        answer.status < 500 || (answer.status === 503 && /"code":"engine\./.test(answer.text)),
        what,
      ).toBe(true);
      if (answer.status >= 400) {
        expect(answer.text, what).not.toMatch(/<html|node_modules|\.(js|ts):\d+|\n\s+at /i);
        expect(answer.text.includes(repository) || answer.text.includes(server.userDir), what).toBe(false);
        // What routes of node modules say is their own, in their own shape.
        const isJson = String(answer.headers['content-type']).startsWith('application/json');
        if (isJson && verb !== 'HEAD') expect(JSON.parse(answer.text), what).toBeTypeOf('object');
      }
      if (answer.status === 401) expect(answer.text, what).toBe('');
      expect(answer.headers['x-powered-by'], what).toBeUndefined();
    }),
    { seed, numRuns: runs, endOnFailure: process.env['FUZZ_RUNS'] !== undefined },
  );
  if (process.env['FUZZ_RUNS'] !== undefined) console.log(Object.fromEntries(seen));
  // Something of everything was met.
  for (const status of ['200', '400', '401', '404']) expect(seen.has(status), status).toBe(true);
  expect(await server.enginePid()).toBe(engine);
  expect((await server.get('/health/ready')).status).toBe(200);
  expect((await server.get('/diagnostics', { token: tokens.admin })).status).toBe(200);
  expect(server.log()).not.toMatch(/internal_error|unhandled|uncaught/i);
});
