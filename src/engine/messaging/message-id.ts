import type { Message } from './message.ts';

/** Two hex digits for every byte. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function half(): string {
  const bits = (Math.random() * 0x1_0000_0000) >>> 0;
  return `${hex[bits >>> 24]}${hex[(bits >>> 16) & 255]}${hex[(bits >>> 8) & 255]}${hex[bits & 255]}`;
}

/** Gives a message an id. One that is frozen or sealed stays without, rather than fail whoever sent it. */
export function identify(message: Message, id = newId()): void {
  if (Object.isExtensible(message)) message._msgid = id;
}

/** A new id in the form that flow files and messages use: 16 hex digits, random, not secret. */
export function newId(): string {
  return half() + half();
}
