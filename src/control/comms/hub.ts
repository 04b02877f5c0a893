/** One message for every open editor. */
export interface CommsMessage {
  readonly topic: string;
  readonly data: unknown;
}

/** How a message is published. */
export interface PublishOptions {
  /** Keep it for those who connect later. Publishing without it forgets what was kept under the topic. */
  readonly retain?: boolean;
}

/**
 * Hands messages of both planes to whoever listens (open editors), and keeps the retained ones.
 * @remarks Knows nothing of sockets: batching, authentication and slow readers are the listener's. A listener that
 * throws does not keep the others from the message.
 */
export class CommsHub {
  readonly #listeners = new Set<(message: CommsMessage) => void>();
  readonly #retained = new Map<string, CommsMessage>();
  readonly #onListenerError: (error: unknown) => void;

  /** @param onListenerError hears of a listener that threw. */
  constructor(onListenerError: (error: unknown) => void = () => {}) {
    this.#onListenerError = onListenerError;
  }

  publish(topic: string, data: unknown, options: PublishOptions = {}): void {
    const message = { topic, data };
    if (options.retain) this.#retained.set(topic, message);
    else this.#retained.delete(topic);
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }

  /** Forgets what is retained under a topic, without a message. */
  forget(topic: string): void {
    this.#retained.delete(topic);
  }

  /** @returns how to stop listening. */
  subscribe(listener: (message: CommsMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is retained, oldest topic first. */
  retained(): readonly CommsMessage[] {
    return [...this.#retained.values()];
  }
}
