import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { LibraryEntry } from './local-library.ts';

/** A node module, as far as its examples go. */
export interface ModuleWithExamples {
  readonly name: string;
  /** Absolute path of its folder. */
  readonly path: string;
}

/** Flows that node modules bring as examples, in the folder `examples`. Read-only. */
export class ExampleLibrary {
  readonly #modules: () => readonly ModuleWithExamples[];

  constructor(modules: () => readonly ModuleWithExamples[]) {
    this.#modules = modules;
  }

  /**
   * Lists modules (empty path), folders and files without their `.json`, or reads a file.
   * @throws AppError `not_found`; `forbidden` for a path that leaves the examples
   */
  async read(path: string): Promise<LibraryEntry> {
    const steps = path.split('/').filter((step) => step !== '');
    if (steps.some((step) => step === '..' || /[\\\0]/.test(step))) throw new AppError('forbidden');
    if (steps.length === 0) return { is: 'folder', entries: await this.#withExamples() };
    const name = steps.splice(0, steps[0]?.startsWith('@') ? 2 : 1).join('/');
    const module = this.#modules().find((one) => one.name === name);
    if (module === undefined) throw new AppError('not_found');
    const full = join(module.path, 'examples', ...steps);
    const folder = await listFolder(full);
    if (folder !== undefined) return { is: 'folder', entries: folder };
    const text = await readFile(`${full}.json`, 'utf8').catch(() =>
      readFile(full, 'utf8').catch(() => undefined),
    );
    if (text === undefined) throw new AppError('not_found');
    return { is: 'file', text };
  }

  async #withExamples(): Promise<string[]> {
    const found = await Promise.all(
      this.#modules().map(async ({ name, path }) =>
        (await listFolder(join(path, 'examples')))?.length ? name : undefined,
      ),
    );
    return found.filter((name) => name !== undefined);
  }
}

/** Folders by name, then flows without `.json`; `undefined` where there is no such folder. */
async function listFolder(folder: string): Promise<(string | { readonly fn: string })[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  const visible = names.filter((name) => !name.startsWith('.')).sort();
  const areFolders = await Promise.all(
    visible.map((name) =>
      stat(join(folder, name)).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  const files = visible.filter((name, index) => !areFolders[index] && name.endsWith('.json'));
  return [
    ...visible.filter((_, index) => areFolders[index]),
    ...files.map((name) => ({ fn: name.slice(0, -'.json'.length) })),
  ];
}
