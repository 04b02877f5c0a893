import type { WebSocket } from 'ws';
import { isObject } from '../../contract/json.ts';
import { grants } from '../../contract/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import { type Encoded, Outbox } from './outbox.ts';

const flushMs = 50;

/** Above this many bytes unsent in the socket, frames wait. */
const socketLimit = 4 * 1024 * 1024;

/** What a connection needs of those around it. */
export interface EditorConnectionDeps {
  /** Who may listen before any `auth` frame came: everybody, the anonymous user, or nobody. */
  readonly initial: Principal | undefined;
  /** Whether it may listen before it says anything: there is no authentication, or its upgrade brought one. */
  readonly admitted: boolean;
  /** Whether `auth` frames mean anything: false where no authentication is configured. */
  readonly authenticates: boolean;
  authenticate(token: string): Promise<Principal | undefined>;
  /** How long somebody may stay who has not said who he is; milliseconds. */
  readonly strangerMs: number;
  retained(pattern: string): readonly Encoded[];
  onMessage(topic: string, data: unknown, connection: EditorConnection): void;
}

/**
 * One editor's WebSocket: authentication, then batches of messages (frames of at most 50, at most every 50 ms).
 * @remarks Every active connection hears every message; a subscription only asks for what is retained.
 */
export class EditorConnection {
  readonly id: string;
  readonly #socket: WebSocket;
  readonly #deps: EditorConnectionDeps;
  readonly #outbox = new Outbox();
  #principal: Principal | undefined;
  #active: boolean;
  #timer: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #frames: Promise<void> = Promise.resolve();

  constructor(id: string, socket: WebSocket, deps: EditorConnectionDeps) {
    this.id = id;
    this.#socket = socket;
    this.#deps = deps;
    this.#active = deps.admitted;
    this.#principal = deps.initial;
    socket.on('message', (data) => {
      // One after the other: a subscription must not overtake the authentication before it. What comes meanwhile waits
      // at the sender, not here.
      socket.pause();
      this.#frames = this.#frames
        .then(() => this.#receive(String(data)))
        .catch(() => this.#refuse())
        .then(() => socket.resume());
    });
    if (!this.#active) this.#deadline = setTimeout(() => this.#refuse(), deps.strangerMs).unref();
    socket.on('close', () => {
      clearTimeout(this.#timer);
      clearTimeout(this.#deadline);
    });
  }

  /** Who listens here; undefined while that is not known. */
  get principal(): Principal | undefined {
    return this.#active ? this.#principal : undefined;
  }

  /** Queues a message, where the connection may hear it. */
  send(message: Encoded): void {
    if (!this.#active) return;
    this.#outbox.add(message);
    this.#timer ??= setTimeout(() => this.#flush(), flushMs);
  }

  /** Tells the editor that its token is dead, and ends the connection. */
  expire(): void {
    this.#refuse();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket.terminate();
  }

  async #receive(text: string): Promise<void> {
    const frame = parse(text);
    if (!frame) return;
    if (typeof frame['auth'] === 'string') return this.#authenticate(frame['auth']);
    if (!this.#active) {
      const initial = this.#deps.initial;
      if (!initial || !grants(initial.scope, 'status.read')) return this.#refuse();
      this.#admit(initial);
    }
    if (typeof frame['subscribe'] === 'string') {
      for (const message of this.#deps.retained(frame['subscribe'])) this.send(message);
    } else if (typeof frame['topic'] === 'string') {
      this.#deps.onMessage(frame['topic'], frame['data'], this);
    }
  }

  async #authenticate(token: string): Promise<void> {
    if (this.#deps.authenticates) {
      const principal = await this.#deps.authenticate(token);
      if (!principal || !grants(principal.scope, 'status.read')) return this.#refuse();
      this.#admit(principal);
    }
    this.#socket.send('{"auth":"ok"}');
  }

  #admit(principal: Principal): void {
    clearTimeout(this.#deadline);
    this.#principal = principal;
    this.#active = true;
  }

  #refuse(): void {
    this.#active = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send('{"auth":"fail"}');
    this.#socket.close();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount < socketLimit) {
      const frame = this.#outbox.take(Date.now());
      if (frame !== undefined) this.#socket.send(frame);
    }
    if (!this.#outbox.isEmpty) this.#timer = setTimeout(() => this.#flush(), flushMs);
  }
}

/** A frame that is not a JSON object is ignored, as editors expect. */
function parse(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
