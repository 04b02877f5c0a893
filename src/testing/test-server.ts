import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommsSocket } from './comms-socket.ts';

const address = '127.0.0.1';

/** A server on the loopback address for the routes and sockets of the nodes that are loaded at the moment. */
export class TestServer {
  readonly comms = new CommsSocket();
  readonly #server: Server;
  #target: Server | undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      if (this.#target?.emit('request', request, response)) return;
      response.statusCode = 503;
      response.end();
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (request.url?.split('?', 1)[0] === '/comms') this.comms.upgrade(request, socket, head);
      else if (!this.#target?.emit('upgrade', request, socket, head)) socket.destroy();
    });
  }

  /** Hands requests and upgrades to the server that nodes know as `RED.server`. */
  passTo(target: Server | undefined): void {
    this.#target = target;
  }

  /** Resolves once it listens, on a free port. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, address, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  /** Ends every connection. */
  close(): Promise<void> {
    this.comms.close();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
