import {
  bytes,
  defaulted,
  either,
  flag,
  func,
  group,
  integer,
  listOf,
  mapped,
  number,
  optional,
  orOff,
  plainObject,
  text,
} from '../kinds/index.ts';

const milliseconds = integer({ unit: 'milliseconds' });

/** What core nodes read. */
export const nodeSettings = {
  palette: group(
    {
      own: defaulted(
        either(flag, listOf(text)),
        true,
        'Core node sets that run on code of Sluice instead of the published one, by name (`function`, `switch`, ' +
          '`change`, `link`). `true`: all of them, `false`: none.',
      ),
    },
    'The core node types.',
  ),
  fileWorkingDirectory: optional(
    orOff(text),
    'Where relative paths of the file nodes start. Default: the current directory.',
  ),
  functionGlobalContext: defaulted(
    mapped(orOff(plainObject), (values) => values ?? {}),
    {},
    'Values of the global context that the settings file supplies, such as modules.',
  ),
  functionExternalModules: defaulted(flag, true, 'Function nodes may use npm packages.'),
  functionTimeout: defaulted(
    number({ unit: 'seconds' }),
    0,
    'Time limit of new function nodes, in seconds. 0: none.',
  ),
  globalFunctionTimeout: defaulted(
    number({ unit: 'seconds' }),
    0,
    'Time limit of all function nodes without one, in seconds. 0: none.',
  ),
  nodeMessageBufferMaxLength: defaulted(integer(), 0, 'How many messages a node may hold back. 0: no limit.'),
  debugUseColors: defaulted(flag, false, 'Colours in what debug nodes write to the console.'),
  debugMaxLength: defaulted(
    integer(),
    1000,
    'The longest text that the debug sidebar is sent, in characters.',
  ),
  debugStatusLength: defaulted(integer(), 32, 'The longest status under a debug node, in characters.'),
  execMaxBufferSize: optional(bytes, 'The most output that the exec node takes, in bytes. Default 10 MB.'),
  httpRequestTimeout: optional(
    milliseconds,
    'Time limit of the http request node, in milliseconds. Default 120000.',
  ),
  mqttReconnectTime: defaulted(
    milliseconds,
    15_000,
    'Pause before a lost MQTT connection is made again, in milliseconds.',
  ),
  serialReconnectTime: defaulted(
    milliseconds,
    15_000,
    'Pause before a lost serial port is opened again, in milliseconds.',
  ),
  socketReconnectTime: optional(
    milliseconds,
    'Pause before a lost TCP connection is made again, in milliseconds.',
  ),
  socketTimeout: optional(milliseconds, 'Idle limit of TCP server connections, in milliseconds.'),
  tcpMsgQueueSize: optional(integer(), 'How many messages wait for a TCP connection. Default 1000.'),
  inboundWebSocketTimeout: optional(
    milliseconds,
    'How long a WebSocket to no known path is kept, in milliseconds. Default 5000.',
  ),
  webSocketKeepAliveTime: optional(
    milliseconds,
    'How often the editor connection is kept alive, in milliseconds. Default 15000.',
  ),
  webSocketNodeVerifyClient: optional(
    orOff(func<(...args: never[]) => unknown>()),
    'Decides whether a WebSocket may connect to a node.',
  ),
  tlsConfigDisableLocalFiles: defaulted(
    flag,
    false,
    'TLS configuration nodes may not read keys from local files.',
  ),
};
