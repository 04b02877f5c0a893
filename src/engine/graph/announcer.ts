import type { EventEmitter } from 'node:events';

/**
 * Says on `RED.events` what becomes of the flows (`runtime-event`); whoever bridges them to the editors keeps the last
 * of each kind.
 */
export class Announcer {
  readonly #events: EventEmitter;

  constructor(events: EventEmitter) {
    this.#events = events;
  }

  /** Flows have started or stopped; `isDeploy` where a deploy did it, rather than somebody's command. */
  state(state: 'start' | 'stop', isDeploy = false): void {
    this.#say('runtime-state', isDeploy ? { state, deploy: true } : { state });
  }

  /** Something keeps the flows from running; the editor has a text for each kind. */
  problem(state: 'stop' | 'safe', error: string, members: object): void {
    const text = `notification.warnings.${error}`;
    this.#say('runtime-state', { state, error, type: 'warning', text, ...members });
  }

  /** What was wrong is right again. */
  clear(): void {
    this.#say('runtime-state', undefined);
  }

  deployed(revision: string): void {
    this.#say('runtime-deploy', { revision });
  }

  #say(id: string, payload: object | undefined): void {
    this.#events.emit('runtime-event', { id, payload, retain: true });
  }
}
