/** A module, or one of its sets, as a path names it. */
export type Target =
  | { readonly is: 'module'; readonly module: string }
  | { readonly is: 'set'; readonly module: string; readonly id: string };

/**
 * What the steps of a path name. Two steps are a module and a set, or a scope and a module: `/nodes/acme/surf`,
 * `/nodes/@acme/surf`.
 */
export function targetOf(names: { scope?: string; module: string; set: string }): Target {
  const { scope, module, set } = names;
  if (scope !== undefined)
    return { is: 'set', module: `${scope}/${module}`, id: `${scope}/${module}/${set}` };
  if (isScope(module)) return { is: 'module', module: `${module}/${set}` };
  return { is: 'set', module, id: `${module}/${set}` };
}

/** Whether a step of a path is a scope, and not a whole name whose slash was escaped. */
export function isScope(step: string): boolean {
  return step.startsWith('@') && !step.includes('/');
}
