import { flowStates } from './flows.ts';
import { type Static, Type } from './schema.ts';

const bytes = Type.Integer({ description: 'Bytes' });
const setOrUnset = Type.Enum(['SET', 'UNSET']);
const numberOrUnset = Type.Union([Type.Number(), Type.Literal('UNSET')]);
const anyObject = Type.Object({}, { additionalProperties: true });

/** `runtime.settings`: a summary of the settings; secrets and paths only as SET or UNSET. */
export const SettingsSummary = Type.Object({
  available: Type.Boolean(),
  apiMaxLength: numberOrUnset,
  disableEditor: Type.Boolean(),
  contextStorage: anyObject,
  debugMaxLength: Type.Number(),
  editorTheme: Type.Object({
    palette: anyObject,
    projects: Type.Object({ enabled: Type.Boolean(), workflow: Type.Object({ mode: Type.String() }) }),
    codeEditor: Type.Object({ lib: Type.String(), options: Type.Object({ theme: Type.String() }) }),
  }),
  flowFile: Type.String(),
  mqttReconnectTime: Type.Number(),
  serialReconnectTime: Type.Number(),
  socketReconnectTime: numberOrUnset,
  socketTimeout: numberOrUnset,
  tcpMsgQueueSize: numberOrUnset,
  inboundWebSocketTimeout: numberOrUnset,
  runtimeState: Type.Object({ enabled: Type.Boolean(), ui: Type.Boolean() }),
  adminAuth: setOrUnset,
  httpAdminRoot: Type.String(),
  httpAdminCors: setOrUnset,
  httpNodeAuth: setOrUnset,
  httpNodeRoot: Type.String(),
  httpNodeCors: setOrUnset,
  httpStatic: setOrUnset,
  httpStaticRoot: setOrUnset,
  httpStaticCors: setOrUnset,
  uiHost: setOrUnset,
  uiPort: setOrUnset,
  userDir: setOrUnset,
  nodesDir: setOrUnset,
});

const eventLoopDelay = Type.Object(
  { mean: Type.Number(), p99: Type.Number(), max: Type.Number() },
  { description: 'Milliseconds' },
);

/** What only `scope=full` reports. */
const fullReport = {
  controlPlane: Type.Object({
    pid: Type.Integer(),
    uptime: Type.Number({ description: 'Seconds' }),
    eventLoopDelay,
  }),
  engine: Type.Object(
    {
      state: Type.String({ description: 'starting, running, safe, unresponsive, crashed or stopped' }),
      since: Type.Optional(Type.String({ description: 'ISO 8601' })),
      pid: Type.Optional(Type.Integer()),
      loading: Type.Optional(Type.String({ description: 'The node set that is being loaded' })),
      safe: Type.Optional(Type.String({ description: 'Why the flows were left alone' })),
      retryAt: Type.Optional(Type.String({ description: 'ISO 8601' })),
      blocked: Type.Optional(
        Type.Object(
          {
            node: Type.Optional(
              Type.Object({ id: Type.String(), type: Type.String(), name: Type.Optional(Type.String()) }),
            ),
            stack: Type.Array(Type.String(), { description: 'Innermost first' }),
          },
          { description: 'Where it is while it does not respond, where that can be known' },
        ),
      ),
      restarts: Type.Integer(),
      lastExit: Type.Optional(Type.Object({ at: Type.String(), reason: Type.String() })),
      stats: Type.Optional(anyObject),
    },
    { description: "The engine's process; `stats` are the figures of its last heartbeat" },
  ),
};

/** The diagnostics report (specification, Diagnostics report). */
export const DiagnosticsReport = Type.Object({
  report: Type.Literal('diagnostics'),
  scope: Type.Union([Type.Literal('basic'), Type.Literal('full')]),
  time: Type.Object({ utc: Type.String(), local: Type.String() }),
  intl: Type.Object({ locale: Type.String(), timeZone: Type.String() }),
  nodejs: Type.Object({
    version: Type.String(),
    arch: Type.String(),
    platform: Type.String(),
    memoryUsage: Type.Object({
      rss: bytes,
      heapTotal: bytes,
      heapUsed: bytes,
      external: bytes,
      arrayBuffers: bytes,
    }),
  }),
  os: Type.Object({
    containerised: Type.Boolean(),
    wsl: Type.Boolean(),
    totalmem: bytes,
    freemem: bytes,
    arch: Type.String(),
    loadavg: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
    platform: Type.String(),
    release: Type.String(),
    type: Type.String(),
    uptime: Type.Number({ description: 'Seconds' }),
    version: Type.String(),
  }),
  runtime: Type.Object({
    version: Type.String(),
    isStarted: Type.Boolean(),
    flows: Type.Object({
      state: Type.Enum(flowStates),
      started: Type.Boolean(),
    }),
    modules: Type.Record(Type.String(), Type.String()),
    settings: SettingsSummary,
  }),
  controlPlane: Type.Optional(fullReport.controlPlane),
  engine: Type.Optional(fullReport.engine),
});
export type DiagnosticsReport = Static<typeof DiagnosticsReport>;

/** How much is reported. */
export const DiagnosticsQuery = Type.Object({
  scope: Type.Optional(Type.Union([Type.Literal('basic'), Type.Literal('full')])),
});

/** The answer of the health checks. */
export const Health = Type.Object({ status: Type.String() });
