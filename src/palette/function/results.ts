import type { Message, PaletteNode, PaletteRed, Send } from '../red.ts';

/** Where results go. */
export interface Sending {
  readonly send: Send;
  /** The id of the message that was handled: all results get it. */
  readonly id: unknown;
  /** Whether the first message is copied; the code may still hold it. */
  readonly clone: boolean;
}

/** Who sends. */
export interface Sender {
  readonly node: PaletteNode;
  readonly RED: PaletteRed;
}

/**
 * Sends what the code of a function node returned or handed to `node.send`: a message, or an array with an entry per
 * output, each a message or an array of such. What is no message is reported; without any message nothing is sent.
 */
export function sendResults(sender: Sender, sending: Sending, results: unknown): void {
  if (!results) return;
  if (!Array.isArray(results)) {
    const [message] = outputOf(results, sender, sending, true);
    if (message !== undefined) sending.send(message);
    return;
  }
  let isFirst = true;
  for (let port = 0; port < results.length; port++) {
    const entry: unknown = results[port];
    if (!entry) continue;
    const messages = outputOf(entry, sender, sending, isFirst);
    if (messages.length > 0) isFirst = false;
    results[port] = messages;
  }
  if (!isFirst) sending.send(results);
}

/** The messages of one output. */
function outputOf(entry: unknown, sender: Sender, { id, clone }: Sending, isFirst: boolean): Message[] {
  const messages: Message[] = [];
  for (const each of Array.isArray(entry) ? (entry as unknown[]) : [entry]) {
    if (each === null || each === undefined) continue;
    if (!isMessage(each)) {
      sender.node.error(sender.RED._('function.error.non-message-returned', { type: typeName(each) }));
      continue;
    }
    const message = clone && isFirst && messages.length === 0 ? sender.RED.util.cloneMessage(each) : each;
    message._msgid = id;
    messages.push(message);
  }
  return messages;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && !Buffer.isBuffer(value) && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (Buffer.isBuffer(value)) return 'Buffer';
  return Array.isArray(value) ? 'Array' : typeof value;
}
