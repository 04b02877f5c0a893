import type { Transport } from './transport.ts';

/** What a parent's `ChildProcess` and a child's `process` have in common. */
export interface IpcEnd {
  readonly connected: boolean;
  send?(
    message: unknown,
    handle?: undefined,
    options?: undefined,
    done?: (error: Error | null) => void,
  ): boolean;
  disconnect(): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/**
 * The transport between a parent and a child process, over the IPC channel that Node.js gives them.
 * @remarks The channel must be opened with `serialization: 'advanced'`: a text then crosses as it is, and is not
 * escaped a second time. Messages that are not texts are somebody else's and are ignored.
 */
export function processTransport(end: IpcEnd): Transport {
  let buffered = 0;
  let closed = false;
  let tellText: (text: string) => void = () => {};
  let tellClose: () => void = () => {};

  const shut = (): void => {
    if (closed) return;
    closed = true;
    buffered = 0;
    tellClose();
  };
  end.on('message', (message) => {
    if (!closed && typeof message === 'string') tellText(message);
  });
  end.on('disconnect', shut);

  return {
    get buffered() {
      return buffered;
    },
    send(text) {
      if (closed || !end.connected) return;
      buffered += text.length;
      // The callback comes once the pipe has taken the text, so a side that stopped reading shows as `buffered`.
      // An error there means that the other side went; 'disconnect' tells that.
      end.send?.(text, undefined, undefined, () => {
        if (!closed) buffered -= text.length;
      });
    },
    onText(listener) {
      tellText = listener;
    },
    onClose(listener) {
      tellClose = listener;
      if (!end.connected && !closed) queueMicrotask(shut);
    },
    close() {
      if (closed) return;
      if (end.connected) end.disconnect();
      shut();
    },
  };
}
