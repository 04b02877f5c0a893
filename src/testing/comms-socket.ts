import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** Messages that come close together reach a socket as one frame, as they do in an editor; milliseconds. */
const batchMs = 10;

/** The editor's WebSocket at `/comms`, without authentication: specs read there what nodes publish. */
export class CommsSocket {
  readonly #server = new WebSocketServer({ noServer: true });
  #waiting: { readonly topic: string; readonly data: unknown }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Takes an upgrade of the test server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client: WebSocket) => {
      this.#server.emit('connection', client, request);
    });
  }

  publish(topic: string, data: unknown): void {
    if (this.#server.clients.size === 0) return;
    this.#waiting.push({ topic, data });
    this.#timer ??= setTimeout(() => this.#flush(), batchMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #flush(): void {
    this.#timer = undefined;
    const frame = JSON.stringify(this.#waiting);
    this.#waiting = [];
    for (const client of this.#server.clients) client.send(frame);
  }
}
