/**
 * Writes a value as JavaScript, functions by their source text, so that a test can write a settings file as an object.
 * A function must not use variables from around it.
 */
export function asJavaScript(value: unknown): string {
  switch (typeof value) {
    case 'function':
      return functionText(value.toString());
    case 'undefined':
      return 'undefined';
    case 'bigint':
      return `${value}n`;
    case 'object':
      break;
    default:
      return JSON.stringify(value);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(asJavaScript).join(', ')}]`;
  if (value instanceof RegExp) return value.toString();
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Buffer.isBuffer(value)) return `Buffer.from('${value.toString('base64')}', 'base64')`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${asJavaScript(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** `name() {}` (a method) stands only inside an object; a plain or an arrow function stands by itself. */
function functionText(source: string): string {
  if (/^(async\s+)?function\b|^(async\s*)?(\([\s\S]*?\)|[\w$]+)\s*=>|^class\b/.test(source))
    return `(${source})`;
  const name = /^(?:async\s+)?\*?\s*([\w$]+)\s*\(/.exec(source)?.[1];
  return name === undefined ? `(${source})` : `({ ${source} }).${name}`;
}
