import type { Logger } from '../../../logging/logger.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Feature } from '../../http/feature.ts';
import type { Authenticator } from '../authenticator.ts';
import type { StrategyLogin } from './strategy-login.ts';

/** Log-ins elsewhere, where they are configured; only then are they loaded. */
export async function openStrategyLogin(
  settings: Settings,
  auth: Authenticator,
  log: Logger,
): Promise<{ readonly login: StrategyLogin; readonly feature: Feature } | undefined> {
  const { adminAuth, httpAdminRoot } = settings;
  if (adminAuth?.type !== 'strategy' || httpAdminRoot === false) return undefined;
  const [{ StrategyLogin }, { strategyRoutes }] = await Promise.all([
    import('./strategy-login.ts'),
    import('./routes.ts'),
  ]);
  const login = new StrategyLogin({ strategy: adminAuth.strategy, root: httpAdminRoot, auth, log });
  return { login, feature: strategyRoutes(login) };
}
