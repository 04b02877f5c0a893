import type { Settings } from './settings.ts';

/** Says whether a secret or path-like setting is configured, and nothing else. */
export type SetOrUnset = 'SET' | 'UNSET';

/** `runtime.settings` of the diagnostics report, as the specification's table has it. */
export interface DiagnosticsSettings {
  readonly available: boolean;
  readonly apiMaxLength: number | 'UNSET';
  readonly disableEditor: boolean;
  /** The module of every context store, by the store's name. */
  readonly contextStorage: { readonly [store: string]: { readonly module: string } };
  readonly debugMaxLength: number;
  readonly editorTheme: {
    readonly palette: { readonly [member: string]: unknown };
    readonly projects: { readonly enabled: boolean; readonly workflow: { readonly mode: string } };
    readonly codeEditor: { readonly lib: string; readonly options: { readonly theme: string } };
  };
  readonly flowFile: string;
  readonly mqttReconnectTime: number;
  readonly serialReconnectTime: number;
  readonly socketReconnectTime: number | 'UNSET';
  readonly socketTimeout: number | 'UNSET';
  readonly tcpMsgQueueSize: number | 'UNSET';
  readonly inboundWebSocketTimeout: number | 'UNSET';
  readonly runtimeState: { readonly enabled: boolean; readonly ui: boolean };
  readonly adminAuth: SetOrUnset;
  readonly httpAdminRoot: string;
  readonly httpAdminCors: SetOrUnset;
  readonly httpNodeAuth: SetOrUnset;
  readonly httpNodeRoot: string;
  readonly httpNodeCors: SetOrUnset;
  readonly httpStatic: SetOrUnset;
  readonly httpStaticRoot: SetOrUnset;
  readonly httpStaticCors: SetOrUnset;
  readonly uiHost: SetOrUnset;
  readonly uiPort: SetOrUnset;
  readonly userDir: SetOrUnset;
  readonly nodesDir: SetOrUnset;
}

/**
 * The summary of the settings for the diagnostics report: every field with its specified type, also where nothing is
 * configured; no secret and no path.
 * @remarks A root that is switched off is reported as `UNSET`, since the field is a string.
 */
export function diagnosticsSettings(settings: Settings): DiagnosticsSettings {
  const { editorTheme, runtimeState } = settings;
  return {
    available: true,
    apiMaxLength: isConfigured(settings, 'apiMaxLength') ? settings.apiMaxLength : 'UNSET',
    disableEditor: settings.disableEditor,
    contextStorage: contextStores(settings),
    debugMaxLength: settings.debugMaxLength,
    editorTheme: {
      palette: withoutSecrets(editorTheme.palette),
      projects: {
        enabled: editorTheme.projects.enabled,
        workflow: { mode: editorTheme.projects.workflow.mode },
      },
      codeEditor: {
        lib: editorTheme.codeEditor.lib,
        options: { theme: editorTheme.codeEditor.options.theme },
      },
    },
    flowFile: settings.flowFile,
    mqttReconnectTime: settings.mqttReconnectTime,
    serialReconnectTime: settings.serialReconnectTime,
    socketReconnectTime: settings.socketReconnectTime ?? 'UNSET',
    socketTimeout: settings.socketTimeout ?? 'UNSET',
    tcpMsgQueueSize: settings.tcpMsgQueueSize ?? 'UNSET',
    inboundWebSocketTimeout: settings.inboundWebSocketTimeout ?? 'UNSET',
    runtimeState: { enabled: runtimeState.enabled, ui: runtimeState.ui },
    adminAuth: setOrUnset(settings.adminAuth),
    httpAdminRoot: settings.httpAdminRoot === false ? 'UNSET' : settings.httpAdminRoot,
    httpAdminCors: setOrUnset(settings.httpAdminCors),
    httpNodeAuth: setOrUnset(settings.httpNodeAuth),
    httpNodeRoot: settings.httpNodeRoot === false ? 'UNSET' : settings.httpNodeRoot,
    httpNodeCors: setOrUnset(settings.httpNodeCors),
    httpStatic: setOrUnset(settings.httpStatic),
    httpStaticRoot: isConfigured(settings, 'httpStaticRoot') ? 'SET' : 'UNSET',
    httpStaticCors: setOrUnset(settings.httpStaticCors),
    uiHost: setOrUnset(settings.uiHost),
    uiPort: isConfigured(settings, 'uiPort') ? 'SET' : 'UNSET',
    userDir: setOrUnset(settings.userDir),
    nodesDir: settings.nodesDir.length > 0 ? 'SET' : 'UNSET',
  };
}

/** Whether the file or the command line says it, where the checked settings have a default. */
function isConfigured(settings: Settings, name: keyof Settings): boolean {
  return settings.configured.has(name);
}

function setOrUnset(value: unknown): SetOrUnset {
  return value === undefined ? 'UNSET' : 'SET';
}

function contextStores(settings: Settings): DiagnosticsSettings['contextStorage'] {
  const stores = settings.contextStorage ?? {};
  const moduleOf = (name: string): string => {
    const store = stores[name];
    // `default: 'file'` is another name of the store `file`.
    if (typeof store === 'string')
      return store in stores && typeof stores[store] !== 'string' ? moduleOf(store) : store;
    return typeof store?.module === 'string' ? store.module : 'custom';
  };
  return Object.fromEntries(Object.keys(stores).map((name) => [name, { module: moduleOf(name) }]));
}

/** What JSON can carry of it, without user names and passwords in addresses. */
function withoutSecrets(value: { readonly [member: string]: unknown }): { [member: string]: unknown } {
  return JSON.parse(
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'string' ? member.replace(/\/\/[^/@\s]*@/g, '//') : member,
    ),
  );
}
