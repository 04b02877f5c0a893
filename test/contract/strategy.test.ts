// adminAuth.type "strategy": a browser logs in elsewhere, comes back with a code, and the editor exchanges it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startServer, type TestServer } from '../support/server.ts';

/** A strategy as packages publish them: it needs a session, and tells of the user by a callback. */
const strategy = `
  class Waves {
    constructor(options, verify) {
      if (!options.clientID) throw new TypeError('clientID is missing');
      Object.assign(this, { name: 'waves', options, verify });
    }
    authenticate(req, options) {
      const { ticket, state } = { ...req.query, ...req.body };
      if (ticket === undefined) {
        req.session.state = 'state-' + Math.random();
        const back = encodeURIComponent(this.options.callbackURL);
        return this.redirect('https://waves.example/authorize?state=' + req.session.state + '&back=' + back);
      }
      if (ticket === 'bug') throw new Error('the secret of a bug');
      if (ticket === 'broken') return this.error(new Error('the secret of the provider'));
      if (ticket === 'denied') return this.fail({ message: 'You said no & went' }, 403);
      if (state !== req.session.state) return this.fail(401);
      this.verify('token', 'secret', { username: ticket, at: req.headers.host }, (error, user, info) =>
        error ? this.error(error) : user ? this.success(user, info) : this.fail(info));
    }
  }`;
const settings = (more = '', options = '', strategyMore = '') => `${strategy}
module.exports = {
  diagnostics: { enabled: true },
  adminAuth: {
    type: 'strategy',
    strategy: { name: 'waves', label: 'Sign in with Waves', icon: 'fa-anchor', ${strategyMore} strategy: Waves,
      options: { clientID: 'x', callbackURL: 'http://localhost/auth/strategy/callback', ${options} } },
    users: [{ username: 'fred', permissions: 'read' }, { username: 'admin', permissions: '*' }],
    ${more}
  },
};`;

/** A browser: it goes where it is sent, with the cookie it was given. */
class Browser {
  readonly #server: TestServer;
  readonly #root: string;
  cookie: string | undefined;

  constructor(server: TestServer, root = '/') {
    this.#server = server;
    this.#root = root;
  }

  get #headers() {
    return this.cookie === undefined ? {} : { headers: { cookie: this.cookie } };
  }

  async leave(): Promise<URL> {
    const reply = await this.#server.get(`${this.#root}auth/strategy`, this.#headers);
    expect([reply.status, reply.text]).toEqual([302, '']);
    const header = reply.headers.get('set-cookie') ?? '';
    expect(header).toMatch(/^sluice-login=[\w-]{43}; Path=.*auth\/strategy; HttpOnly; SameSite=Lax/);
    this.cookie = header.split(';')[0];
    return new URL(reply.headers.get('location') ?? '');
  }

  /** @returns where the browser is sent in the end */
  async comeBack(ticket: string, state?: string | null): Promise<string> {
    const query = new URLSearchParams({ ticket, ...(state ? { state } : {}) });
    const reply = await this.#server.get(`${this.#root}auth/strategy/callback?${query}`, this.#headers);
    expect(reply.status).toBe(302);
    return reply.headers.get('location') ?? '';
  }

  /** Logs in, and gives the code. */
  async code(ticket: string): Promise<string> {
    const state = (await this.leave()).searchParams.get('state');
    const location = await this.comeBack(ticket, state);
    expect(location).toMatch(/\?code=[\w-]{43}$/);
    return location.split('code=')[1] ?? '';
  }
}

describe('a strategy', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ settings: settings(), until: 'live' });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  const exchange = (code: string): Promise<Reply> => server.post('/auth/token', { form: { code } });

  it('is described by GET /auth/login', async () => {
    expect((await server.get('/auth/login')).body).toEqual({
      type: 'strategy',
      prompts: [{ type: 'button', label: 'Sign in with Waves', url: 'auth/strategy', icon: 'fa-anchor' }],
    });
  });

  it('logs a user in: away, back, a code, a token that may do what the user may', async () => {
    const code = await new Browser(server).code('fred');
    const reply = await exchange(code);
    expect([reply.status, reply.body, reply.headers.get('cache-control')]).toEqual([
      200,
      { accessToken: expect.stringMatching(/^[\w-]{43}$/), expires_in: 604_800 },
      'no-store',
    ]);
    const token = reply.body.accessToken;
    expect((await server.get('/diagnostics', { token })).status).toBe(200);
    expect((await server.post('/flows', { token, json: [] })).status).toBe(401);
    expect((await server.get('/settings', { token })).body.user).toMatchObject({ username: 'fred' });
    await server.post('/auth/revoke', { token, form: { token } });
    expect((await server.get('/diagnostics', { token })).status).toBe(401);
  });

  it('gives a code that can be exchanged once', async () => {
    const code = await new Browser(server).code('admin');
    expect((await exchange(code)).status).toBe(200);
    for (const one of [code, 'nonsense', '']) {
      const reply = await exchange(one);
      expect([reply.status, reply.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'Invalid exchange code' },
      ]);
    }
  });

  it('refuses who is no user here, who said no, and who comes back to another browser', async () => {
    const browser = new Browser(server);
    const state = (await browser.leave()).searchParams.get('state');
    expect(await browser.comeBack('denied')).toBe('/?session_message=You%20said%20no%20%26%20went');
    const unknown = new Browser(server);
    const theirs = (await unknown.leave()).searchParams.get('state');
    expect(await unknown.comeBack('nobody', theirs)).toMatch(/^\/\?session_message=/);
    expect(await new Browser(server).comeBack('admin', state)).toMatch(/^\/\?session_message=/);
  });

  it('that fails says so, and keeps why to the log', async () => {
    for (const ticket of ['bug', 'broken']) {
      const location = await new Browser(server).comeBack(ticket);
      expect(location).toMatch(/^\/\?session_message=/);
      expect(location).not.toContain('secret');
    }
    expect(server.log()).toContain('the secret of a bug');
    expect(server.log()).toContain('the secret of the provider');
  });

  it('leaves no room for passwords', async () => {
    const json = {
      client_id: 'svc-admin',
      grant_type: 'password',
      scope: '',
      username: 'admin',
      password: '',
    };
    expect((await server.post('/auth/token', { json })).status).toBe(400);
  });

  it('guards as usual', async () => {
    expect((await server.get('/flows')).status).toBe(401);
  });
});

describe('the settings of a strategy', () => {
  it('verify, authenticate, autoLogin, and a root of its own', async () => {
    const text = settings(
      "authenticate: (profile) => Promise.resolve(profile.checked ? { username: 'admin', permissions: '*' } : null),",
      "verify: (token, secret, profile, done) => done(null, { ...profile, checked: token === 'token' && profile.username === 'anyone' }),",
      'autoLogin: true,',
    ).replace('adminAuth:', "httpAdminRoot: '/admin', adminAuth:");
    await using server = await startServer({ settings: text, adminRoot: '/admin', until: 'live' });
    expect((await server.get('/admin/auth/login')).body).toMatchObject({
      autoLogin: true,
      loginRedirect: '/admin/auth/strategy',
      prompts: [{ url: '/admin/auth/strategy' }],
    });
    const code = await new Browser(server, '/admin/').code('anyone');
    const { accessToken } = (await server.post('/admin/auth/token', { json: { code } })).body;
    expect((await server.get('/admin/diagnostics', { token: accessToken })).status).toBe(200);
    const other = new Browser(server, '/admin/');
    const state = (await other.leave()).searchParams.get('state');
    expect(await other.comeBack('someone', state)).toMatch(/^\/admin\/\?session_message=/);
  });

  it('callbackMethod POST', async () => {
    await using server = await startServer({
      settings: settings('', "callbackMethod: 'POST',"),
    });
    const browser = new Browser(server);
    const state = (await browser.leave()).searchParams.get('state') ?? '';
    const headers = { cookie: browser.cookie ?? '' };
    const reply = await server.post('/auth/strategy/callback', { headers, form: { ticket: 'fred', state } });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, expect.stringMatching(/^\/\?code=/)]);
    expect((await server.get('/auth/strategy/callback', { headers })).status).toBe(404);
  });

  it('that make none end the start with one line', async () => {
    const broken = settings().replace("clientID: 'x',", '');
    await using server = await startServer({ settings: broken, until: 'spawned' });
    expect((await server.exited).code).toBe(1);
    expect(server.log().trim().split('\n').at(-1)).toMatch(
      /^sluice: .*adminAuth\.strategy.*clientID is missing/,
    );
  });
});
