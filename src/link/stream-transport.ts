import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Lines } from './lines.ts';
import type { Transport } from './transport.ts';

/** The file descriptor of the link in the engine's process: the first after the standard streams. */
export const linkDescriptor = 3;

/**
 * The transport between two processes, over a pipe that carries both ways: one text a line, as JSON has no line ends.
 * @remarks Not the IPC channel of Node.js: that belongs to `process`, where any module can take its listeners off
 * (`process.removeAllListeners()`), close it, or send what it likes.
 */
export function streamTransport(stream: Duplex): Transport {
  let closed = false;
  let tellText: (text: string) => void = () => {};
  let tellClose: () => void = () => {};
  const lines = new Lines();

  const shut = (): void => {
    if (closed) return;
    closed = true;
    tellClose();
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    if (closed) return;
    for (const line of lines.cut(chunk)) if (!closed) tellText(line);
    // No side can have sent such a line as one text.
    if (lines.isTooLong) stream.destroy();
  });
  // The other side went, also where it did so without a word (an error); 'close' follows either.
  stream.on('end', () => stream.destroy());
  stream.on('error', () => {});
  stream.on('close', shut);

  return {
    get buffered() {
      return closed ? 0 : stream.writableLength;
    },
    send(text) {
      if (!closed && stream.writable) stream.write(`${text}\n`);
    },
    onText(listener) {
      tellText = listener;
    },
    onClose(listener) {
      tellClose = listener;
      if (stream.destroyed && !closed) queueMicrotask(shut);
    },
    close() {
      // What was sent last may still wait; nothing is heard any more.
      stream.end();
      shut();
    },
  };
}

/** The engine's end of the pipe that the control plane gave it. */
export function inheritedStream(): Duplex {
  return new Socket({ fd: linkDescriptor, readable: true, writable: true });
}
