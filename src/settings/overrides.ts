import { isObject } from '../contract/json.ts';

/**
 * The file's settings with the values of the command line in place, by dotted name. Copies along the way: the object
 * that the file exports is never changed.
 */
export function withOverrides(
  file: { readonly [name: string]: unknown },
  overrides: { readonly [dottedName: string]: unknown },
): Record<string, unknown> {
  let settings: Record<string, unknown> = { ...file };
  for (const [name, value] of Object.entries(overrides))
    settings = withValue(settings, name.split('.'), value);
  return settings;
}

function withValue(
  target: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [name, ...rest] = path;
  if (name === undefined) return target;
  if (rest.length === 0) return { ...target, [name]: value };
  const inner = target[name];
  return { ...target, [name]: withValue(isObject(inner) ? { ...inner } : {}, rest, value) };
}
