import { defaultLanguage } from '../../modules/template.ts';

/** The language that a page prefers, from its `Accept-Language` header (RFC 9110, 12.5.4); `en-US` without one. */
export function preferredLanguage(header: string | undefined): string {
  const ranges = (header ?? '')
    .split(',')
    .map((range) => {
      const [language = '', ...parameters] = range.trim().split(/\s*;\s*/);
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { language, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => language !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return safeLanguage(ranges[0]?.language);
}

/** A language tag that may become part of a path; anything else is `en-US`. */
export function safeLanguage(language: string | undefined): string {
  return language !== undefined && /^[0-9A-Za-z-]+$/.test(language) ? language : defaultLanguage;
}

/** The languages to look in, best first: the one asked for, its base, English. */
export function languageChain(language: string): readonly string[] {
  return [...new Set([language, language.split('-')[0] ?? language, defaultLanguage])];
}
