/** The language that every catalogue has. */
export const standardLanguage = 'en-US';

/** The language for texts of nodes: the setting, else what the environment's locale begins with, else English. */
export function preferredLanguage(
  setting: string | undefined,
  environment: { readonly [name: string]: string | undefined },
): string {
  if (setting) return setting;
  const locale = ['LC_ALL', 'LC_MESSAGES', 'LANG'].map((name) => environment[name]).find((value) => value);
  const language = locale?.slice(0, 2) ?? '';
  // "C" and "POSIX" are locales too.
  return /^[a-z]{2}$/.test(language) ? language : standardLanguage;
}
