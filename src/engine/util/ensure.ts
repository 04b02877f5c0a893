/** A value as text: a Buffer's as UTF-8, an object's as JSON. */
export function ensureString(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString();
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}

/** A value as bytes: a Buffer itself, anything else as the UTF-8 of {@link ensureString}. */
export function ensureBuffer(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(ensureString(value));
}
