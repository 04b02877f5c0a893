import { afterEach } from 'vitest';
import { AppError } from '../../src/contract/errors.ts';
import { Type } from '../../src/contract/schema.ts';
import { everybody, type Principal } from '../../src/control/auth/principal.ts';
import { createApp } from '../../src/control/http/app.ts';
import type { Feature } from '../../src/control/http/feature.ts';
import { HttpServer } from '../../src/control/http/http-server.ts';
import { TooManyAttempts } from '../../src/control/http/refusals.ts';
import { type Logger, silentLogger } from '../../src/logging/logger.ts';

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

/** How an application is built. */
export interface SurfOptions {
  readonly root?: string | false;
  readonly identify?: () => Principal | Promise<Principal>;
  readonly log?: Logger;
}

/** Starts applications with these routes, each until the end of the test. */
export function surfApps() {
  const open: HttpServer[] = [];
  afterEach(async () => {
    for (const http of open.splice(0)) await http.close();
  });
  return async (options: SurfOptions = {}) => {
    const http = new HttpServer();
    open.push(http);
    return startApp(http, options);
  };
}

async function startApp(http: HttpServer, options: SurfOptions) {
  const handedOn: { method: string | undefined; url: string | undefined; body: string }[] = [];
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
