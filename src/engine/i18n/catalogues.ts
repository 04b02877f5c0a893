import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { i18n as I18n } from 'i18next';
import { isObject } from '../../contract/json.ts';
import { textsFile } from '../../modules/assets.ts';
import type { NodeSet } from '../../modules/node-module.ts';
import { preferredLanguage, standardLanguage } from './language.ts';

/** What texts are found by. */
export interface CataloguesDeps {
  /** `lang` of the settings; without it the environment decides. */
  readonly lang?: string | undefined;
  /** Absolute path of the core's `locales` folder: namespace `node-red`. */
  readonly coreLocales: string;
}

/** Where a namespace's file lies in a language; undefined where there is none. */
type FileIn = (language: string) => string | undefined;

/**
 * The texts behind `RED._`: catalogues of the core and of node modules, by namespace.
 * @remarks Nothing is read before it is asked for, the library (i18next) included. A text that is not there in the
 * language is looked for in its base language, then in `en-US`; an unknown key is its own text. `__name__` in a text is
 * filled in; `_plural` keys are the plural forms of languages that have two.
 */
export class Catalogues {
  readonly #files = new Map<string, FileIn>();
  readonly #loaded = new Set<string>();
  readonly #language: string;
  #library: I18n | undefined;

  constructor({ lang, coreLocales }: CataloguesDeps) {
    this.#language = preferredLanguage(lang, process.env);
    this.#files.set('node-red', (language) => join(coreLocales, language, 'messages.json'));
  }

  /** Makes the texts of a set known. */
  register(set: NodeSet): void {
    if (set.namespace !== set.id) return;
    this.#files.set(set.id, (language) => textsFile(set, language));
    // An installed version may bring other texts than the one before.
    this.#loaded.delete(set.id);
  }

  /**
   * The text of `<namespace>:<key.path>`, in the manner of i18next's `t`.
   * @param options values to fill in, or the text for a key that is not there.
   */
  readonly translate: (key: string | string[], ...options: unknown[]) => string = (key, ...options) => {
    const [named] = options;
    for (const one of [key].flat()) this.#load(String(one).split(':', 1)[0] as string);
    if (isObject(named) && typeof named['ns'] === 'string') this.#load(named['ns']);
    // As `RED._` passes on whatever it was given, so does this.
    return (this.#opened().t as unknown as (...values: unknown[]) => string)(key, ...options);
  };

  /** Reads a namespace in the language and in those that it falls back to. */
  #load(namespace: string): void {
    const fileIn = this.#files.get(namespace);
    if (fileIn === undefined || this.#loaded.has(namespace)) return;
    this.#loaded.add(namespace);
    const base = this.#language.split('-', 1)[0] as string;
    for (const language of new Set([standardLanguage, base, this.#language])) {
      const texts = readCatalogue(fileIn, language);
      if (texts !== undefined) this.#opened().addResourceBundle(language, namespace, texts, true, true);
    }
  }

  #opened(): I18n {
    if (this.#library === undefined) {
      const { createInstance } = createRequire(import.meta.url)('i18next') as typeof import('i18next');
      this.#library = createInstance();
      void this.#library.init({
        initAsync: false,
        lng: this.#language,
        fallbackLng: standardLanguage,
        ns: [],
        defaultNS: 'runtime',
        // Said, though it is the default: else a key with blanks in it, which has no text, keeps its namespace.
        nsSeparator: ':',
        resources: {},
        interpolation: { prefix: '__', suffix: '__', escapeValue: false, unescapeSuffix: 'HTML' },
      });
    }
    return this.#library;
  }
}

/** A file's texts, with the names of plurals that the library knows; undefined where there is none that is valid. */
function readCatalogue(fileIn: FileIn, language: string): object | undefined {
  if (/[^a-z-]/i.test(language)) return undefined;
  const path = fileIn(language);
  if (path === undefined) return undefined;
  try {
    const texts = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    // Empty texts give way to those of the language that is fallen back to.
    return withPlurals(texts, language === standardLanguage);
  } catch {
    return undefined;
  }
}

function withPlurals(texts: object, keepEmpty: boolean): object {
  const renamed: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(texts)) {
    if (isObject(text)) renamed[key] = withPlurals(text, keepEmpty);
    else if (text !== '' || keepEmpty) renamed[key.replace(/_plural$/, '_other')] = text;
  }
  return renamed;
}
