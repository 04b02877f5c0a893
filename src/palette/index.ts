import type { PaletteSet } from './red.ts';

/** The core node sets that we replace by our own: where the published code lies, and how ours is loaded. */
const sets: { readonly [set: string]: { readonly file: string; load(): Promise<{ default: PaletteSet }> } } =
  {
    function: {
      file: '@node-red/nodes/core/function/10-function.js',
      load: () => import('./function/index.ts'),
    },
    link: { file: '@node-red/nodes/core/common/60-link.js', load: () => import('./link/index.ts') },
    switch: { file: '@node-red/nodes/core/function/10-switch.js', load: () => import('./switch/index.ts') },
    change: { file: '@node-red/nodes/core/function/15-change.js', load: () => import('./change/index.ts') },
  };

/** Names of the sets that there are, as a setting may list them. */
export const ownSetNames: readonly string[] = Object.keys(sets);

/**
 * Our code for a set, where we have one of its own and it is wanted.
 * @param set Name without the module's, such as `function`.
 * @param file Absolute path of the code that it takes the place of: only published code is replaced.
 * @param wanted `true`: all, `false`: none, or names of sets.
 */
export function ownSet(
  { name, file }: { readonly name: string; readonly file: string },
  wanted: boolean | readonly string[],
): (() => Promise<(RED: never) => unknown>) | undefined {
  const own = Object.hasOwn(sets, name) ? sets[name] : undefined;
  if (own === undefined || !file.replaceAll('\\', '/').endsWith(own.file)) return undefined;
  if (!(typeof wanted === 'boolean' ? wanted : wanted.includes(name))) return undefined;
  return async () => (await own.load()).default as (RED: never) => unknown;
}
