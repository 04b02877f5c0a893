import cors, { type CorsOptions } from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import type { Settings } from '../../settings/settings.ts';
import { basicAuth } from './basic-auth.ts';

/** Serves the folders of `httpStatic`, each at its root (which the settings have put below `httpStaticRoot`), once each. */
export function serveStaticFolders(
  app: Express,
  settings: Pick<Settings, 'httpStatic' | 'httpStaticCors' | 'httpStaticAuth'>,
): void {
  const seen = new Set<string>();
  for (const folder of settings.httpStatic ?? []) {
    const { root } = folder;
    if (seen.has(`${folder.path}::${root}`)) continue;
    seen.add(`${folder.path}::${root}`);
    const origins = ('cors' in folder ? folder.cors : undefined) ?? settings.httpStaticCors;
    if (origins) app.use(root, cors(origins as CorsOptions));
    if (settings.httpStaticAuth) app.use(root, basicAuth(settings.httpStaticAuth));
    const middleware = 'middleware' in folder ? (folder.middleware ?? []) : [];
    // The settings file's handlers are connect-style; express checks that they are functions.
    for (const handler of middleware) app.use(root, handler as RequestHandler);
    app.use(root, express.static(folder.path, ('options' in folder ? folder.options : undefined) ?? {}));
  }
}
