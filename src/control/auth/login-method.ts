import type { LoginMethod } from '../../contract/auth.ts';
import { isObject } from '../../contract/json.ts';

/** What of the settings says how one logs in. */
export interface LoginMethodSettings {
  readonly httpAdminRoot: string | false;
  readonly adminAuth?: { readonly type: string; readonly strategy?: object };
}

/** The body of `GET /auth/login`: how a client finds out what to ask its user for (decision 9). */
export function loginMethodOf(settings: LoginMethodSettings): LoginMethod {
  const { adminAuth } = settings;
  if (!adminAuth) return {};
  if (adminAuth.type === 'strategy') return strategyMethod(adminAuth.strategy, settings.httpAdminRoot);
  return {
    type: 'credentials',
    prompts: [
      { id: 'username', type: 'text', label: 'Username' },
      { id: 'password', type: 'password', label: 'Password' },
    ],
  };
}

function strategyMethod(strategy: unknown, root: string | false): LoginMethod {
  const { label, icon, image, autoLogin } = isObject(strategy) ? strategy : {};
  const url = `${root === false || root === '/' ? '' : root}auth/strategy`;
  return {
    type: 'strategy',
    prompts: [
      {
        type: 'button',
        label: typeof label === 'string' ? label : 'Log in',
        url,
        ...(typeof icon === 'string' ? { icon } : {}),
        ...(typeof image === 'string' ? { image } : {}),
      },
    ],
    ...(autoLogin === true ? { autoLogin, loginRedirect: url } : {}),
  };
}
