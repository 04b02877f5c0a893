import { readFile } from 'node:fs/promises';
import { helpFile } from '../../modules/assets.ts';
import type { NodeSet } from '../../modules/node-module.ts';
import { splitTemplate, type Template } from '../../modules/template.ts';
import type { NodeCatalogue } from './catalogue.ts';
import { languageChain } from './language.ts';

/** What templates are made of. */
export type TemplateSource = Pick<
  NodeCatalogue,
  'core' | 'generation' | 'listed' | 'status' | 'errorOf' | 'set'
>;

/** How many languages' whole pages are kept: anybody who may read can ask for any language. */
const keptLanguages = 8;

/**
 * The editor's part of the node sets and plugins, as html with their help in a language.
 * @remarks Files are read once and kept until the catalogue changes.
 */
export class Templates {
  readonly #source: TemplateSource;
  #generation = -1;
  readonly #files = new Map<string, Promise<Template>>();
  readonly #pages = new Map<string, Promise<Buffer>>();

  constructor(source: TemplateSource) {
    this.#source = source;
  }

  /** Every enabled node set without an error, in load order, each after its marker; utf-8. */
  nodes(language: string): Promise<Buffer> {
    this.#forgetOld();
    const kept = this.#pages.get(language);
    if (kept) return kept;
    const page = this.#allNodes(language).then((html) => Buffer.from(html));
    this.#pages.set(language, page);
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= keptLanguages) break;
      this.#pages.delete(old);
    }
    return page;
  }

  /** One node set, also a disabled one; undefined where there is none of this id. */
  async node(id: string, language: string): Promise<string | undefined> {
    this.#forgetOld();
    const set = this.#source.set(id);
    return set?.kind === 'nodes' ? this.#node(set, language) : undefined;
  }

  /** Every enabled plugin set that has something for the editor; empty where there is none. */
  async plugins(): Promise<string> {
    this.#forgetOld();
    const sets = this.#source.listed().flatMap((module) => module.plugins);
    const parts = await Promise.all(sets.map((set) => this.#plugin(set)));
    return parts.join('');
  }

  /** One plugin set; empty where there is none of this id, or nothing of it for the editor. */
  async plugin(id: string): Promise<string> {
    this.#forgetOld();
    const set = this.#source.set(id);
    return set?.kind === 'plugins' ? this.#plugin(set) : '';
  }

  async #allNodes(language: string): Promise<string> {
    const sets = this.#source
      .listed()
      .flatMap((module) => module.nodes)
      .filter((set) => set.enabled && this.#source.errorOf(set) === undefined);
    const parts = await Promise.all(sets.map((set) => this.#node(set, language)));
    return parts.map((part) => `\n${part}`).join('');
  }

  async #node(set: NodeSet, language: string): Promise<string> {
    const { main, help } = await this.#template(set);
    // A set's code may bring html of its own (subflows as node types).
    const made = this.#source.status(set.id)?.template ?? '';
    return `<!-- --- [red-module:${set.id}] --- -->\n${main}${made}${await this.#help(set, help, language)}`;
  }

  async #plugin(set: NodeSet): Promise<string> {
    if (!set.enabled || set.template === undefined || this.#source.errorOf(set) !== undefined) return '';
    const html = await readFile(set.template, 'utf8').catch(() => '');
    return html === '' ? '' : `\n<!-- --- [red-plugin:${set.id}] --- -->\n${html}`;
  }

  async #help(set: NodeSet, inline: Template['help'], language: string): Promise<string> {
    for (const tried of languageChain(language)) {
      const found = inline.get(tried) ?? (await this.#helpFile(set, tried));
      if (found !== undefined) return found;
    }
    return '';
  }

  #helpFile(set: NodeSet, language: string): Promise<string | undefined> {
    const path = helpFile(set, language, this.#source.core);
    return path === undefined ? Promise.resolve(undefined) : readFile(path, 'utf8').catch(() => undefined);
  }

  #template(set: NodeSet): Promise<Template> {
    const known = this.#files.get(set.id);
    if (known) return known;
    const template = set.template === undefined ? Promise.resolve('') : readFile(set.template, 'utf8');
    const split = template.catch(() => '').then(splitTemplate);
    this.#files.set(set.id, split);
    return split;
  }

  #forgetOld(): void {
    if (this.#generation === this.#source.generation) return;
    this.#generation = this.#source.generation;
    this.#files.clear();
    this.#pages.clear();
  }
}
