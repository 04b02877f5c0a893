import { isObject, type JsonObject } from '../contract/json.ts';
import type { Fields } from './kinds/index.ts';
import type { AdminAuth, BasicAuth } from './schema/security.ts';
import { suggest } from './suggest.ts';

/** Of shorter names too many are nearly others. */
const shortest = 5;

/** What of the settings holds hashes of passwords. */
export interface PasswordSettings {
  readonly adminAuth?: AdminAuth | undefined;
  readonly httpNodeAuth?: unknown;
  readonly httpStaticAuth?: BasicAuth | undefined;
}

/**
 * Names that are most likely mistyped: unknown, and nearly those of settings. Others are left alone, as node modules have
 * settings of their own.
 * @param path dotted name of what `given` is a member of
 */
export function mistyped(given: JsonObject, fields: Fields, path = ''): string[] {
  const known = Object.keys(fields);
  return Object.entries(given).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (!Object.hasOwn(fields, name)) {
      const near = name.length < shortest ? undefined : suggest(name, known);
      return near === undefined ? [] : [`There is no setting ${at}; did you mean ${near}?`];
    }
    const members = fields[name]?.kind.fields;
    return members && isObject(value) ? mistyped(value, members, at) : [];
  });
}

/** Passwords where a hash is expected: whoever has one can't log in. */
export function unhashed({ adminAuth, httpNodeAuth, httpStaticAuth }: PasswordSettings): string[] {
  const users = adminAuth?.authenticate || !Array.isArray(adminAuth?.users) ? [] : adminAuth.users;
  const hashes: [setting: string, hash: unknown][] = [
    ...users.map(({ password }, i): [string, unknown] => [`adminAuth.users[${i}].password`, password]),
    ['httpNodeAuth.pass', isObject(httpNodeAuth) ? httpNodeAuth['pass'] : undefined],
    ['httpStaticAuth.pass', httpStaticAuth?.pass],
  ];
  return hashes
    .filter(([, hash]) => typeof hash === 'string' && !/^\$(?:2[aby]|argon2(?:id|i|d))\$/.test(hash))
    .map(
      ([setting]) =>
        `The setting ${setting} is no hash of a password, so it lets nobody in; \`sluice hash-pw\` makes one`,
    );
}
