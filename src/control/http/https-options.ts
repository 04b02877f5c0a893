import type { ServerOptions as HttpsOptions } from 'node:https';
import { isObject } from '../../contract/json.ts';
import type { Logger } from '../../logging/logger.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { HttpServer } from './http-server.ts';

/** What of the settings says whether HTTPS is served, and how. */
export interface HttpsSettings {
  /** Options, or a function that returns (a promise of) them. */
  readonly https?: object | (() => unknown);
  /** Hours. */
  readonly httpsRefreshInterval?: number;
}

const mostHours = 596; // What a timer can bear.

/**
 * The server that the settings ask for; not listening yet.
 * @throws SettingsError where the setting `https` gives no certificate that can be used
 */
export async function serverOf(settings: HttpsSettings): Promise<{ http: HttpServer; isSecure: boolean }> {
  try {
    const options = await httpsOptions(settings);
    return { http: new HttpServer(options), isSecure: options !== undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`the setting https gives no certificate that can be used: ${reason}`);
  }
}

/**
 * Asks the function of the setting `https` again every `httpsRefreshInterval` hours, and serves new connections with
 * the certificate that it then gives. @returns how to stop.
 */
export function refreshHttps(settings: HttpsSettings, http: HttpServer, log: Logger): () => void {
  const { https, httpsRefreshInterval } = settings;
  const server = http.server;
  if (typeof https !== 'function' || httpsRefreshInterval === undefined || !('setSecureContext' in server)) {
    return () => {};
  }
  const refresh = async (): Promise<void> => {
    const options = await httpsOptions(settings);
    if (options) (server as import('node:https').Server).setSecureContext(options);
  };
  const timer = setInterval(() => {
    refresh().catch((err) => log.error('The certificate could not be renewed', { err }));
  }, Math.min(httpsRefreshInterval, mostHours) * 3_600_000);
  timer.unref();
  return () => clearInterval(timer);
}

async function httpsOptions({ https }: HttpsSettings): Promise<HttpsOptions | undefined> {
  const options: unknown = typeof https === 'function' ? await https() : https;
  return isObject(options) ? (options as HttpsOptions) : undefined;
}
