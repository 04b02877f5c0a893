import type { NodeModule } from '../../modules/node-module.ts';

/**
 * The node set to blame for the end of an engine that was loading modules: the one whose files stand innermost in the
 * stack of the `process.exit` call, else the one that was being loaded.
 * @param loading - id of the set that was being loaded
 * @param callers - lines of the stack, innermost first
 */
export function culpritOf(
  loading: string | undefined,
  callers: readonly string[],
  modules: readonly NodeModule[],
): string | undefined {
  if (loading === undefined) return undefined;
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
