import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/json.ts';
import type { NodeModule } from '../../modules/node-module.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CommsHub } from '../comms/hub.ts';
import type { Feature } from '../http/feature.ts';
import type { NodeCatalogue } from '../nodes/catalogue.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Texts } from '../texts.ts';
import { publishEngineNotices } from './engine-notice.ts';
import { clientFolder, editorRoutes } from './routes.ts';
import { EditorTheme, type ThemePlugin } from './theme.ts';

/** What the editor is put together from. */
export interface EditorFeatureDeps {
  readonly settings: Settings;
  readonly version: string;
  readonly instanceId: string;
  readonly hub: CommsHub;
  readonly catalogue: NodeCatalogue;
  readonly supervisor: Supervisor;
  texts(namespace: string, language: string): Promise<Texts>;
}

/** The editor, put together. Absent with `disableEditor`. */
export class EditorFeature {
  readonly feature: Feature;
  readonly theme: EditorTheme;
  readonly #stopNotices: () => void;

  constructor(deps: EditorFeatureDeps) {
    const { settings, catalogue, hub, supervisor } = deps;
    this.theme = new EditorTheme({
      editorTheme: settings.editorTheme,
      themePlugins: () => catalogue.listed().flatMap((module) => themePluginsOf(module, catalogue)),
    });
    this.feature = editorRoutes({
      theme: this.theme,
      version: deps.version,
      instanceId: deps.instanceId,
      cacheFolder: join(settings.userDir, '.sluice', 'cache'),
      moduleCatalogue: deps.texts,
    });
    this.#stopNotices = publishEngineNotices(hub, supervisor);
  }

  /** The editor's part of `GET /settings`. */
  get settings() {
    return {
      settings: (): JsonObject => this.theme.settings(),
      codeEditor: () => this.theme.codeEditor(),
      languages: editorLanguages,
    };
  }

  close(): void {
    this.#stopNotices();
  }
}

/** Languages that the editor has texts for. */
async function editorLanguages(): Promise<readonly string[]> {
  return (await readdir(join(clientFolder, 'locales'))).sort();
}

function themePluginsOf(module: NodeModule, catalogue: NodeCatalogue): readonly ThemePlugin[] {
  return module.plugins
    .flatMap((set) => catalogue.status(set.id)?.plugins ?? [])
    .filter((plugin) => plugin.type === 'node-red-theme')
    .map((plugin) => ({ id: plugin.id, path: module.path, definition: plugin }));
}
