/** The editor's part of a set, taken apart. */
export interface Template {
  /** Everything but the help. */
  readonly main: string;
  /** Help by language, as `script` elements. */
  readonly help: ReadonlyMap<string, string>;
}

/** The language of help that names none. */
export const defaultLanguage = 'en-US';

/** The node types that a template declares, in order: its `data-template-name` attributes. */
export function typesIn(html: string): string[] {
  return Array.from(
    html.matchAll(/<script\s[^>]*?data-template-name\s*=\s*(?:"([^"]*)"|'([^']*)')/gi),
    (match) => match[1] ?? match[2] ?? '',
  );
}

/** Takes the help (`script` elements with `data-help-name`) out of a template. */
export function splitTemplate(html: string): Template {
  const help = new Map<string, string>();
  const main = html.replace(/<script\s[^>]*?\bdata-help-name\s*=[\s\S]*?<\/script>/gi, (element) => {
    const tag = element.slice(0, element.indexOf('>') + 1);
    const named = /\sdata-lang\s*=\s*(?:"([^"]+)"|'([^']+)')/i.exec(tag);
    const language = named?.[1] ?? named?.[2] ?? defaultLanguage;
    help.set(language, (help.get(language) ?? '') + element);
    return '';
  });
  return { main, help };
}
