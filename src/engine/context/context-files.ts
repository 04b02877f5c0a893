import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../contract/json.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';
import type { ScopeValues } from './scope-values.ts';

/** Where a `localfilesystem` store keeps its files: `base` (`context`) in `dir` (the user directory). Absolute. */
export function folderOf(
  options: { readonly dir?: unknown; readonly base?: unknown },
  userDir: string,
): string {
  return resolve(join(String(options.dir || userDir), String(options.base || 'context')));
}

/**
 * The files of a `localfilesystem` store: `global/global.json`, `<flow>/flow.json`, `<flow>/<node>.json`.
 * @remarks The peer's layout, so that a user directory can go back and forth.
 */
export class ContextFiles {
  readonly #folder: string;

  /** @param folder absolute path of the store's folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Every scope that has a file. */
  async scopes(): Promise<string[]> {
    const folders = await readdir(this.#folder, { withFileTypes: true }).catch(ifMissing([]));
    const found = folders
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(async ({ name }) => {
        const files = await readdir(join(this.#folder, name));
        return files.filter((file) => file.endsWith('.json')).map((file) => scopeOf(name, file.slice(0, -5)));
      });
    return (await Promise.all(found)).flat();
  }

  /**
   * A scope's values; undefined where it has no file. What a list or a text holds has its place as its key.
   * @throws an error that names a file which is not JSON.
   */
  async read(scope: string): Promise<ScopeValues | undefined> {
    const path = this.#pathOf(scope);
    const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
    if (!text) return undefined;
    try {
      const values: unknown = JSON.parse(text);
      // Keys of a list would be lost when it is written again.
      return isObject(values) ? values : { ...(values as object) };
    } catch (cause) {
      throw new Error(`The context file ${path} is not valid JSON; correct or remove it`, { cause });
    }
  }

  async write(scope: string, json: string): Promise<void> {
    const path = this.#pathOf(scope);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, json);
  }

  async remove(scope: string): Promise<void> {
    await rm(this.#pathOf(scope), { force: true });
  }

  /** Removes what belongs to no flow or node in use; `global` stays. */
  async clean(active: ReadonlySet<string>): Promise<void> {
    const flows = new Set<string>();
    for (const scope of await this.scopes()) {
      if (scope === 'global') continue;
      const [node, flow] = partsOf(scope);
      if (!active.has(flow)) flows.add(flow);
      else if (node !== undefined && !active.has(node)) await this.remove(scope);
    }
    for (const flow of flows) await rm(join(this.#folder, flow), { recursive: true, force: true });
  }

  #pathOf(scope: string): string {
    if (scope === 'global') return join(this.#folder, 'global', 'global.json');
    const [node = 'flow', flow] = partsOf(scope);
    for (const id of [node, flow]) {
      // Ids come from the flow file; none may lead out of the folder.
      if (/[/\\\0]|^\.\.?$/.test(id)) throw new Error(`The id ${JSON.stringify(id)} is no file name`);
    }
    return join(this.#folder, flow, `${node}.json`);
  }
}

function scopeOf(folder: string, file: string): string {
  if (folder === 'global') return 'global';
  return file === 'flow' ? folder : `${file}:${folder}`;
}

function partsOf(scope: string): [node: string | undefined, flow: string] {
  const [first = '', second] = scope.split(':');
  return second === undefined ? [undefined, first] : [first, second];
}

function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}
