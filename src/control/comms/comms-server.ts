import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { grants } from '../../contract/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import { EditorConnection } from './editor-connection.ts';
import type { CommsHub, CommsMessage } from './hub.ts';
import type { Encoded } from './outbox.ts';
import { topicMatcher } from './topic.ts';

/** Frames from an editor are small; a longer one is not from an editor. */
const maxFrameBytes = 1024 * 1024;

/** What the comms channel needs of the control plane. */
export interface CommsServerDeps {
  readonly hub: CommsHub;
  /** Full path of the WebSocket, such as `/comms`. */
  readonly path: string;
  readonly keepAliveMs: number;
  /** How long a connection may stay that has not said whose it is; by default half a minute. */
  readonly strangerMs?: number;
  readonly auth: {
    readonly enabled: boolean;
    /** Who is asking without a token: everybody, the anonymous user, or nobody. */
    anonymous(): Promise<Principal | undefined>;
    /** Who holds the token; undefined for a dead or unknown one. */
    principalOf(token: string): Promise<Principal | undefined>;
    /** Hears of each token that was revoked or has expired; gives how to stop. */
    onTokenDead(listener: (tokenId: string) => void): () => void;
    /** The token in a header of the administrator's choice (`adminAuth.tokenHeader`), if there is one. */
    ownTokenIn(headers: IncomingHttpHeaders): string | undefined;
  };
  /** A frame with a topic of its own, from an editor. */
  onMessage(message: { session: string; topic: string; user: unknown; data: unknown }): void;
  onConnection(session: string, is: 'added' | 'removed'): void;
  onClose(): void;
}

/** The WebSocket that keeps every open editor up to date (`<httpAdminRoot>comms`). */
export class CommsServer {
  readonly #deps: CommsServerDeps;
  readonly #sockets: WebSocketServer;
  readonly #connections = new Set<EditorConnection>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stopListening: readonly (() => void)[];

  constructor(deps: CommsServerDeps) {
    this.#deps = deps;
    this.#sockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
    });
    this.#stopListening = [
      deps.hub.subscribe((message) => this.#broadcast(message)),
      deps.auth.onTokenDead((tokenId) => this.#expire(tokenId)),
    ];
    this.#heartbeat = setInterval(() => this.#broadcast({ topic: 'hb', data: Date.now() }), deps.keepAliveMs);
    this.#heartbeat.unref();
  }

  /** Takes an upgrade request that is meant for this channel; says whether it was. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url?.split('?', 1)[0] !== this.#deps.path) return false;
    void this.#admit(request, socket, head).catch(() => socket.destroy());
    return true;
  }

  /** Sends a message to those connections that are chosen by their ids. */
  sendTo(message: CommsMessage, chosen: (connection: string) => boolean): void {
    const encoded = encode(message);
    if (!encoded) return;
    for (const connection of this.#connections) if (chosen(connection.id)) connection.send(encoded);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const stop of this.#stopListening) stop();
    for (const connection of this.#connections) connection.close();
    this.#sockets.close();
    this.#deps.onClose();
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { auth } = this.#deps;
    const token = auth.ownTokenIn(request.headers);
    const holder = token === undefined ? undefined : await auth.principalOf(token);
    if (token !== undefined && !(holder && grants(holder.scope, 'status.read'))) {
      socket.destroy();
      return;
    }
    const initial = holder ?? (await auth.anonymous());
    this.#sockets.handleUpgrade(request, socket, head, (client) =>
      this.#add(client, initial, !auth.enabled || holder !== undefined),
    );
  }

  #add(client: WebSocket, initial: Principal | undefined, admitted: boolean): void {
    const { auth, hub } = this.#deps;
    const connection = new EditorConnection(randomBytes(16).toString('hex'), client, {
      initial,
      admitted,
      authenticates: auth.enabled,
      strangerMs: this.#deps.strangerMs ?? 30_000,
      authenticate: (token) => auth.principalOf(token),
      retained: (pattern) => {
        const matches = topicMatcher(pattern);
        return hub
          .retained()
          .filter(({ topic }) => matches(topic))
          .map(encode)
          .filter((message) => message !== undefined);
      },
      onMessage: (topic, data, from) =>
        this.#deps.onMessage({ session: from.id, topic, user: from.principal?.user ?? null, data }),
    });
    this.#connections.add(connection);
    this.#deps.onConnection(connection.id, 'added');
    client.on('error', () => client.terminate());
    client.on('close', () => {
      this.#connections.delete(connection);
      this.#deps.onConnection(connection.id, 'removed');
    });
  }

  #broadcast(message: CommsMessage): void {
    const encoded = this.#connections.size > 0 ? encode(message) : undefined;
    if (!encoded) return;
    for (const connection of this.#connections) connection.send(encoded);
  }

  #expire(tokenId: string): void {
    for (const connection of this.#connections) {
      if (connection.principal?.tokenId === tokenId) connection.expire();
    }
  }
}

/** A message without topic or data is not sent, as in the peer. */
function encode(message: CommsMessage): Encoded | undefined {
  if (!message.topic || !message.data) return undefined;
  return { topic: message.topic, json: JSON.stringify({ topic: message.topic, data: message.data }) };
}
