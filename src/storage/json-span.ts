const quote = 0x22;
const backslash = 0x5c;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Where a JSON object ends in a text (UTF-8): the index after its last brace; -1 where none begins here or it never ends.
 * @remarks Finds the end of what is valid. What is not may seem to end anywhere: whoever can't be sure parses it.
 */
export function endOfObject(bytes: Uint8Array, begin: number): number {
  if (bytes[begin] !== openBrace) return -1;
  let depth = 0;
  for (let at = begin; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at);
        break;
      case openBrace:
      case openBracket:
        depth++;
        break;
      case closeBrace:
      case closeBracket:
        if (--depth === 0) return at + 1;
        break;
      default:
    }
  }
  return -1;
}

/** The index of the closing quote; the length where there is none. */
function endOfString(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
