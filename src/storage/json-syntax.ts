/** A text that is not JSON, and where it stops being JSON; lines and columns count from 1. */
export class JsonSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number, found: string) {
    super(`line ${line}, column ${column}: ${found}`);
    this.name = 'JsonSyntaxError';
    this.line = line;
    this.column = column;
  }
}

/**
 * Parses JSON, with or without a byte order mark.
 * @throws JsonSyntaxError with the place of the first character that can't be part of it (the engine's own error often
 * lacks it). The message does not quote the text, which may hold secrets.
 */
export function parseJson(text: string): unknown {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(body);
  } catch {
    const offset = findError(body);
    const before = body.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    throw new JsonSyntaxError(
      line,
      column,
      offset >= body.length ? 'unexpected end' : 'unexpected character',
    );
  }
}

const literals = ['true', 'false', 'null'];
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Offset of the first character that can't belong to a JSON text (RFC 8259); the length where the text ends too early. */
function findError(text: string): number {
  /** What may come next. */
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing' = 'value';
  const open: ('{' | '[')[] = [];
  let at = 0;
  const closeOne = () => {
    open.pop();
    expected = open.length === 0 ? 'nothing' : ', or end';
    at++;
  };
  for (;;) {
    while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at++;
    if (at >= text.length) return at;
    const char = text.charAt(at);
    switch (expected) {
      case 'nothing':
        return at;
      case ':':
        if (char !== ':') return at;
        at++;
        expected = 'value';
        break;
      case ', or end': {
        const inside = open.at(-1);
        if (char === ',') {
          expected = inside === '{' ? 'key' : 'value';
          at++;
        } else if (char === (inside === '{' ? '}' : ']')) closeOne();
        else return at;
        break;
      }
      case 'key or }':
      case 'key': {
        if (char === '}' && expected === 'key or }') {
          closeOne();
          break;
        }
        const end = endOfString(text, at);
        if (end.is === 'error') return end.at;
        at = end.at;
        expected = ':';
        break;
      }
      case 'value or ]':
      case 'value': {
        if (char === ']' && expected === 'value or ]') {
          closeOne();
          break;
        }
        if (char === '{' || char === '[') {
          open.push(char);
          expected = char === '{' ? 'key or }' : 'value or ]';
          at++;
          break;
        }
        const end = endOfScalar(text, at);
        if (end.is === 'error') return end.at;
        at = end.at;
        expected = open.length === 0 ? 'nothing' : ', or end';
        break;
      }
      default:
        return expected satisfies never;
    }
  }
}

type End = { readonly is: 'end' | 'error'; readonly at: number };

function endOfScalar(text: string, at: number): End {
  if (text.charAt(at) === '"') return endOfString(text, at);
  const literal = literals.find((word) => text.startsWith(word, at));
  if (literal !== undefined) return { is: 'end', at: at + literal.length };
  number.lastIndex = at;
  const found = number.exec(text);
  return found === null ? { is: 'error', at } : { is: 'end', at: at + found[0].length };
}

function endOfString(text: string, start: number): End {
  if (text.charAt(start) !== '"') return { is: 'error', at: start };
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { is: 'end', at: at + 1 };
    if (char < ' ') return { is: 'error', at };
    if (char !== '\\') continue;
    at++;
    if (text.charAt(at) === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return { is: 'error', at };
      at += 4;
    } else if (at < text.length && !'"\\/bfnrt'.includes(text.charAt(at))) return { is: 'error', at };
  }
  return { is: 'error', at: text.length };
}
