import {
  anything,
  bytes,
  defaulted,
  either,
  flag,
  func,
  integer,
  mapped,
  objectOf,
  off,
  oneOrMore,
  optional,
  orOff,
  plainObject,
  required,
  text,
} from '../kinds/index.ts';
import type { Middleware } from './security.ts';

/** A path with a slash at both ends. */
const root = mapped(text, (path) => `/${path}/`.replace(/\/{2,}/g, '/'));

const middleware = orOff(oneOrMore(func<Middleware>()));

const staticFolder = objectOf({
  path: required(text, 'Absolute path of the folder.'),
  root: defaulted(root, '/', 'Where it appears, below `httpStaticRoot`.'),
  options: optional(plainObject, 'Options of `express.static`, such as `maxAge`.'),
  middleware: optional(middleware, 'Handlers in front of it.'),
  cors: optional(plainObject, 'Cross-origin options; default `httpStaticCors`.'),
});

const cors = orOff(either(plainObject, func<(...args: never[]) => unknown>()));

/** The HTTP server. */
export const serverSettings = {
  uiPort: defaulted(integer({ max: 65_535 }), 1880, 'The port to listen on. 0 chooses a free one.'),
  uiHost: optional(
    orOff(text),
    'The address to listen on. Default: `0.0.0.0` with `adminAuth`, the loopback address `127.0.0.1` without.',
  ),
  apiMaxLength: defaulted(bytes, 5 * 2 ** 20, 'The largest request body that is accepted.'),
  httpRoot: optional(
    either(root, off),
    'Stands for `httpAdminRoot` and `httpNodeRoot` where those are absent. `false`: no HTTP at all.',
  ),
  httpAdminRoot: defaulted(
    either(root, off),
    '/',
    'Where the editor and the administration API appear. `false` switches both off.',
  ),
  httpAdminCors: optional(cors, 'Cross-origin options for the administration API.'),
  httpAdminMiddleware: optional(
    middleware,
    'Handlers in front of every route of the editor and the administration API.',
  ),
  httpAdminCookieOptions: optional(plainObject, 'Kept for single-sign-on strategies that set cookies.'),
  httpNodeRoot: defaulted(
    either(root, off),
    '/',
    'Where the HTTP routes of nodes appear. `false` switches them off.',
  ),
  httpNodeCors: optional(cors, 'Cross-origin options for the HTTP routes of nodes.'),
  httpNodeMiddleware: optional(middleware, 'Handlers in front of every `http in` node.'),
  httpServerOptions: optional(
    plainObject,
    'Options of the express applications behind the HTTP routes of nodes.',
  ),
  httpStatic: optional(
    orOff(
      oneOrMore(
        either(
          mapped(text, (path) => ({ path, root: '/' })),
          staticFolder,
        ),
      ),
    ),
    'Folders of static files: a path, an object `{ path, root, options, middleware, cors }`, or an array of either.',
  ),
  httpStaticRoot: defaulted(root, '/', 'Where static files appear.'),
  httpStaticCors: optional(cors, 'Cross-origin options for static files.'),
  proxyOptions: optional(
    plainObject,
    'How the `http request` node reads the proxy variables of the environment.',
  ),
  disableEditor: defaulted(
    flag,
    false,
    'Serves no editor, nor what only an editor asks for: icons, resources, texts, libraries, credentials, user settings.',
  ),
  ui: optional(anything, 'Settings of dashboard modules.'),
};
