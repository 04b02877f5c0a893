import { join } from 'node:path';
import { createLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { Installer } from '../modules/install.ts';
import { diagnosticsSettings } from '../settings/diagnostics.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import type { SettingsSource } from '../settings/source.ts';
import { openDatabase, openMemoryDatabase } from '../storage/database.ts';
import { instanceId, openObjectConfig } from '../storage/runtime-config.ts';
import { TokenStore } from '../storage/token-store.ts';
import { urlOf, warnOfOpenDoor } from './address.ts';
import { Authenticator } from './auth/authenticator.ts';
import { loginMethodOf } from './auth/login-method.ts';
import { authRoutes } from './auth/routes.ts';
import { openStrategyLogin } from './auth/strategy/open.ts';
import { Closing } from './closing.ts';
import { forgetStatuses } from './comms/forget-statuses.ts';
import { CommsHub } from './comms/hub.ts';
import { openComms } from './comms/open-comms.ts';
import { contextRoutes } from './context/routes.ts';
import { credentialsRoutes } from './credentials/routes.ts';
import { Reporter } from './diagnostics/report.ts';
import { diagnosticsRoutes } from './diagnostics/routes.ts';
import { EditorFeature } from './editor/editor-feature.ts';
import { engineRequests, shownToEngine } from './engine-requests.ts';
import { openFlowStore } from './flows/open-store.ts';
import { flowsRoutes } from './flows/routes.ts';
import { FlowsService } from './flows/service.ts';
import { singleFlowRoutes } from './flows/single-flow-routes.ts';
import { adminMiddleware } from './http/admin-middleware.ts';
import { createApp } from './http/app.ts';
import { EngineProxy } from './http/engine-proxy.ts';
import { refreshHttps, serverOf } from './http/https-options.ts';
import { KnownTypes } from './known-types.ts';
import { ExampleLibrary } from './library/example-library.ts';
import { LocalLibrary } from './library/local-library.ts';
import { libraryRoutes } from './library/routes.ts';
import { NodeCatalogue } from './nodes/catalogue.ts';
import { coreNodeRoutes } from './nodes/core-node-routes.ts';
import { engineHooks } from './nodes/engine-hooks.ts';
import { NodesFeature } from './nodes/nodes-feature.ts';
import { publishProgress } from './nodes/progress.ts';
import { EngineSettingsReader } from './settings/engine-settings.ts';
import { settingsRoutes } from './settings/routes.ts';
import { userSettingsRoutes } from './settings/user-routes.ts';
import { UserSettings } from './settings/user-settings.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { ownVersion } from './version.ts';

/** What the control plane is started with. */
export interface ControlOptions {
  readonly source: SettingsSource;
  /** By default the log that the settings describe. */
  readonly log?: Logger;
}

/** A control plane that listens, with an engine under it. */
export interface Control {
  /** Where a person would open the editor. */
  readonly url: string;
  /** Stops both planes. */
  close(): Promise<void>;
}

/**
 * Starts the control plane and, under it, the engine.
 * @remarks Resolves when it listens and answers; the engine may take longer, and may fail: that never ends the control
 * plane. Everything is closed again where the start fails.
 * @throws SettingsError; the system's error (`EADDRINUSE`, …) where the address can't be listened on
 */
export async function startControl({ source, log: given }: ControlOptions): Promise<Control> {
  const settings = await loadSettings(source);
  const log = given ?? createLogger(settings, 'control');
  const closing = new Closing(log);
  try {
    const url = await start(source, settings, log, closing);
    return { url, close: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function start(
  source: SettingsSource,
  settings: Settings,
  log: Logger,
  closing: Closing,
): Promise<string> {
  const { userDir, adminAuth, readOnly } = settings;
  const version = ownVersion();

  // Listening comes first: an address in use is known before anything is touched. Requests wait until all is built.
  const { http, isSecure } = await serverOf(settings);
  const host = settings.uiHost ?? (adminAuth ? '0.0.0.0' : '127.0.0.1');
  const address = await http.listen(settings.uiPort, host);
  closing.add('the HTTP server', () => http.close());
  closing.add('the renewal of certificates', refreshHttps(settings, http, log));
  if (!adminAuth) warnOfOpenDoor(host, log);

  const hub = new CommsHub((err) => log.error('A message could not be sent to an editor', { err }));
  const runtime = openObjectConfig(userDir, 'runtime', log, readOnly);
  const users = openObjectConfig(userDir, 'users', log, readOnly);
  const catalogue = new NodeCatalogue({ settings, log });
  const installer = new Installer({
    settings,
    log,
    catalogue,
    hooks: engineHooks({ engine: { call: (method, asks) => supervisor.call(method, asks) }, log }),
    onProgress: publishProgress(hub),
  });

  const supervisor = new Supervisor({
    settings,
    source,
    log,
    handlers: engineRequests({
      runtime,
      users,
      setCredentials: (id, credentials) => flows.setCredentials(id, credentials),
      installExternal: (spec, args) => installer.external(spec, args),
    }),
    startPayload: async () => {
      await loaded;
      return {
        ...flows.current(),
        modules: catalogue.modulesToLoad(),
        runtimeSettings: shownToEngine(await runtime.read()),
        userSettings: await users.read(),
      };
    },
    quarantine: (setId, err) => catalogue.quarantine(setId, err),
  });
  const flows = new FlowsService({
    store: openFlowStore(settings, runtime, log),
    types: new KnownTypes(catalogue),
    engine: supervisor,
    runtime,
    hub,
    settings,
    log,
  });
  let engineHasStarted = false;
  supervisor.on('started', ({ sets }) => {
    engineHasStarted = true;
    catalogue.recordStart(sets);
  });
  supervisor.on('set.status', (status) => catalogue.record(status));
  supervisor.on('comms', ({ topic, data, retain }) => hub.publish(topic, data, { retain }));
  supervisor.on('state', (state) => forgetStatuses(hub, state));
  const loaded = Promise.all([catalogue.load(), flows.load()]);
  closing.add('the flows', () => flows.close());
  closing.add('the engine', () => supervisor.stop());
  const modules = new NodesFeature({
    settings,
    log,
    catalogue,
    installer,
    engine: supervisor,
    comms: hub,
    typesInUse: () => flows.typesInUse(),
  });
  closing.add('the installation of modules', () => modules.close());
  supervisor.start();

  const database = readOnly ? openMemoryDatabase() : openDatabase(join(userDir, 'sluice.db'));
  closing.add('the database', () => database.close());
  const auth = new Authenticator({ adminAuth, store: new TokenStore(database), log });
  closing.add('the access tokens', () => auth.close());
  const strategy = await openStrategyLogin(settings, auth, log);
  const reporter = new Reporter({
    version,
    settings: diagnosticsSettings(settings),
    modules: () => Object.fromEntries(catalogue.listed().map((module) => [module.name, module.version])),
    flows: () => ({ state: flows.state, started: flows.isRunning }),
    isStarted: () => engineHasStarted,
    engine: () => supervisor.report(),
  });
  closing.add('the measurement of the event loop', () => reporter.close());
  const engineSettings = new EngineSettingsReader(supervisor, settings);
  const editor = settings.disableEditor
    ? undefined
    : new EditorFeature({
        settings,
        version,
        instanceId: await instanceId(runtime),
        hub,
        catalogue,
        supervisor,
        texts: (namespace, language) => modules.texts(namespace, language),
      });
  closing.add('the editor', () => editor?.close());
  const comms = openComms(settings, hub, auth, supervisor);

  const proxy = new EngineProxy({ engine: supervisor, auth, adminAuth, log });
  closing.add('the proxy to the engine', () => proxy.close());

  // What only an editor asks for goes with it.
  const forEditor = editor
    ? [
        modules.assets,
        userSettingsRoutes(
          new UserSettings({
            file: users,
            changed: (user, value) => supervisor.send('userSettings.changed', { user, value }),
          }),
        ),
        credentialsRoutes({
          credentialsOf: (id) => flows.credentialsOf(id),
          credentialFields: (type) => catalogue.credentialFields(type),
          typesKnown: () =>
            catalogue.isReported ? Promise.resolve() : supervisor.answers(settings.engine.callTimeoutMs),
        }),
        libraryRoutes({
          local: new LocalLibrary({
            folder: join(userDir, 'lib'),
            pretty: settings.flowFilePretty,
            readOnly,
          }),
          examples: new ExampleLibrary(() => catalogue.listed()),
          more: () => engineSettings.read(),
          engine: supervisor,
        }),
        editor.feature,
      ]
    : [];
  const app = await createApp({
    server: http.server,
    settings,
    auth,
    log,
    version,
    // A token is sent by nobody but who has it; the setting says who else may.
    crossSite: adminAuth !== undefined || settings.httpAdminCors !== undefined,
    before: await adminMiddleware(settings, log),
    described: coreNodeRoutes,
    features: [
      authRoutes({
        auth,
        loginMethod: { ...loginMethodOf(settings), ...editor?.theme.loginImage() },
        ...editor?.theme.logoutRedirect(),
        ...(strategy ? { exchange: (code) => strategy.login.exchange(code) } : {}),
      }),
      ...(strategy ? [strategy.feature] : []),
      diagnosticsRoutes({
        enabled: settings.diagnostics.enabled,
        reporter,
        isReady: () => supervisor.state.is === 'running' || supervisor.state.is === 'safe',
      }),
      flowsRoutes({ flows, runtimeState: settings.runtimeState }),
      singleFlowRoutes({ flows }),
      ...modules.features,
      settingsRoutes({
        version: catalogue.core.version,
        ownVersion: version,
        settings,
        ...(editor ? { editor: editor.settings } : {}),
        engineSettings: () => engineSettings.read(),
        encryption: () => flows.encryption,
      }),
      contextRoutes({ engine: supervisor }),
      ...forEditor,
    ],
    upgrades: comms ? [(req, socket, head) => comms.handleUpgrade(req, socket, head)] : [],
    fallback: proxy,
  });
  closing.add('the admin API', () => app.close());
  await loaded;
  modules.start();
  http.open(app);
  // At the end nobody is let in any more, before what answers is taken away.
  closing.add('the open connections', () => http.close());
  closing.add('the open editors', () => comms?.close());
  const url = urlOf(isSecure, host, address.port, settings.httpAdminRoot);
  log.info(`Server now running at ${url}`);
  return url;
}
