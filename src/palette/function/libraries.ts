import type { PaletteNode, PaletteRed } from '../red.ts';
import { sandboxNames } from './sandbox.ts';

/** A package that a function node uses, and the name under which its code finds it. */
export interface Library {
  readonly var?: string;
  readonly module?: string;
  readonly spec?: string;
}

/**
 * Loads the packages of a function node.
 * @returns undefined where there are none; else what each name stands for. Rejects where one can't be loaded, which has
 * then been reported.
 * @throws where a name is taken.
 */
export function loadLibraries(
  { node, RED }: { readonly node: PaletteNode; readonly RED: PaletteRed },
  libraries: readonly Library[],
): Promise<Record<string, unknown>> | undefined {
  const named = libraries.filter(({ var: name }) => name);
  if (named.length === 0) return undefined;
  const taken = named.filter(({ var: name = '' }) => name === 'node' || sandboxNames.includes(name));
  for (const { var: name } of taken) node.error(RED._('function.error.moduleNameError', { name }));
  if (taken.length > 0) throw new Error(RED._('function.error.externalModuleLoadError'));
  const load = async ({ var: name = '', module, spec }: Library): Promise<[string, unknown]> => {
    if (!module) return [name, null];
    try {
      const loaded = await RED.import(module);
      return [name, loaded['default'] || loaded];
    } catch (error) {
      node.error(RED._('function.error.moduleLoadError', { module: spec, error: String(error) }));
      throw error;
    }
  };
  return Promise.all(named.map(load)).then((loaded) => Object.fromEntries(loaded));
}
