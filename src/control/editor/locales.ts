import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filledUp, type Texts, withPlurals } from '../texts.ts';

const fallback = 'en-US';

/** The catalogues of the editor itself, by language, filled up from the base language and English. */
export class EditorLocales {
  readonly #folder: string;
  readonly #cache = new Map<string, Promise<Texts>>();

  /** @param folder absolute path of a folder with a folder for each language. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The texts of `editor`, `jsonata` or `infotips` in a language; English where it is unknown. */
  async read(namespace: EditorNamespace, language: string): Promise<Texts> {
    const chain = [...new Set([language, language.split('-')[0] ?? '', fallback])].filter((name) =>
      /^[\w-]+$/.test(name),
    );
    const found = await Promise.all(chain.map((name) => this.#load(`${name}/${namespace}`)));
    return found.reduceRight((base, over) => filledUp(base, over), {});
  }

  #load(name: string): Promise<Texts> {
    const known = this.#cache.get(name);
    if (known) return known;
    const loaded = readFile(join(this.#folder, `${name}.json`), 'utf8')
      .then((text) => withPlurals(JSON.parse(text)))
      .catch(() => {
        // There are more names of languages than languages: only these are remembered.
        this.#cache.delete(name);
        return {};
      });
    this.#cache.set(name, loaded);
    return loaded;
  }
}

/** Namespaces that the client package brings. */
export const editorNamespaces = ['editor', 'jsonata', 'infotips'] as const;
export type EditorNamespace = (typeof editorNamespaces)[number];
