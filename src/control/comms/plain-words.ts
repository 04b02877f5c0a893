/**
 * Words of our own for a notice. An editor looks `text` up in its catalogues, taking what stands before a colon for the
 * name of one; where it finds nothing it shows `defaultValue`, as HTML.
 */
export function plainWords(words: string): { readonly text: string; readonly defaultValue: string } {
  const html = words.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return { text: words, defaultValue: html };
}
