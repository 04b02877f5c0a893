/**
 * The process that runs flows: what the control plane's supervisor starts.
 * @remarks Whatever happens to the control plane, this process ends with it.
 */
import { rmSync } from 'node:fs';
import { takeBoot } from '../link/boot.ts';
import { type ControlLink, openLink } from '../link/link.ts';
import {
  type ControlCalls,
  type ControlEvents,
  type EngineCalls,
  type EngineEvents,
  type Handlers,
  protocolVersion,
} from '../link/protocol.ts';
import { inheritedStream, streamTransport } from '../link/stream-transport.ts';
import { keepCompiledCode } from '../storage/compile-cache.ts';
import { trimMemoryAtRest } from '../storage/trim-memory.ts';
import { witnessExit } from './process/exit-witness.ts';
import { Heartbeat } from './process/heartbeat.ts';
import { provideMainModule } from './process/main-module.ts';
import { UncaughtErrors } from './process/uncaught.ts';
import { startWatchdog } from './process/watchdog.ts';

const boot = takeBoot(process.env);
const uncaught = new UncaughtErrors();
if (boot.watchdog) startWatchdog();
provideMainModule(import.meta.filename);
keepCompiledCode();

const [settings, { createLogger }, { Engine }] = await Promise.all([
  import('../settings/settings.ts').then(({ loadSettings }) => loadSettings(boot.settings)),
  import('../logging/create-logger.ts'),
  import('./engine.ts'),
]);
const log = createLogger(settings, 'engine');
uncaught.follow({ log, afterwards: settings.engine.uncaughtErrors });

const engine = new Engine({
  settings,
  log,
  control: {
    call: (method, asks, options) => link.call(method, asks, options),
    send: (event, data, options) => link.send(event, data, options),
  },
  onNodeStarted: () => heartbeat.keepUp(),
});
const heartbeat = new Heartbeat({
  intervalMs: boot.heartbeatIntervalMs,
  figures: () => engine.figures,
  uncaughtErrors: () => uncaught.count,
  send: (stats) => link.send('heartbeat', stats, { droppable: true }),
});

let socket: string | undefined;
const handlers: Handlers<EngineCalls> = {
  ...engine.handlers,
  'engine.start': async (start) => {
    socket = start.httpSocket;
    try {
      return await engine.handlers['engine.start'](start);
    } finally {
      trimMemoryAtRest();
    }
  },
  'stats.read': () => heartbeat.stats(),
};
const link: ControlLink = openLink<ControlCalls, EngineCalls, EngineEvents, ControlEvents>({
  transport: streamTransport(inheritedStream()),
  handlers,
  log,
  unforeseen: 'engine.failed',
  timeoutMs: settings.engine.callTimeoutMs,
});
const events = ['comms.message', 'comms.connection', 'userSettings.changed'] as const;
for (const event of events) link.on(event, (data) => engine.hear(event, data));

witnessExit((code, callers) => link.send('exiting', { code, callers }));
// The control plane ends this process; the terminal's signals, which may reach both, are its affair.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('SIGTERM', () => {
  // After `engine.stop` at the latest; from anybody else this is the wish that it end in good order.
  void engine.stop().finally(() => process.exit(0));
});
link.onClose(() => {
  // The control plane went without a word: nobody else will tidy up after it.
  if (socket !== undefined && process.platform !== 'win32') rmSync(socket, { force: true });
  process.exit(0);
});

link.send('hello', { protocol: protocolVersion, pid: process.pid });
heartbeat.beat();
