import { describe, expect, it } from 'vitest';
import { surfApps } from '../../../test/support/surf-app.ts';
import { silentLogger } from '../../logging/logger.ts';
import { everybody, type Principal } from '../auth/principal.ts';
import { createApp } from './app.ts';
import type { Feature } from './feature.ts';
import { HttpServer } from './http-server.ts';
import { Unauthorized } from './refusals.ts';

const start = surfApps();

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
