/** Two hex digits for every byte. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function half(): string {
  const bits = (Math.random() * 0x1_0000_0000) >>> 0;
  return `${hex[bits >>> 24]}${hex[(bits >>> 16) & 255]}${hex[(bits >>> 8) & 255]}${hex[bits & 255]}`;
}

/** A new id in the form that flow files and messages use: 16 hex digits, random, not secret. */
export function newId(): string {
  return half() + half();
}
