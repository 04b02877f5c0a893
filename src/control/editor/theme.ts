import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isObject, type JsonObject } from '../../contract/json.ts';

/** A theme that a plugin brings: what it registered, and the folder of its module. */
export interface ThemePlugin {
  readonly id: string;
  readonly path: string;
  readonly definition: JsonObject;
}

/** What the theme is made from. */
export interface EditorThemeDeps {
  /** The setting `editorTheme`. */
  readonly editorTheme: JsonObject & {
    readonly codeEditor: { readonly lib: string; readonly options: JsonObject };
  };
  /** Installed plugins of the type `node-red-theme`. */
  themePlugins(): readonly ThemePlugin[];
}

/** Our own looks, where the setting does not say otherwise. */
const title = 'Sluice';
const logo = 'theme/brand/sluice.svg';
const accent = '#0b6e8a';

/** The context of the editor's page (and, with `themes`, the body of `GET /theme`). */
export interface ThemeContext {
  readonly page: {
    readonly title: string;
    readonly favicon: string;
    readonly tabicon: { readonly icon: string; readonly colour: string };
    readonly css?: readonly string[];
    readonly scripts?: readonly string[];
  };
  readonly header: { readonly title?: string; readonly image?: string; readonly url?: string };
  readonly asset: {
    readonly red: string;
    readonly main: string;
    readonly vendorMonaco: string;
    readonly vendorAce: string;
  };
  readonly login?: JsonObject;
}

/**
 * The look of the editor: what the setting `editorTheme` and an installed theme say, as the editor wants it, and the
 * files that they name, under URLs of their own.
 */
export class EditorTheme {
  readonly #deps: EditorThemeDeps;
  readonly #files = new Map<string, string>();
  readonly #urls = new Map<string, string>();

  constructor(deps: EditorThemeDeps) {
    this.#deps = deps;
  }

  /** The absolute path of a file served under `theme/`, if there is one; `name` is such as `css/surf.css`. */
  file(name: string): string | undefined {
    return this.#files.get(name);
  }

  /** Ids of the themes that can be chosen. */
  themes(): readonly string[] {
    return this.#deps.themePlugins().map(({ id }) => id);
  }

  context(): ThemeContext {
    const theme = this.#deps.editorTheme;
    const page = objectAt(theme, 'page');
    const tabicon = objectAt(page, 'tabicon');
    const plugin = this.#chosen();
    const fromPlugin = (member: string) =>
      texts(plugin?.definition[member]).map((file) => join(plugin?.path ?? '', file));
    const served = (category: 'css' | 'scripts') =>
      [...fromPlugin(category), ...texts(page[category])].flatMap(
        (file) => this.#serve(category, file) ?? [],
      );
    const css = served('css');
    const scripts = served('scripts');
    const lib = theme.codeEditor.lib;
    return {
      page: {
        title: text(page['title']) ?? title,
        favicon: this.#image('favicon', page['favicon']) ?? logo,
        tabicon: {
          icon: this.#image('tabicon', page['tabicon']) ?? this.#image('tabicon', tabicon['icon']) ?? logo,
          colour: text(tabicon['colour']) ?? accent,
        },
        ...(css.length > 0 ? { css } : {}),
        ...(scripts.length > 0 ? { scripts } : {}),
      },
      header: this.#header(objectAt(theme, 'header')),
      asset: {
        red: 'red/red.min.js',
        main: 'red/main.min.js',
        vendorMonaco: lib === 'monaco' ? 'vendor/monaco/monaco-bootstrap.js' : '',
        vendorAce: lib === 'ace' ? 'vendor/ace/ace-bootstrap.js' : '',
      },
      ...this.#login(),
    };
  }

  /** The picture of the log-in page: `{ image }`, where one is configured. */
  loginImage(): { readonly image?: string } {
    const image = this.#image('login', objectAt(this.#deps.editorTheme, 'login')['image']);
    return image === undefined ? {} : { image };
  }

  /** Where a log-out leads: `{ logoutRedirect }`, where one is configured. */
  logoutRedirect(): { readonly logoutRedirect?: string } {
    const logoutRedirect = text(objectAt(this.#deps.editorTheme, 'logout')['redirect']);
    return logoutRedirect === undefined ? {} : { logoutRedirect };
  }

  /** The part of `editorTheme` that `GET /settings` passes on to the editor. */
  settings(): JsonObject {
    const theme = this.#deps.editorTheme;
    const passed: Record<string, unknown> = {};
    for (const name of ['userMenu', 'menu', 'palette', 'multiplayer', 'keymap', 'theme', 'tours']) {
      if (theme[name] !== undefined) passed[name] = theme[name];
    }
    const deployButton = objectAt(theme, 'deployButton');
    if (Object.keys(deployButton).length > 0) {
      const icon = this.#image('deploy', deployButton['icon']);
      const { icon: _configured, ...others } = deployButton;
      passed['deployButton'] = icon ? { ...others, icon } : others;
    }
    const palette = objectAt(theme, 'palette');
    if (Array.isArray(palette['categories']))
      passed['palette'] = { ...palette, categories: { order: palette['categories'] } };
    return { ...passed, projects: { enabled: false }, tours: theme['tours'] ?? false };
  }

  /** Options of the code editor: the theme plugin's, then those of the setting. */
  async codeEditor(): Promise<JsonObject> {
    const { codeEditor } = this.#deps.editorTheme;
    const plugin = this.#chosen();
    const given = codeEditor.lib === 'monaco' ? plugin?.definition['monacoOptions'] : undefined;
    const fromPlugin =
      typeof given === 'string' && plugin ? await readOptions(join(plugin.path, given)) : given;
    return { ...codeEditor, options: { ...(isObject(fromPlugin) ? fromPlugin : {}), ...codeEditor.options } };
  }

  #login(): { readonly login?: JsonObject } {
    const login = objectAt(this.#deps.editorTheme, 'login');
    return Object.keys(login).length === 0 ? {} : { login: { ...login, ...this.loginImage() } };
  }

  #chosen(): ThemePlugin | undefined {
    const id = this.#deps.editorTheme['theme'];
    return typeof id === 'string' ? this.#deps.themePlugins().find((plugin) => plugin.id === id) : undefined;
  }

  #header(header: JsonObject): ThemeContext['header'] {
    const url = text(header['url']);
    // `null` hides the image; leaving it out shows ours.
    const image = header['image'] === null ? undefined : (this.#image('header', header['image']) ?? logo);
    const shown = header['title'] === undefined ? title : text(header['title']);
    return {
      ...(shown === undefined ? {} : { title: shown }),
      ...(image ? { image } : {}),
      ...(url ? { url } : {}),
    };
  }

  #image(category: string, file: unknown): string | undefined {
    const path = text(file);
    return path === undefined ? undefined : this.#serve(category, path);
  }

  /** Gives a file a URL, where it is there; two files of the same name get different ones. */
  #serve(category: string, path: string): string | undefined {
    const known = this.#urls.get(`${category}:${path}`);
    if (known) return known;
    if (!existsSync(path)) return undefined;
    const extension = extname(path);
    const stem = basename(path, extension);
    let name = `${category}/${stem}${extension}`;
    for (let n = 1; this.#files.has(name); n++) name = `${category}/${stem}-${n}${extension}`;
    this.#files.set(name, path);
    this.#urls.set(`${category}:${path}`, `theme/${name}`);
    return `theme/${name}`;
  }
}

function objectAt(value: JsonObject, member: string): JsonObject {
  const found = value[member];
  return isObject(found) ? found : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (item): item is string => typeof item === 'string' && item !== '',
  );
}

async function readOptions(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // A theme with a broken options file still has its colours.
    return {};
  }
}
