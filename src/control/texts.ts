import { isObject } from '../contract/json.ts';

/** A catalogue of texts: nested objects of strings. */
export type Texts = { readonly [key: string]: unknown };

/** Texts as the editor's library wants them: catalogues on disk name plurals `x_plural`, it wants `x_other`. */
export function withPlurals(value: unknown): Texts {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => [
      key.replace(/_plural$/, '_other'),
      isObject(text) ? withPlurals(text) : text,
    ]),
  );
}

/** The texts of `over`, filled up with those that only `base` has. */
export function filledUp(base: Texts, over: Texts): Texts {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isObject(value) && isObject(below) ? filledUp(below, value) : value;
  }
  return result;
}
