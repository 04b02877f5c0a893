import type { EventEmitter } from 'node:events';
import { isObject } from '../../contract/json.ts';

/** Publishes to every open editor; a retained message is also sent to those that open later. */
export type Publish = (topic: string, data: unknown, retain: boolean) => void;

/** What the control plane says itself, since it must be said also where there is no engine. */
const saidElsewhere: readonly unknown[] = ['runtime-state', 'runtime-deploy'];

/**
 * Carries to the editors what code says on `RED.events`: `comms`, `runtime-event` and `event-log`.
 * @returns The way to stop.
 */
export function bridgeComms(events: EventEmitter, publish: Publish): () => void {
  const listeners: { readonly [event: string]: (event: unknown) => void } = {
    comms: (event) => {
      if (isObject(event)) publish(String(event['topic']), event['data'], event['retain'] === true);
    },
    'runtime-event': (event) => {
      if (isObject(event) && !saidElsewhere.includes(event['id'])) {
        publish(`notification/${event['id']}`, event['payload'] ?? {}, event['retain'] === true);
      }
    },
    'event-log': (event) => {
      if (isObject(event)) publish(`event-log/${event['id']}`, event['payload'] ?? {}, false);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) events.on(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) events.off(name, listener);
  };
}
