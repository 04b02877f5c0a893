import { isObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/permissions.ts';
import {
  defaulted,
  either,
  flag,
  func,
  integer,
  type Kind,
  listOf,
  mapped,
  number,
  objectOf,
  oneOf,
  oneOrMore,
  optional,
  orOff,
  plainObject,
  required,
  secret,
  text,
} from '../kinds/index.ts';

/** What a user may do: one permission, several in a text, or an array; read as an array of single words. */
const scope: Kind<Scope> = mapped(oneOrMore(text), (words) =>
  words.flatMap((word) => word.split(/[\s,]+/).filter(Boolean)),
);

const user = objectOf({
  username: required(text, 'Name of the user.'),
  password: optional(secret, 'Hash of the password: argon2id (`sluice hash-pw`) or bcrypt.'),
  permissions: defaulted(scope, [], '`"*"`, `"read"`, `"write"`, or single permissions.'),
});

const userFields = {
  type: defaulted(
    oneOf(['credentials', 'strategy']),
    'credentials',
    '`credentials`: user name and password; `strategy`: a log-in elsewhere, as `strategy` says.',
  ),
  users: optional(
    either(oneOrMore(user), func<(username: string) => unknown>()),
    'The users, or a function that is given a user name and returns (a promise of) the user or `null`.',
  ),
  authenticate: optional(
    func<(username: string, password: string) => unknown>(),
    'Checks a user name and a password in place of the stored hash; returns (a promise of) the user or `null`.',
  ),
  default: optional(
    either(
      orOff(objectOf({ permissions: defaulted(scope, [], 'What somebody without a token may do.') })),
      func<() => unknown>(),
    ),
    'What an anonymous client may do: `{ permissions }`, or a function that returns (a promise of) that.',
  ),
  tokens: optional(
    either(
      listOf(
        objectOf({
          token: required(secret, 'The token.'),
          user: required(text, 'Name of the user it stands for.'),
          scope: defaulted(scope, ['*'], 'What it may do, at most.'),
        }),
      ),
      func<(token: string) => unknown>(),
    ),
    'Tokens of your own: an array of `{ token, user, scope }`, or a function that is given a token and returns (a promise ' +
      'of) the user or `null`.',
  ),
  tokenHeader: optional(
    text,
    'The header that carries a token for the function `tokens`; default `authorization`.',
  ),
  sessionExpiryTime: defaulted(
    integer({ min: 1, unit: 'seconds' }),
    604_800,
    'How long an access token lives, in seconds.',
  ),
  strategy: optional(
    plainObject,
    'A log-in elsewhere: `{ strategy, options, label, icon, image, autoLogin }`, where `strategy` is the class of a Passport ' +
      'strategy and `options` are what it is made with (`callbackURL` must lead to `auth/strategy/callback`), besides ' +
      '`verify` and `callbackMethod`.',
  ),
};

/** Who may use the administration API. */
const adminAuth = mapped(objectOf(userFields), (auth) => auth);
const adminAuthWithModule: Kind<ReturnOf<typeof adminAuth>> = {
  ...adminAuth,
  read(value, path) {
    // `adminAuth.module` is an object made by a package; its members win.
    const merged = isObject(value) && isObject(value['module']) ? { ...value, ...value['module'] } : value;
    return adminAuth.read(merged, path);
  },
};
type ReturnOf<K> = K extends Kind<infer T> ? T : never;

/** Checked settings of `adminAuth`. */
export type AdminAuth = ReturnOf<typeof adminAuth>;
/** A user of `adminAuth.users`; free members (`image`, …) are kept beside these. */
export type AdminUser = ReturnOf<typeof user>;

const basicAuth = objectOf({
  user: required(text, 'User name.'),
  pass: required(secret, 'Hash of the password: bcrypt or argon2id.'),
});
/** A user name and the hash of a password for HTTP basic authentication. */
export type BasicAuth = ReturnOf<typeof basicAuth>;

/** A connect-style handler of the settings file. */
export type Middleware = (req: never, res: never, next: never) => unknown;

/** Who may come in, and by which door. */
export const securitySettings = {
  adminAuth: optional(
    orOff(adminAuthWithModule),
    'Who may use the editor and the administration API. Without it, everybody who reaches the address; the server then ' +
      'listens on the loopback address only, unless `uiHost` says otherwise.',
  ),
  https: optional(
    orOff(either(plainObject, func<() => unknown>())),
    'Options for `https.createServer` (`key`, `cert`, …), or a function that returns (a promise of) them.',
  ),
  httpsRefreshInterval: optional(
    number({ unit: 'hours' }),
    'Where `https` is a function: calls it again every so many hours, for renewed certificates.',
  ),
  requireHttps: defaulted(
    flag,
    false,
    'Redirects insecure requests for the editor and the administration API to https, but for `/auth/` and `/health/`.',
  ),
  httpNodeAuth: optional(
    orOff(either(basicAuth, oneOrMore(func<Middleware>()))),
    'Guards the HTTP routes of nodes: `{ user, pass }` for basic authentication, or middleware.',
  ),
  httpStaticAuth: optional(
    orOff(basicAuth),
    'Guards `httpStatic`: `{ user, pass }` for basic authentication.',
  ),
  httpAuth: optional(
    orOff(basicAuth),
    'Old spelling: stands for `httpAdminAuth`, `httpNodeAuth` where those are absent.',
  ),
  httpAdminAuth: optional(
    orOff(basicAuth),
    'Old spelling: becomes a user of `adminAuth` with all permissions.',
  ),
};
