import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CorsOptions } from 'cors';
import type { RequestHandler } from 'express';
import { errors } from '../../contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Settings } from '../../settings/settings.ts';

/** What stands in front of every route of the admin API; `next` is called unless it answered by itself. */
export type Before = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * The handlers of the settings `httpAdminMiddleware` and `httpAdminCors`, in this order.
 * @remarks They are given the requests and responses of express, as they were written for. Neither express nor `cors` is
 * loaded where nothing is configured. A handler that fails answers 500.
 */
export async function adminMiddleware(
  settings: Pick<Settings, 'httpAdminRoot' | 'httpAdminMiddleware' | 'httpAdminCors'>,
  log: Logger,
): Promise<Before | undefined> {
  const { httpAdminRoot, httpAdminMiddleware = [], httpAdminCors } = settings;
  if (httpAdminRoot === false || (httpAdminMiddleware.length === 0 && httpAdminCors === undefined))
    return undefined;
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  for (const handler of httpAdminMiddleware) app.use(httpAdminRoot, handler as RequestHandler);
  if (httpAdminCors) {
    const { default: cors } = await import('cors');
    app.use(httpAdminRoot, cors(httpAdminCors as CorsOptions));
  }
  // Called by Node it makes express's requests and responses of what it is given; its type tells of those only.
  const handle = app as unknown as (
    ...call: [IncomingMessage, ServerResponse, (err?: unknown) => void]
  ) => void;
  return (req, res, next) =>
    handle(req, res, (err?: unknown) => {
      if (err === undefined || err === null) return next();
      log.error('A handler of the setting httpAdminMiddleware or httpAdminCors failed', { err });
      if (res.headersSent) return res.destroy();
      res.writeHead(500, { 'content-type': 'application/json; charset=utf-8' });
      res.end(JSON.stringify({ code: 'internal_error', message: errors.internal_error.message }));
    });
}
