import { isObject, type JsonObject } from '../../contract/json.ts';
import type { SettingsBody } from '../../contract/settings.ts';
import type { EngineSettings } from '../../link/protocol.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CredentialEncryption } from '../../storage/credential-file.ts';
import { everybody, type Principal } from '../auth/principal.ts';
import { libraries } from '../library/libraries.ts';

/** What `GET /settings` is made of. */
export interface SettingsBodyDeps {
  /** Of the editor's interface: node modules' editor scripts look at it to know what they may use. */
  readonly version: string;
  /** Of this program. */
  readonly ownVersion: string;
  readonly settings: Settings;
  /** What node types add. */
  readonly engineSettings: () => Promise<EngineSettings>;
  readonly encryption: () => CredentialEncryption;
  /** The editor's part; absent where there is no editor. */
  readonly editor?: {
    /** `editorTheme`, without its languages. */
    settings(): JsonObject;
    codeEditor(): Promise<JsonObject>;
    languages(): Promise<readonly string[]>;
  };
}

/** Describes the runtime to a client: what it may know, and nothing that is secret. */
export async function settingsBody(principal: Principal, deps: SettingsBodyDeps): Promise<SettingsBody> {
  const { settings, version, ownVersion, editor } = deps;
  const user = shownUser(principal);
  const head = {
    httpNodeRoot: settings.httpNodeRoot || '/',
    version,
    sluiceVersion: ownVersion,
    ...(user === undefined ? {} : { user }),
  };
  if (settings.disableEditor) return head;
  const [{ exported, context, libraries: ofPlugins = [] }, codeEditor, languages] = await Promise.all([
    deps.engineSettings(),
    editor?.codeEditor() ?? settings.editorTheme.codeEditor,
    editor?.languages() ?? [],
  ]);
  const body = {
    ...head,
    context: { default: context.default, stores: [...context.stores] },
    codeEditor,
    ...editorExtras(settings),
    libraries: [...libraries, ...ofPlugins],
    ...externalModules(settings),
    flowEncryptionType: deps.encryption(),
    diagnostics: {
      enabled: settings.diagnostics.enabled,
      ui: settings.diagnostics.enabled && settings.diagnostics.ui,
    },
    // Nothing is ever sent anywhere, so nobody is asked.
    telemetryEnabled: false,
    runtimeState: {
      enabled: settings.runtimeState.enabled,
      ui: settings.runtimeState.enabled && settings.runtimeState.ui,
    },
    editorTheme: { ...(editor?.settings() ?? {}), languages },
  };
  return { ...exported, ...body };
}

/** Who the client is, as far as it may know. Nobody, where everybody may do everything. */
function shownUser(principal: Principal): SettingsBody['user'] {
  if (principal === everybody) return undefined;
  const { user, scope } = principal;
  if (user === undefined) return { anonymous: true, permissions: shortened(scope) };
  return {
    username: user.username,
    ...('image' in user ? { image: user['image'] } : {}),
    permissions: shortened(user.permissions),
  };
}

/** One word by itself, as settings files mostly have it. */
function shortened(permissions: readonly string[]): string | string[] {
  const [first, ...more] = permissions;
  return first !== undefined && more.length === 0 ? first : [...permissions];
}

function editorExtras({ editorTheme, raw }: Settings): JsonObject {
  const theme: JsonObject = editorTheme;
  const extras: Record<string, unknown> = {};
  const { markdownEditor, mermaid } = theme;
  if (isObject(markdownEditor)) extras['markdownEditor'] = { mermaid: { enabled: true }, ...markdownEditor };
  if (mermaid !== undefined) extras['mermaid'] = mermaid;
  if (Array.isArray(raw['paletteCategories'])) extras['paletteCategories'] = raw['paletteCategories'];
  if (raw['flowFilePretty']) extras['flowFilePretty'] = raw['flowFilePretty'];
  if (raw['nodeDefaults']) extras['nodeDefaults'] = raw['nodeDefaults'];
  return extras;
}

/** What may be installed, where a setting says anything about it; the editor hides what is not allowed. */
function externalModules({ externalModules: rules, raw }: Settings): { externalModules?: JsonObject } {
  const configured = isObject(raw['externalModules']) ? raw['externalModules'] : undefined;
  const { allowInstall, allowUpload } = rules.palette;
  if (configured === undefined && allowInstall && allowUpload) return {};
  const palette = isObject(configured?.['palette']) ? configured['palette'] : {};
  const denied = {
    ...(allowInstall ? {} : { allowInstall, allowUpload: false }),
    ...(allowUpload ? {} : { allowUpload }),
  };
  const shown = { ...palette, ...denied };
  return {
    externalModules: { ...configured, ...(Object.keys(shown).length > 0 ? { palette: shown } : {}) },
  };
}
