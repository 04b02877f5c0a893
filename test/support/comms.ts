import { once } from 'node:events';
import { WebSocket } from 'ws';
import { waitFor } from './server.ts';

/** One message that an editor hears. */
export interface Heard {
  readonly topic: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of the data and asserts what they are
  readonly data: any;
}

/** An editor's connection to the comms channel, and everything that came over it. */
export class CommsClient implements Disposable {
  readonly socket: WebSocket;
  /** Frames as they came, parsed. */
  readonly frames: unknown[] = [];
  #closed = false;

  private constructor(url: string, headers: { readonly [name: string]: string }) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (frame) => this.frames.push(JSON.parse(String(frame))));
    this.socket.on('close', () => {
      this.#closed = true;
    });
    this.socket.on('error', () => {});
  }

  /** Connects to a server's `/comms`; with a token it authenticates, and waits until that is answered. */
  static async open(
    url: string,
    options: { readonly token?: string; readonly headers?: { readonly [name: string]: string } } = {},
  ): Promise<CommsClient> {
    const client = new CommsClient(`${url.replace('http', 'ws')}/comms`, options.headers ?? {});
    await once(client.socket, 'open');
    if (options.token !== undefined) {
      client.say({ auth: options.token });
      await client.until(() => client.frames.length > 0, 'an answer to the log-in');
    }
    return client;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Everything heard so far, the answers to log-ins left out. */
  get heard(): readonly Heard[] {
    return this.frames.filter((frame) => Array.isArray(frame)).flat();
  }

  /** The data of everything heard under a topic. */
  of(topic: string): readonly Heard['data'][] {
    return this.heard.filter((message) => message.topic === topic).map(({ data }) => data);
  }

  say(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  until(condition: () => unknown, what: string): Promise<unknown> {
    return waitFor(condition, `${what} (heard: ${JSON.stringify(this.frames).slice(-500)})`, 20_000);
  }

  /** Waits for a message under a topic; its data. */
  async next(topic: string, fits: (data: Heard['data']) => unknown = () => true): Promise<Heard['data']> {
    await this.until(() => this.of(topic).some((data) => fits(data)), topic);
    return this.of(topic).find((data) => fits(data));
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
