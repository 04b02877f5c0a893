// The specification's authentication sections and the decisions 4 and 7 to 15, over HTTP.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync as argon2 } from '@node-rs/argon2';
import { hashSync as bcrypt } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { type Reply, startServer, type TestServer } from '../support/server.ts';
import { serverWith } from '../support/suite.ts';

const users = [
  { username: 'admin', password: bcrypt('surf', { cost: 4, version: '2b' }), permissions: '*' },
  { username: 'reader', password: bcrypt('surf', { cost: 4, version: '2a' }), permissions: 'read' },
  { username: 'writer', password: bcrypt('surf', { cost: 4, version: '2y' }), permissions: 'write' },
  {
    username: 'narrow',
    password: argon2('surf', { memoryCost: 1024, timeCost: 1 }),
    permissions: ['flows.read', 'settings.read'],
  },
];
const guarded = { diagnostics: { enabled: true }, adminAuth: { type: 'credentials', users } };

/** A token request that succeeds, with changes. */
const request = (changes: object = {}) => ({
  client_id: 'svc-admin',
  grant_type: 'password',
  scope: '*',
  username: 'admin',
  password: 'surf',
  ...changes,
});

const status = ({ status }: Reply) => status;

/** The answer has no body, and says nothing about one. */
function expectNoBody(reply: Reply): void {
  expect([reply.text, reply.headers.get('content-type'), reply.headers.get('content-length')]).toEqual([
    '',
    null,
    '0',
  ]);
}

/** Log-in does not wait for the engine. */
const liveServer = (settings: object) => serverWith(settings, { until: 'live' });

describe('without adminAuth', () => {
  const it_ = liveServer({ diagnostics: { enabled: true } });

  it('Authentication 1: every administration request is accepted without a token', async () => {
    for (const path of ['/diagnostics', '/flows', '/nodes', '/settings']) {
      const accept = { headers: { accept: 'application/json' } };
      expect([path, (await it_.server.get(path, accept)).status]).toEqual([path, 200]);
    }
  });

  it('Authentication 1: whatever token is sent does not matter', async () => {
    expect((await it_.server.get('/diagnostics', { token: 'nonsense' })).status).toBe(200);
  });

  it('GET /auth/login: no authentication method active: an empty JSON object', async () => {
    const reply = await it_.server.get('/auth/login');
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([
      200,
      '{}',
      'application/json; charset=utf-8',
    ]);
  });

  it('decision 14: /auth/token gives 404 with an error body', async () => {
    for (const json of [request(), {}]) {
      const reply = await it_.server.post('/auth/token', { json });
      expect([reply.status, reply.body]).toEqual([
        404,
        { error: 'not_found', error_description: 'No authentication is configured' },
      ]);
    }
  });

  it('decision 14: /auth/revoke gives 200', async () => {
    const reply = await it_.server.post('/auth/revoke', { form: { token: 'x' } });
    expect(reply.status).toBe(200);
    expectNoBody(reply);
    expect((await it_.server.post('/auth/revoke')).status).toBe(200);
  });

  it('decision 2: the server listens on the loopback address and warns', async () => {
    expect(it_.server.log()).toMatch(/warn\].*adminAuth is not configured: everybody on this machine/);
  });

  it('decision 2: a page of another site, which somebody here has opened, may change nothing', async () => {
    const from = (site: string) => ({ headers: { 'sec-fetch-site': site }, form: { module: 'no module' } });
    const refused = await it_.server.post('/nodes', from('cross-site'));
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    for (const site of ['same-origin', 'same-site', 'none'])
      expect([site, (await it_.server.post('/nodes', from(site))).status]).toEqual([site, 400]);
    const { headers } = from('cross-site');
    expect((await it_.server.get('/auth/login', { headers })).status).toBe(200);
    await using open = await startServer({ settings: { httpAdminCors: { origin: '*' } }, until: 'live' });
    expect((await open.post('/nodes', from('cross-site'))).status).toBe(400);
  });
});

describe('GET /auth/login', () => {
  const it_ = liveServer(guarded);

  it('needs no body and no header; the descriptor has the specified fields and the two prompts in order', async () => {
    const reply = await it_.server.get('/auth/login');
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        type: 'credentials',
        prompts: [
          { id: 'username', type: 'text', label: 'Username' }, // Labels: decision 9.
          { id: 'password', type: 'password', label: 'Password' },
        ],
      },
    ]);
  });

  it('does not look at a token', async () => {
    expect((await it_.server.get('/auth/login', { token: 'nonsense' })).status).toBe(200);
  });
});

describe('POST /auth/token', () => {
  const it_ = liveServer(guarded);

  it('accepts a JSON body; answers access_token, expires_in, token_type', async () => {
    const reply = await it_.server.post('/auth/token', { json: request() });
    expect([reply.status, reply.body]).toEqual([
      200,
      { access_token: expect.any(String), expires_in: 604_800, token_type: 'Bearer' }, // Seconds: decision 7.
    ]);
  });

  it('accepts a form-encoded body', async () => {
    const reply = await it_.server.post('/auth/token', { form: request() });
    expect([reply.status, reply.body.token_type]).toEqual([200, 'Bearer']);
  });

  it('accepts a form-encoded body without a Content-Type header', async () => {
    const body = new TextEncoder().encode(new URLSearchParams(request()).toString());
    const reply = await it_.server.post('/auth/token', { body });
    expect([reply.status, reply.body.token_type]).toEqual([200, 'Bearer']);
  });

  it('decision 4: an Authorization header, also a bad one, does not matter here', async () => {
    const reply = await it_.server.post('/auth/token', { json: request(), token: 'nonsense' });
    expect(reply.status).toBe(200);
  });

  it('decision 8: tokens are 256 bits in base64url, another each time', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => it_.server.login('admin', 'surf')));
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('decision 10: success carries Cache-Control: no-store', async () => {
    const reply = await it_.server.post('/auth/token', { json: request() });
    expect([reply.headers.get('cache-control'), reply.headers.get('pragma')]).toEqual([
      'no-store',
      'no-cache',
    ]);
  });

  it.each(['svc-admin', 'svc-editor', 'node-red-admin', 'node-red-editor'])(
    'client_id: %s is known (decision 10)',
    async (client_id) => {
      expect((await it_.server.post('/auth/token', { json: request({ client_id }) })).status).toBe(200);
    },
  );

  it.each([
    ['admin', '*'],
    ['admin', 'read'],
    ['admin', 'read nodes.write'],
    ['reader', 'read'],
    ['reader', 'flows.read nodes.read'],
    ['narrow', 'flows.read'],
    ['reader', ''], // Decision 10: the user's own permissions.
  ])('scope: %s may ask for %j', async (username, scope) => {
    expect((await it_.server.post('/auth/token', { json: request({ username, scope }) })).status).toBe(200);
  });

  it.each([
    ['a wrong password', { password: 'sand' }],
    ['an empty password', { password: '' }],
    ['an unknown user', { username: 'nobody' }],
    ['a user name in other letters', { username: 'Admin' }],
    ['an unknown client', { client_id: 'curl' }],
    ['a scope that is not a known permission', { scope: 'surf' }],
    ['a scope that is partly unknown', { scope: 'read surf' }],
    ['a scope that the user does not hold', { username: 'reader', scope: '*' }],
    ['a scope that the user holds in part', { username: 'narrow', scope: 'read' }],
  ])('decision 10: %s gives 401 with no body', async (_case, changes) => {
    const reply = await it_.server.post('/auth/token', { json: request(changes) });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expectNoBody(reply);
  });

  it.each(['client_id', 'grant_type', 'scope', 'username', 'password'])(
    'decision 10: without the required field %s: 400, which names it',
    async (field) => {
      for (const how of ['json', 'form']) {
        const { [field]: _, ...fields } = request() as Record<string, string>;
        const reply = await it_.server.post('/auth/token', { [how]: fields });
        expect([reply.status, reply.body]).toEqual([
          400,
          { error: 'invalid_request', error_description: `Field "${field}" is missing` },
        ]);
      }
    },
  );

  it.each(['client_id', 'grant_type', 'scope', 'username', 'password'])(
    'decision 10: with an ill-typed %s: 400, which names it',
    async (field) => {
      for (const value of [7, null, true, ['x'], {}]) {
        const reply = await it_.server.post('/auth/token', { json: request({ [field]: value }) });
        expect([reply.status, reply.body]).toEqual([
          400,
          { error: 'invalid_request', error_description: `Field "${field}" must be a string` },
        ]);
      }
    },
  );

  it('decision 10: a field that a form names twice: 400', async () => {
    const reply = await it_.server.post('/auth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(request() as unknown as Record<string, string>)}&username=reader`,
    });
    expect([reply.status, reply.body.error_description]).toEqual([400, 'Field "username" must be a string']);
  });

  it.each(['{', '"text"', '[]', 'null'])('decision 10: the body %s: 400', async (body) => {
    const reply = await it_.server.post('/auth/token', {
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
  });

  it('decision 10: no body at all, or of another type: 400', async () => {
    expect((await it_.server.post('/auth/token')).status).toBe(400);
    const text = { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(request()) };
    expect((await it_.server.post('/auth/token', text)).status).toBe(400);
  });

  it.each(['client_credentials', 'authorization_code', 'Password', ''])(
    'decision 10: the grant_type %j: 400',
    async (grant_type) => {
      const reply = await it_.server.post('/auth/token', { json: request({ grant_type }) });
      expect([reply.status, reply.body]).toEqual([
        400,
        { error: 'unsupported_grant_type', error_description: 'The grant type must be "password"' },
      ]);
    },
  );

  it('decision 6: unknown fields are ignored', async () => {
    const reply = await it_.server.post('/auth/token', {
      json: request({ client_secret: 'not_available', x: [1] }),
    });
    expect(reply.status).toBe(200);
  });

  it('GET /auth/token is not there', async () => {
    expect((await it_.server.get('/auth/token')).status).toBeGreaterThanOrEqual(404);
  });
});

describe('a token', () => {
  const it_ = liveServer(guarded);
  const get = (token: string | undefined, path = '/diagnostics') =>
    it_.server.get(path, token === undefined ? {} : { token });

  it('Authentication 4: is carried in the Authorization header of every later call', async () => {
    const token = await it_.server.login('admin', 'surf');
    expect((await get(token)).status).toBe(200);
    expect((await get(token, '/flows')).status).toBe(200);
  });

  it('GET /diagnostics: 401 with no body without a token (decision 4: and WWW-Authenticate)', async () => {
    const reply = await get(undefined);
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expectNoBody(reply);
  });

  it.each(['nonsense', '', 'x'.repeat(4000), '../../etc/passwd', '%00'])(
    'decision 4: that is bad (%.20s) is 401 with no body, and is called invalid_token',
    async (token) => {
      const reply = await get(token);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
      expectNoBody(reply);
    },
  );

  it('decision 4: that is valid but without the permission is 401 with no body', async () => {
    const token = await it_.server.login('writer', 'surf', '');
    const reply = await get(token);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="settings.read"',
    );
    expectNoBody(reply);
  });

  it('decision 4: is never read from a URL, nor from a body', async () => {
    const token = await it_.server.login('admin', 'surf');
    expect((await it_.server.get(`/diagnostics?access_token=${token}`)).status).toBe(401);
    expect((await it_.server.post('/auth/revoke', { form: { access_token: token, token } })).status).toBe(
      401,
    );
    expect((await get(token)).status).toBe(200);
  });

  it.each([
    ['admin', '*', { '/diagnostics': 200, '/flows': 200 }],
    ['admin', 'read', { '/diagnostics': 200, '/flows': 200 }],
    ['admin', 'write', { '/diagnostics': 401, '/flows': 401 }],
    ['admin', 'flows.read', { '/diagnostics': 401, '/flows': 200 }],
    ['admin', 'settings.read nodes.read', { '/diagnostics': 200, '/flows': 401 }],
    ['narrow', '', { '/diagnostics': 200, '/flows': 200, '/nodes': 401 }],
    ['narrow', 'flows.read', { '/diagnostics': 401, '/flows': 200 }],
  ])('decision 11: of %s with the scope %j may do what both grant', async (username, scope, expected) => {
    const token = await it_.server.login(username, 'surf', scope);
    for (const [path, code] of Object.entries(expected))
      expect([path, (await get(token, path)).status]).toEqual([path, code]);
  });

  it('decision 11: with the scope read grants no permission that ends in .write', async () => {
    const token = await it_.server.login('admin', 'surf', 'read');
    expect((await it_.server.post('/flows', { token, json: [] })).status).toBe(401);
    expect((await it_.server.post('/nodes', { token, json: { module: 'x' } })).status).toBe(401);
  });

  it('Limits: outlives 100 others', async () => {
    const first = await it_.server.login('admin', 'surf');
    for (let i = 0; i < 100; i++) await it_.server.login('admin', 'surf');
    expect((await get(first)).status).toBe(200);
  });
});

describe('POST /auth/revoke', () => {
  const it_ = liveServer(guarded);
  const works = async (token: string) => (await it_.server.get('/diagnostics', { token })).status === 200;

  it('deletes the token in the form field `token`: it is no longer usable (States; decision 12)', async () => {
    const token = await it_.server.login('admin', 'surf');
    expect(await works(token)).toBe(true);
    const reply = await it_.server.post('/auth/revoke', { token, form: { token } });
    expect(reply.status).toBe(200);
    expectNoBody(reply);
    expect(await works(token)).toBe(false);
  });

  it('decision 12: accepts JSON, and deletes the named token, not that of the request', async () => {
    const [token, other] = [await it_.server.login('admin', 'surf'), await it_.server.login('admin', 'surf')];
    expect((await it_.server.post('/auth/revoke', { token, json: { token: other } })).status).toBe(200);
    expect([await works(token), await works(other)]).toEqual([true, false]);
  });

  it('decision 12: any valid token will do', async () => {
    const token = await it_.server.login('narrow', 'surf', 'flows.read');
    expect((await it_.server.post('/auth/revoke', { token, form: { token } })).status).toBe(200);
  });

  it('decision 12: an unknown token is no error (RFC 7009)', async () => {
    const token = await it_.server.login('admin', 'surf');
    for (const unknown of ['nonsense', '', 'x'.repeat(10_000)]) {
      const reply = await it_.server.post('/auth/revoke', { token, form: { token: unknown } });
      expect(reply.status).toBe(200);
      expectNoBody(reply);
    }
    expect(await works(token)).toBe(true);
  });

  it('decision 12: without a `token` field 400, with an ill-typed one too', async () => {
    const token = await it_.server.login('admin', 'surf');
    const missing = await it_.server.post('/auth/revoke', { token, json: {} });
    expect([missing.status, missing.body]).toEqual([
      400,
      { code: 'invalid_request', message: 'Field "token" is missing' },
    ]);
    expect((await it_.server.post('/auth/revoke', { token, json: { token: 7 } })).status).toBe(400);
    expect((await it_.server.post('/auth/revoke', { token })).status).toBe(400);
  });

  it('decision 12: without or with a bad token 401 with no body', async () => {
    const victim = await it_.server.login('admin', 'surf');
    for (const token of [undefined, 'nonsense']) {
      const reply = await it_.server.post('/auth/revoke', {
        ...(token ? { token } : {}),
        form: { token: victim },
      });
      expect(reply.status).toBe(401);
      expectNoBody(reply);
    }
    expect(await works(victim)).toBe(true);
  });
});

describe('decision 8: at rest', () => {
  it('a token is nowhere in the user directory, its file is private, and what is stored does not log in', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    const token = await server.login('admin', 'surf');
    expect(statSync(join(server.userDir, 'sluice.db')).mode & 0o777).toBe(0o600);
    const files = readdirSync(server.userDir, { withFileTypes: true }).filter((entry) => entry.isFile());
    const contents = files.map(({ name }) => readFileSync(join(server.userDir, name), 'latin1'));
    expect(contents.some((content) => content.includes(token))).toBe(false);
    const hashes = contents.join().match(/[\w-]{43}(?![\w-])/g) ?? [];
    for (const hash of new Set(hashes))
      expect((await server.get('/diagnostics', { token: hash })).status).toBe(401);
    expect(server.log()).not.toContain(token);
  });
});

describe('decision 15: tokens', () => {
  it('outlive a restart, and kill -9; revoked ones stay dead', async () => {
    await using first = await startServer({ settings: guarded, until: 'live' });
    const [token, revoked] = [await first.login('admin', 'surf'), await first.login('admin', 'surf')];
    await first.post('/auth/revoke', { token, form: { token: revoked } });
    await first.kill('SIGKILL');
    await using second = await startServer({ settings: guarded, userDir: first.userDir, until: 'live' });
    expect((await second.get('/diagnostics', { token })).status).toBe(200);
    expect((await second.get('/diagnostics', { token: revoked })).status).toBe(401);
    await second.stop();
  });

  it('decision 11: of a user who is gone after a restart are dead', async () => {
    await using first = await startServer({ settings: guarded, until: 'live' });
    const token = await first.login('reader', 'surf', '');
    await first.stop();
    const without = { ...guarded, adminAuth: { type: 'credentials', users: users.slice(0, 1) } };
    await using second = await startServer({ settings: without, userDir: first.userDir, until: 'live' });
    expect((await second.get('/diagnostics', { token })).status).toBe(401);
  });
});

describe('decision 7: adminAuth.sessionExpiryTime', () => {
  it('is the lifetime in seconds; an expired token is a bad one', async () => {
    const adminAuth = { type: 'credentials', users, sessionExpiryTime: 1 };
    await using server = await startServer({ settings: { ...guarded, adminAuth }, until: 'live' });
    const { body } = await server.post('/auth/token', { json: request() });
    expect(body.expires_in).toBe(1);
    await server.waitFor(
      async () => (await server.get('/diagnostics', { token: body.access_token })).status === 401,
    );
    const reply = await server.get('/diagnostics', { token: body.access_token });
    expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });
});

describe('anonymous access (adminAuth.default)', () => {
  const it_ = liveServer({
    ...guarded,
    adminAuth: { type: 'credentials', users, default: { permissions: 'read' } },
  });

  it('grants what it names to requests without a token', async () => {
    expect((await it_.server.get('/diagnostics')).status).toBe(200);
    expect((await it_.server.post('/flows', { json: [] })).status).toBe(401);
  });

  it('decision 4: a bad token is 401 all the same', async () => {
    expect((await it_.server.get('/diagnostics', { token: 'nonsense' })).status).toBe(401);
  });

  it('a log-in grants more', async () => {
    const token = await it_.server.login('admin', 'surf');
    expect((await it_.server.get('/diagnostics', { token })).status).toBe(200);
  });

  it('decision 12: revoking needs a token, not anonymous access', async () => {
    const token = await it_.server.login('admin', 'surf');
    expect((await it_.server.post('/auth/revoke', { form: { token } })).status).toBe(401);
    expect((await it_.server.get('/diagnostics', { token })).status).toBe(200);
  });
});

describe('functions in adminAuth', () => {
  const it_ = liveServer({
    ...guarded,
    adminAuth: {
      type: 'credentials',
      // Users are whoever has a file; its text is what they hold.
      users: (name: string) => {
        const fs = process.getBuiltinModule('node:fs');
        const file = `${__dirname}/user-${name}`;
        return fs.existsSync(file)
          ? Promise.resolve({ username: name, permissions: fs.readFileSync(file, 'utf8') })
          : Promise.resolve(null);
      },
      authenticate: (name: string, password: string) => {
        if (name === 'broken') throw new Error('no directory');
        return Promise.resolve(password === `${name}!` ? { username: name, permissions: '*' } : null);
      },
      default: () => Promise.resolve({ permissions: 'flows.read' }),
      tokens: (token: string) =>
        Promise.resolve(token === 'own-token' ? { username: 'robot', permissions: 'read' } : null),
    },
  });
  const setUser = async (name: string, permissions: string | undefined) => {
    const fs = process.getBuiltinModule('node:fs');
    const file = join(it_.server.userDir, `user-${name}`);
    if (permissions === undefined) fs.rmSync(file);
    else fs.writeFileSync(file, permissions);
  };

  it('authenticate takes the place of the password check', async () => {
    await setUser('eve', '*');
    expect(await it_.server.login('eve', 'eve!')).toMatch(/^[\w-]{43}$/);
    expect(
      (await it_.server.post('/auth/token', { json: request({ username: 'eve', password: 'eve' }) })).status,
    ).toBe(401);
  });

  it('decision 11: demoting or removing a user takes effect with the next request', async () => {
    await setUser('fred', '*');
    const token = await it_.server.login('fred', 'fred!', '*');
    const statuses = async () =>
      Promise.all(
        ['/diagnostics', '/flows'].map(async (path) => (await it_.server.get(path, { token })).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    await setUser('fred', 'flows.read');
    expect(await statuses()).toEqual([401, 200]);
    await setUser('fred', undefined);
    expect(await statuses()).toEqual([401, 401]);
  });

  it('default says what anonymous requests may do', async () => {
    expect((await it_.server.get('/flows')).status).toBe(200);
    expect((await it_.server.get('/diagnostics')).status).toBe(401);
  });

  it('tokens knows tokens of its own', async () => {
    expect((await it_.server.get('/diagnostics', { token: 'own-token' })).status).toBe(200);
    expect((await it_.server.post('/flows', { token: 'own-token', json: [] })).status).toBe(401);
    expect((await it_.server.get('/diagnostics', { token: 'other-token' })).status).toBe(401);
  });

  it('one that fails is 503 without its words, and no refusal of the password', async () => {
    const reply = await it_.server.post('/auth/token', { json: request({ username: 'broken' }) });
    expect([reply.status, reply.body.error]).toEqual([503, 'auth.unavailable']);
    expect(reply.text).not.toContain('no directory');
    expect(it_.server.log()).toContain('no directory');
  });
});

describe('decision 13: repeated failures', () => {
  const logIn = (server: TestServer, changes: object, address = '127.0.0.1') =>
    new Promise<{ status: number | undefined; retryAfter: string | undefined; length: number }>(
      (resolve, reject) => {
        const body = JSON.stringify(request(changes));
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const to = {
          port: server.port,
          host: '127.0.0.1',
          localAddress: address,
          method: 'POST',
          path: '/auth/token',
          headers,
        };
        httpRequest(to, async (res) => {
          let length = 0;
          for await (const chunk of res) length += chunk.length;
          resolve({ status: res.statusCode, retryAfter: res.headers['retry-after'], length });
        })
          .on('error', reject)
          .end(body);
      },
    );

  it('of one user from one address are slowed: 429 with Retry-After and no body; a success clears them', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    for (let i = 0; i < 5; i++) expect((await logIn(server, { password: 'sand' })).status).toBe(401);
    const slowed = await logIn(server, { password: 'surf' });
    expect(slowed).toEqual({ status: 429, retryAfter: expect.stringMatching(/^[1-9]\d*$/), length: 0 });
    await sleep(Number(slowed.retryAfter) * 1000);
    expect((await logIn(server, {})).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await logIn(server, { password: 'sand' })).status).toBe(401);
    expect((await logIn(server, {})).status).toBe(200);
  });

  it('cannot lock out another address’s valid log-in, nor another user’s of the same', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    for (let i = 0; i < 8; i++) await logIn(server, { password: 'sand' }, '127.0.0.2');
    expect((await logIn(server, {}, '127.0.0.2')).status).toBe(429);
    expect((await logIn(server, { username: 'reader', scope: 'read' }, '127.0.0.2')).status).toBe(200);
    expect((await logIn(server, {}, '127.0.0.3')).status).toBe(200);
  });

  it('of many users from one address are slowed', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    const replies = [];
    for (let i = 0; i < 25; i++)
      replies.push((await logIn(server, { username: `user${i}` }, '127.0.0.2')).status);
    expect(replies.slice(0, 20).every((code) => code === 401)).toBe(true);
    expect(replies.slice(20)).toContain(429);
    expect((await logIn(server, {}, '127.0.0.3')).status).toBe(200);
  });

  it('at once do not get around it', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    const guesses = Array.from({ length: 50 }, (_, i) =>
      logIn(server, { password: `guess${i}` }, '127.0.0.2'),
    );
    const statuses = (await Promise.all(guesses)).map((guess) => guess.status);
    expect(statuses.filter((code) => code === 401).length).toBeLessThan(10);
  });
});

describe('a flood of log-ins', () => {
  it('does not keep the rest of the API from answering', async () => {
    const slow = [{ username: 'admin', password: bcrypt('surf', { cost: 11 }), permissions: '*' }];
    const settings = { ...guarded, adminAuth: { type: 'credentials', users: slow } };
    await using server = await startServer({ settings, until: 'live' });
    const token = await server.login('admin', 'surf');
    let done = false;
    const flood = Promise.all(
      Array.from({ length: 20 }, () => server.post('/auth/token', { json: request() })),
    ).finally(() => {
      done = true;
    });
    let answered = 0;
    while (!done) {
      expect((await server.get('/flows', { token })).status).toBe(200);
      answered += 1;
    }
    // Passwords are checked off the main thread: requests are answered by the hundred meanwhile.
    expect(answered).toBeGreaterThan(20);
    expect((await flood).map(status)).toEqual(Array.from({ length: 20 }, () => 200));
  });
});

describe('decision 12: an open WebSocket', () => {
  const opened = async (server: TestServer, token: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/comms`);
    const frames: unknown[] = [];
    const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()));
    const authenticated = new Promise<void>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        frames.push(JSON.parse(String(data)));
        resolve();
      });
    });
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify({ auth: token }));
    await authenticated;
    return { frames, closed };
  };

  it('ends when its token is revoked, and others go on', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    const [token, other] = [await server.login('admin', 'surf'), await server.login('admin', 'surf')];
    const [mine, theirs] = [await opened(server, token), await opened(server, other)];
    expect(mine.frames).toEqual([{ auth: 'ok' }]);
    await server.post('/auth/revoke', { token: other, form: { token } });
    await mine.closed;
    expect(mine.frames.at(-1)).toEqual({ auth: 'fail' });
    await server.post('/auth/revoke', { token: other, form: { token: other } });
    await theirs.closed;
  });

  it('ends when its token expires', async () => {
    const adminAuth = { type: 'credentials', users, sessionExpiryTime: 1 };
    await using server = await startServer({ settings: { ...guarded, adminAuth }, until: 'live' });
    const { frames, closed } = await opened(server, await server.login('admin', 'surf'));
    await closed;
    expect(frames.at(-1)).toEqual({ auth: 'fail' });
  });

  it('is refused for a bad token', async () => {
    await using server = await startServer({ settings: guarded, until: 'live' });
    const { frames, closed } = await opened(server, 'nonsense');
    await closed;
    expect(frames).toEqual([{ auth: 'fail' }]);
  });
});
