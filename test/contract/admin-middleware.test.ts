// The settings httpAdminMiddleware and httpAdminCors, over HTTP.
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';

describe('httpAdminMiddleware', () => {
  it('stands in front of every route of the admin API, with express’s requests and responses', async () => {
    await using server = await startServer({
      settings: {
        httpAdminRoot: '/admin',
        // biome-ignore lint/suspicious/noExplicitAny: written as in a settings file
        httpAdminMiddleware: (req: any, res: any, next: (error?: unknown) => void) => {
          if (req.path === '/settings') return res.status(418).send(`no settings for ${req.get('x-name')}`);
          if (req.query.fail) return next(new Error('at /home/secret'));
          res.set('X-Frame-Options', 'sameorigin');
          next();
        },
      },
      adminRoot: '/admin',
      until: 'live',
    });
    const login = await server.get('/admin/auth/login');
    expect([login.status, login.headers.get('x-frame-options')]).toEqual([200, 'sameorigin']);
    expect(login.headers.get('x-powered-by')).toBeNull();
    const posted = await server.post('/admin/auth/revoke', { json: { token: 'x' } });
    expect([posted.status, posted.headers.get('x-frame-options')]).toEqual([200, 'sameorigin']);
    const settings = await server.get('/admin/settings', { headers: { 'x-name': 'Fred' } });
    expect([settings.status, settings.text]).toEqual([418, 'no settings for Fred']);
    const failed = await server.get('/admin/flows?fail=1');
    expect([failed.status, failed.body]).toEqual([
      500,
      { code: 'internal_error', message: expect.any(String) },
    ]);
    expect(failed.text).not.toContain('secret');
    expect(server.log()).toContain('at /home/secret');
  });

  it('may be several', async () => {
    await using server = await startServer({
      settings: `module.exports = { httpAdminMiddleware: [
        (req, res, next) => { res.set('X-One', '1'); next(); },
        (req, res, next) => { res.set('X-Two', res.get('X-One') + '2'); next(); },
      ] };`,
      until: 'live',
    });
    expect((await server.get('/auth/login')).headers.get('x-two')).toBe('12');
  });
});

describe('httpAdminCors', () => {
  it('answers preflights and allows what it names', async () => {
    await using server = await startServer({
      settings: { httpAdminCors: { origin: 'https://surf.example', methods: 'GET,POST' } },
      until: 'live',
    });
    const headers = { origin: 'https://surf.example', 'access-control-request-method': 'POST' };
    const preflight = await server.request('OPTIONS', '/flows', { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://surf.example');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,POST');
    const reply = await server.get('/flows', { headers: { origin: 'https://surf.example' } });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://surf.example',
    ]);
  });

  it('is off by default', async () => {
    await using server = await startServer({ until: 'live' });
    const reply = await server.get('/flows', { headers: { origin: 'https://surf.example' } });
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });
});
