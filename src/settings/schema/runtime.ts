import { isObject } from '../../contract/json.ts';
import type { LogDestination } from '../../logging/create-logger.ts';
import { logLevels } from '../../logging/levels.ts';
import {
  anything,
  bytes,
  defaulted,
  either,
  flag,
  func,
  group,
  integer,
  type Kind,
  listOf,
  objectOf,
  oneOf,
  optional,
  orOff,
  plainObject,
  recordOf,
  text,
} from '../kinds/index.ts';

const logHandler = objectOf({
  level: defaulted(oneOf(logLevels), 'info', 'The least severe lines that are shown.'),
  metrics: defaulted(flag, false, 'Shows metric events too.'),
  audit: defaulted(flag, false, 'Shows audit events too.'),
  format: defaulted(
    oneOf(['text', 'json']),
    'text',
    '`json`: one JSON object to the line, for log collectors. (Console only.)',
  ),
  handler: optional(
    func<NonNullable<LogDestination['handler']>>(),
    'Makes a handler of your own: is given these settings, returns a function that is called with every line.',
  ),
});
type Read<K> = K extends Kind<infer T> ? T : never;
/** Where lines of the log go: the console, or a handler of the settings file. */
export type LogHandlerSettings = Read<typeof logHandler>;

const contextStore = objectOf({
  module: defaulted(
    either(text, either(plainObject, func<(config: unknown) => unknown>())),
    'memory',
    '`memory`, `localfilesystem`, `sqlite`, or a store of your own.',
  ),
  config: defaulted(plainObject, {}, 'Options of the store.'),
});
/** A context store: its module and options. */
export type ContextStoreSettings = Read<typeof contextStore>;

const names = listOf(text);

const paletteFields = {
  allowInstall: defaulted(flag, true, 'Node modules may be installed.'),
  allowUpdate: defaulted(flag, true, 'Installed ones may be changed to another version.'),
  allowUpload: defaulted(flag, true, 'Packages (`.tgz`) may be uploaded.'),
  allowList: defaulted(
    names,
    ['*'],
    'Modules that may be installed: names with `*`, and versions such as `name@1.x`.',
  ),
  denyList: defaulted(
    names,
    [],
    'Modules that may not be. The more specific entry of both lists wins. Where only `allowList` is set: all others.',
  ),
  allowUpdateList: defaulted(names, ['*'], 'Modules that may be updated.'),
  denyUpdateList: defaulted(
    names,
    [],
    'Modules that may not be. Where only `allowUpdateList` is set: all others.',
  ),
  maxUploadSize: defaulted(
    bytes,
    50 * 1024 * 1024,
    'The largest package (`.tgz`) that is accepted, in bytes.',
  ),
  maxUnpackedSize: defaulted(
    bytes,
    512 * 1024 * 1024,
    'The most that an uploaded package may hold unpacked, in bytes.',
  ),
  installScripts: defaulted(
    either(oneOf(['native', 'all', 'none']), names),
    'native',
    'Which lifecycle scripts of packages are run: `"native"` builds of native code only, `"all"`, `"none"`, or an array of ' +
      'package names.',
  ),
};

/** The runtime. */
export const runtimeSettings = {
  lang: optional(text, 'Language of the log and of nodes, such as `de`.'),
  verbose: defaulted(flag, false, 'The log shows stacks of errors and debug lines. The flag `-v`.'),
  safeMode: defaulted(
    flag,
    false,
    'Loads the modules, but starts no flow until the next deploy. The flag `--safe`.',
  ),
  diagnostics: group(
    {
      enabled: defaulted(
        flag,
        false,
        'Serves the report at `/diagnostics`. The settings file that first start writes says `true`.',
      ),
      ui: defaulted(flag, true, 'The editor offers it too.'),
    },
    'The diagnostics report.',
  ),
  runtimeState: group(
    {
      enabled: defaulted(flag, false, 'Flows can be stopped and started with `POST /flows/state`.'),
      ui: defaulted(flag, false, 'The editor offers it too.'),
    },
    'Stopping and starting the flows.',
  ),
  telemetry: group(
    {
      enabled: defaulted(
        flag,
        false,
        'Sluice sends nothing anywhere, whatever this says; kept for existing files.',
      ),
    },
    'Usage reports.',
  ),
  logging: defaulted(
    logging(),
    { console: { level: 'info', metrics: false, audit: false, format: 'text' } },
    'Where the log goes, by name: `console`, and others that have a `handler`.',
  ),
  contextStorage: optional(
    orOff(recordOf(either(text, contextStore))),
    'Context stores by name: `{ module, config }`. `default` may be the name of another. Without it, one in memory.',
  ),
  exportGlobalContextKeys: defaulted(
    flag,
    true,
    'Lists the names of `functionGlobalContext` in the editor and in `global.keys()`.',
  ),
  externalModules: group(
    {
      autoInstall: defaulted(flag, false, 'Installs missing modules of the user directory at start.'),
      autoInstallRetry: defaulted(
        integer({ unit: 'seconds' }),
        30,
        'How long to wait before trying again, in seconds.',
      ),
      palette: group(paletteFields, 'Modules that bring nodes.'),
      modules: group(
        {
          allowInstall: defaulted(flag, true, 'npm packages that function nodes ask for may be installed.'),
          allowList: defaulted(names, ['*'], 'Which of them.'),
          denyList: defaulted(names, [], 'Which not. Where only `allowList` is set: all others.'),
        },
        'npm packages that function nodes use.',
      ),
    },
    'What may be installed.',
  ),
  envVarExcludes: defaulted(names, [], 'Environment variables that flows cannot read.'),
  nodeCloseTimeout: defaulted(
    integer({ min: 1, unit: 'milliseconds' }),
    15_000,
    'How long a node may take to close, in milliseconds.',
  ),
  runtimeSyncDelivery: defaulted(
    flag,
    false,
    'Delivers messages within `send`. For flows that were built on that.',
  ),
  runtimeMetricInterval: defaulted(
    integer({ min: 1, unit: 'milliseconds' }),
    15_000,
    'How often memory metrics are logged, in milliseconds.',
  ),
};

/** Every entry of `logging`; those that are neither `console` nor have a handler are left out, as in the peer. */
function logging(): Kind<{ readonly [name: string]: LogHandlerSettings }> {
  const entries = recordOf(anything);
  return {
    expected: 'an object of log settings',
    fields: { '<name>': group(logHandler.fields ?? {}, 'One destination.') },
    read(value, path) {
      const all = entries.read(value, path);
      if (all.is === 'wrong') return all;
      const used = Object.entries(all.value).flatMap(([name, entry]) =>
        name === 'console' || (isObject(entry) && entry['handler']) ? [[name, entry ?? {}]] : [],
      );
      return recordOf(logHandler).read(used.length > 0 ? Object.fromEntries(used) : { console: {} }, path);
    },
  };
}
