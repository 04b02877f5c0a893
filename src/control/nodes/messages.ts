import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textsFile } from '../../modules/assets.ts';
import { coreLocales, coreModuleName } from '../../modules/core.ts';
import type { NodeSet } from '../../modules/node-module.ts';
import { defaultLanguage } from '../../modules/template.ts';
import { filledUp, type Texts, withPlurals } from '../texts.ts';
import type { NodeCatalogue } from './catalogue.ts';
import { languageChain } from './language.ts';

/** What the texts are found by. */
export type MessagesSource = Pick<NodeCatalogue, 'core' | 'generation' | 'listed' | 'set'>;

/**
 * The texts of the node sets, by language.
 * @remarks A language's texts are filled up from its base language and from English; a language that has none, nor has
 * its base, has an empty catalogue, as the editor asks for the others by itself.
 */
export class Messages {
  readonly #source: MessagesSource;
  #generation = -1;
  readonly #files = new Map<string, Promise<Texts | undefined>>();

  constructor(source: MessagesSource) {
    this.#source = source;
  }

  /** The texts of a namespace: a set's id, or `node-red` for the core node types. */
  async of(namespace: string, language: string): Promise<Texts> {
    this.#forgetOld();
    if (namespace === coreModuleName) {
      const folder = coreLocales(this.#source.core);
      return this.#filled((tried) => join(folder, tried, 'messages.json'), language);
    }
    const set = this.#source.set(namespace);
    return set ? this.#ofSet(set, language) : {};
  }

  /** The texts of every node set (or plugin set) but the core's, by set id. */
  async all(kind: NodeSet['kind'], language: string): Promise<{ readonly [setId: string]: Texts }> {
    this.#forgetOld();
    const sets = this.#source
      .listed()
      .filter((module) => module.name !== coreModuleName)
      .flatMap((module) => module[kind]);
    const texts = await Promise.all(
      sets.map(async (set) => [set.id, await this.#ofSet(set, language)] as const),
    );
    return Object.fromEntries(texts);
  }

  async #ofSet(set: NodeSet, language: string): Promise<Texts> {
    return this.#filled((tried) => textsFile(set, tried), language);
  }

  async #filled(fileIn: (language: string) => string | undefined, language: string): Promise<Texts> {
    const chain = languageChain(language);
    const found = await Promise.all(chain.map((tried) => this.#read(fileIn(tried))));
    const own = chain.findIndex((tried, index) => {
      const isFallback = tried === defaultLanguage && language !== defaultLanguage;
      return found[index] !== undefined && !isFallback;
    });
    if (own === -1) return {};
    return found.reduceRight<Texts>((base, over) => (over ? filledUp(base, over) : base), {});
  }

  #read(path: string | undefined): Promise<Texts | undefined> {
    if (path === undefined) return Promise.resolve(undefined);
    const known = this.#files.get(path);
    if (known) return known;
    const read = readFile(path, 'utf8').then((text) => withPlurals(JSON.parse(text.replace(/^\uFEFF/, ''))));
    const texts = read.catch(() => undefined);
    this.#files.set(path, texts);
    // What is not there is not kept: the names of languages are the caller's.
    texts.then((value) => value === undefined && this.#files.delete(path));
    return texts;
  }

  #forgetOld(): void {
    if (this.#generation === this.#source.generation) return;
    this.#generation = this.#source.generation;
    this.#files.clear();
  }
}
