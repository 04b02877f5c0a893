import { readFile } from 'node:fs/promises';
import mustache from 'mustache';
import type { ThemeContext } from './theme.ts';

/** Renders the editor's page from the client package's template. */
export class EditorPage {
  readonly #template: string;
  #template$: Promise<string> | undefined;

  /** @param template absolute path of the template. */
  constructor(template: string) {
    this.#template = template;
  }

  /** @param cacheBuster stands behind the URL of every asset, so that a new version is loaded anew. */
  async render(context: ThemeContext, cacheBuster: string): Promise<string> {
    this.#template$ ??= readFile(this.#template, 'utf8');
    return mustache.render(await this.#template$, { ...context, cacheBuster });
  }
}
