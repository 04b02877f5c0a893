// Who can reach the API, and how: addresses, users of a function, spellings of a request, entity tags, a root of its own.
import { networkInterfaces } from 'node:os';
import { hashSync } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const password = hashSync('surf', { cost: 4 });
const users = [{ username: 'admin', password, permissions: '*' }];
/** An address of this machine that others can reach. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address;

describe.runIf(outside)('decision 2: from another machine', () => {
  const reached = async (server: TestServer): Promise<boolean> =>
    fetch(`http://${outside}:${server.port}/auth/login`, { signal: AbortSignal.timeout(5000) })
      .then((reply) => reply.ok)
      .catch(() => false);

  it('nobody comes in without adminAuth', async () => {
    await using server = await startServer({ settings: {}, until: 'live' });
    expect(await reached(server)).toBe(false);
    expect((await server.get('/auth/login')).status).toBe(200);
  });

  it('everybody does where uiHost says so, and the log warns of it', async () => {
    await using server = await startServer({ settings: { uiHost: '0.0.0.0' }, until: 'live' });
    expect(await reached(server)).toBe(true);
    expect(server.log()).toMatch(/warn\].*everybody who can reach 0\.0\.0\.0 has full access/);
  });

  it('everybody reaches the log-in with adminAuth, without a warning', async () => {
    const settings = { adminAuth: { type: 'credentials', users } };
    await using server = await startServer({ settings, until: 'live' });
    expect(await reached(server)).toBe(true);
    expect(server.log()).not.toContain('full access');
  });
});

describe('adminAuth.users that is a function', () => {
  it('is asked for the user, whose password is then checked', async () => {
    const settings = `module.exports = { diagnostics: { enabled: true }, adminAuth: { type: 'credentials', users: async (name) =>
      name === 'fred' ? { username: 'fred', password: ${JSON.stringify(password)}, permissions: 'read' } : null } };`;
    await using server = await startServer({ settings, until: 'live' });
    const token = await server.login('fred', 'surf', 'read');
    expect((await server.get('/diagnostics', { token })).status).toBe(200);
    expect((await server.post('/flows', { token, json: [] })).status).toBe(401);
    const ask = { client_id: 'svc-admin', grant_type: 'password', scope: '' };
    for (const wrong of [
      { username: 'fred', password: 'sand' },
      { username: 'wilma', password: 'surf' },
    ]) {
      const reply = await server.post('/auth/token', { json: { ...ask, ...wrong } });
      expect([reply.status, reply.text]).toEqual([401, '']);
    }
  });
});

describe('a request', () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startServer({
      settings: {
        httpAdminRoot: '/admin',
        diagnostics: { enabled: true },
        adminAuth: { type: 'credentials', users },
      },
      adminRoot: '/admin',
    });
    const reply = await server.post('/admin/auth/token', {
      form: {
        client_id: 'svc-admin',
        grant_type: 'password',
        scope: '*',
        username: 'admin',
        password: 'surf',
      },
    });
    token = reply.body.access_token;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it.each(['/admin/diagnostics', '/admin/diagnostics/', '/ADMIN/Diagnostics', '/admin/diagnostics?x=1'])(
    'may spell its path %s',
    async (path) => {
      expect((await server.get(path, { token })).status).toBe(200);
      expect((await server.get(path)).status).toBe(401);
    },
  );

  it.each([
    '/diagnostics',
    '/admin//diagnostics',
    '//admin/diagnostics',
    '/admin/%64iagnostics',
    '/admindiagnostics',
  ])('that spells it %s finds nothing, with or without a token', async (path) => {
    expect((await server.get(path, { token })).status).toBe(404);
    expect((await server.get(path)).status).toBe(404);
  });

  it.each([
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    ['text/plain', 400],
    ['application/vnd.api+json', 400],
    ['garbage', 400],
  ])('for a token with a JSON body of the type %s: %i', async (type, status) => {
    const body = JSON.stringify({
      client_id: 'svc-editor',
      grant_type: 'password',
      scope: '',
      username: 'admin',
      password: 'surf',
    });
    const reply = await server.post('/admin/auth/token', { headers: { 'content-type': type }, body });
    expect(reply.status, reply.text).toBe(status);
  });

  it('for a token takes its fields from the body alone', async () => {
    const query = new URLSearchParams({
      client_id: 'svc-admin',
      grant_type: 'password',
      scope: '*',
      username: 'admin',
      password: 'surf',
    });
    expect((await server.post(`/admin/auth/token?${query}`)).status).toBe(400);
  });

  it('decision 4: carries its token in no other way than in the Authorization header', async () => {
    const tries = [
      { headers: { cookie: `access_token=${token}` } },
      { headers: { 'x-access-token': token } },
      { headers: { authorization: `Token ${token}` } },
      { headers: { authorization: token } },
      { headers: { authorization: `Bearer ${token} more` } },
    ];
    for (const options of tries) expect((await server.get('/admin/diagnostics', options)).status).toBe(401);
    expect((await server.get(`/admin/diagnostics?access_token=${token}`)).status).toBe(401);
    expect((await server.post('/admin/flows', { json: { access_token: token, flows: [] } })).status).toBe(
      401,
    );
  });

  it('for names that no system has is answered as for any that is not there', async () => {
    const long = 'x'.repeat(3000);
    for (const path of [`icons/${long}/${long}.svg`, 'icons/node-red/%00.svg', 'icons/%00/x.svg']) {
      const reply = await server.get(`/admin/${path}`);
      expect([reply.status, reply.headers.get('content-type')], path).toEqual([200, 'image/svg+xml']);
    }
    const stored = await server.post(`/admin/library/local/flows/${long}`, { token, json: [] });
    expect([stored.status, stored.body.code]).toEqual([400, 'invalid_request']);
    expect((await server.get('/admin/nodes/no-scope/a/b', { token })).status).toBe(404);
  });

  it('for what the client has already is 304, and for a report never', async () => {
    const json = { accept: 'application/json' };
    for (const path of [
      '/admin/nodes',
      '/admin/settings',
      '/admin/flows',
      '/admin/locales/editor',
      '/admin/theme',
    ]) {
      const etag = (await server.get(path, { token, headers: json })).headers.get('etag') ?? '';
      expect([path, etag]).toEqual([path, expect.stringMatching(/^(W\/)?"/)]);
      const again = await server.get(path, { token, headers: { ...json, 'if-none-match': etag } });
      expect([path, again.status, again.text]).toEqual([path, 304, '']);
      const head = await server.request('HEAD', path, { token, headers: { 'if-none-match': '*' } });
      expect([path, head.status]).toEqual([path, 304]);
      // Whoever may not see it is not told that it is the same.
      const stranger = await server.get(path, { headers: { ...json, 'if-none-match': etag } });
      expect(stranger.status, path).toBe(/locales|theme/.test(path) ? 304 : 401);
    }
    const report = await server.get('/admin/diagnostics', { token, headers: { 'if-none-match': '*' } });
    expect([report.status, report.headers.get('etag')]).toEqual([200, null]);
  });
});
