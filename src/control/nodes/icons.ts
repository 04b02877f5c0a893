import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { iconFolders, iconsIn, type LoosePlaces } from '../../modules/assets.ts';
import { coreModuleName } from '../../modules/core.ts';
import type { NodeCatalogue } from './catalogue.ts';

/** What icons are found by. */
export type IconsSource = Pick<NodeCatalogue, 'generation' | 'listed' | 'module'>;

/** The icons that modules bring for the palette. */
export class Icons {
  readonly #source: IconsSource;
  readonly #places: LoosePlaces;
  #generation = -1;
  /** Icon folders by module. */
  readonly #folders = new Map<string, readonly string[]>();

  constructor(source: IconsSource, places: LoosePlaces) {
    this.#source = source;
    this.#places = places;
  }

  /** Names of the icons, by module. */
  list(): { readonly [module: string]: readonly string[] } {
    const modules = this.#source.listed();
    return Object.fromEntries(modules.map(({ name }) => [name, this.#foldersOf(name).flatMap(iconsIn)]));
  }

  /** Absolute path of an icon: the module's, else the core's of that name, else the default icon. */
  file(module: string, icon: string): string {
    return this.#find(module, icon) ?? this.#find(coreModuleName, icon) ?? defaultIcon();
  }

  #find(module: string, icon: string): string | undefined {
    if (basename(icon) !== icon || icon.startsWith('.') || icon.includes('\\')) return undefined;
    const places = this.#foldersOf(module).map((folder) => join(folder, icon));
    return places.find(isFile);
  }

  #foldersOf(name: string): readonly string[] {
    if (this.#generation !== this.#source.generation) {
      this.#generation = this.#source.generation;
      this.#folders.clear();
    }
    const known = this.#folders.get(name);
    if (known) return known;
    const module = this.#source.module(name);
    const folders = module ? iconFolders(module, this.#places) : [];
    // Only names that exist are kept: the others are the caller's.
    if (module) this.#folders.set(name, folders);
    return folders;
  }
}

/** Names come from outside: the system refuses some (too long, with a NUL), which are then not there. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function defaultIcon(): string {
  const client = dirname(createRequire(import.meta.url).resolve('@node-red/editor-client/package.json'));
  return join(client, 'public', 'red', 'images', 'icons', 'arrow-in.svg');
}
