import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { LibraryInfo } from '../../contract/settings.ts';

/** The type of plugins whose class makes libraries. */
const pluginType = 'node-red-library-source';

/** What a plugin's class makes: a library. */
interface LibrarySource {
  init?(): unknown;
  getEntry(type: string, path: string): unknown;
  saveEntry?(type: string, path: string, meta: object, body: string): unknown;
}

/** What of an entry comes over the link: a file's text, or what a folder holds. */
export type SourceEntry = string | readonly unknown[];

/** What the sources need. */
export interface LibrarySourcesDeps {
  /** `editorTheme.library.sources` of the settings file: `{ id, type, label?, icon?, … }`. */
  readonly configured: unknown;
  readonly plugins: {
    get(id: string): { readonly type?: string; readonly [member: string]: unknown } | undefined;
  };
  readonly warn: (message: string) => void;
}

/** Libraries that plugins bring and the settings file configures. */
export class LibrarySources {
  readonly #deps: LibrarySourcesDeps;
  readonly #held = new Map<string, { readonly info: LibraryInfo; readonly source: LibrarySource }>();

  constructor(deps: LibrarySourcesDeps) {
    this.#deps = deps;
  }

  /** Makes the configured libraries of a plugin that has just been registered. One that fails is left out, with a warning. */
  pluginAdded(id: string): void {
    const plugin = this.#deps.plugins.get(id);
    if (plugin?.type !== pluginType) return;
    const { configured } = this.#deps;
    for (const config of Array.isArray(configured) ? configured : []) {
      if (isObject(config) && config['type'] === id) void this.#open(config, plugin['class']);
    }
  }

  /** The libraries, as `GET /settings` tells of them. */
  list(): readonly LibraryInfo[] {
    return [...this.#held.values()].map(({ info }) => info);
  }

  /** @throws AppError `not_found`, `forbidden`, `unexpected_error` */
  async read(library: string, type: string, path: string): Promise<SourceEntry> {
    const entry = await this.#ask(library, (source) => source.getEntry(type, path));
    return typeof entry === 'string' || Array.isArray(entry) ? entry : JSON.stringify(entry ?? []);
  }

  /** @throws AppError as `read`; `unexpected_error` also where the library can't be written to */
  async write(library: string, type: string, path: string, meta: object, body: string): Promise<null> {
    await this.#ask(library, (source) => {
      if (!source.saveEntry) throw refused(`Library ${library} is read-only`);
      return source.saveEntry(type, path, meta, body);
    });
    return null;
  }

  async #open(config: Readonly<Record<string, unknown>>, made: unknown): Promise<void> {
    const { id, type, label, icon, types, readOnly } = config;
    try {
      if (typeof id !== 'string' || !/^[a-z0-9-_]+$/.test(id)) throw new Error('its id is not valid');
      if (typeof made !== 'function') throw new Error('its plugin has no class');
      const source = new (made as new (config: object) => LibrarySource)({ ...config });
      const info: LibraryInfo = {
        id,
        label: typeof label === 'string' ? label : id,
        user: false,
        ...(typeof icon === 'string' ? { icon } : {}),
        ...(Array.isArray(types) ? { types: types.map(String) } : {}),
        ...(readOnly === true || !source.saveEntry ? { readOnly: true } : {}),
        type: String(type),
      };
      await source.init?.();
      this.#held.set(id, { info, source });
    } catch (error) {
      this.#deps.warn(`The library ${String(id)} could not be opened: ${String(error)}`);
    }
  }

  async #ask(library: string, question: (source: LibrarySource) => unknown): Promise<unknown> {
    const held = this.#held.get(library);
    if (!held) throw refused(`Unknown library: ${library}`);
    try {
      return await question(held.source);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const { code } = Object(cause) as { code?: unknown };
      if (code === 'not_found' || code === 'forbidden') throw new AppError(code, { cause });
      // Words of a plugin may hold paths, or secrets of where it asked.
      this.#deps.warn(`The library ${library} failed: ${String(cause)}`);
      throw refused(`Library ${library} could not do that`);
    }
  }
}

function refused(detail: string): AppError {
  return new AppError('unexpected_error', { detail });
}
