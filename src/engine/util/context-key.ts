/** A context key and, where the text named one, its store. */
export interface ContextKey {
  key: string;
  store?: string;
}

/** Takes apart what the editor writes for a context property: `#:(store)::key`, or the key alone. */
export function parseContextStore(text: string): ContextKey {
  // Nearly all keys name no store; they need no pattern.
  if (typeof text === 'string' && text.charCodeAt(0) !== 0x23) return { key: text };
  const found = /^#:\((?<store>\S+?)\)::(?<key>.*)$/.exec(text)?.groups;
  return found === undefined
    ? { key: text }
    : { store: found['store'] as string, key: found['key'] as string };
}
