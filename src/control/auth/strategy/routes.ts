import { noBody } from '../../../contract/bodies.ts';
import type { Feature } from '../../http/feature.ts';
import type { StrategyLogin } from './strategy-login.ts';

/** `/auth/strategy` and its callback: where a browser goes to log in elsewhere, and comes back to. */
export const strategyRoutes =
  (login: Pick<StrategyLogin, 'visit' | 'callbackMethod'>): Feature =>
  async (app) => {
    const routes = [
      { method: 'GET', url: '/auth/strategy', summary: 'Sends a browser to where its user logs in' },
      {
        method: login.callbackMethod,
        url: '/auth/strategy/callback',
        summary: 'Where a browser comes back to; sends it to the editor',
      },
    ] as const;
    for (const { method, url, summary } of routes) {
      app.route({
        method,
        url,
        schema: { response: { 302: noBody('Where to go') } },
        config: { needs: 'open', summary },
        handler: async (request, reply) => {
          const { url: target, status, cookie } = await login.visit(request);
          if (cookie !== undefined) reply.header('set-cookie', cookie);
          return reply.header('cache-control', 'no-store').redirect(target, status);
        },
      });
    }
  };
