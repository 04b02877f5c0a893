import type { EventEmitter } from 'node:events';
import { isObject } from '../../contract/json.ts';

/** Publishes to every open editor; a retained message is also sent to those that open later. */
type Publish = (topic: string, data: unknown, retain: boolean) => void;

/**
 * Shows in the editors what nodes say about themselves: the event `node-status` becomes the topic `status/<id>`.
 * @remarks An empty status takes the last one back, where there was one; so does the removal of the node.
 */
export class StatusBoard {
  readonly #publish: Publish;
  readonly #shown = new Set<string>();
  readonly #stopListening: () => void;

  constructor(events: EventEmitter, publish: Publish) {
    this.#publish = publish;
    const listener = (event: unknown) => {
      if (isObject(event)) this.#show(String(event['id']), event['status']);
    };
    events.on('node-status', listener);
    this.#stopListening = () => events.off('node-status', listener);
  }

  close(): void {
    this.#stopListening();
  }

  #show(id: string, status: unknown): void {
    const topic = `status/${id}`;
    const { text, fill, shape } = (isObject(status) ? status : {}) as Record<
      'text' | 'fill' | 'shape',
      unknown
    >;
    if (text || fill || shape) {
      this.#shown.add(id);
      const data = Object.fromEntries(
        Object.entries({ text, fill, shape }).filter(([, value]) => value !== undefined),
      );
      this.#publish(topic, data, true);
    } else if (this.#shown.delete(id)) {
      this.#publish(topic, {}, false);
    }
  }
}
