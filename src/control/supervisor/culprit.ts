import type { NodeModule } from '../../modules/node-module.ts';

/** What is known of the end of an engine in which nothing but modules ran. */
export interface Evidence {
  /** Id of the set that was being loaded. */
  readonly loading: string | undefined;
  /** Lines of the stack that `process.exit` was called from, innermost first. */
  readonly callers: readonly string[];
  readonly modules: readonly NodeModule[];
}

/**
 * The node set to blame: the one whose files stand innermost in the stack of the `process.exit` call, else the one that
 * was being loaded.
 */
export function culpritOf({ loading, callers, modules }: Evidence): string | undefined {
  const sets = modules.flatMap((module) =>
    [...module.plugins, ...module.nodes].flatMap(({ id, file }) =>
      file === undefined ? [] : [{ id, file, folder: module.path }],
    ),
  );
  for (const line of callers) {
    const exact = sets.find(({ file }) => line.includes(file));
    if (exact) return exact.id;
    // A file that several sets of a module share: the one being loaded, where it is of that module.
    const shared = sets.filter(({ folder }) => line.includes(`${folder}/`));
    const nearest = shared.find(({ id }) => id === loading) ?? shared[0];
    if (nearest) return nearest.id;
  }
  return loading;
}
