import { EventEmitter } from 'node:events';

/**
 * `RED.events` as a spec sees it across loads: what it listens to before `load` is heard of the flows that are loaded.
 * @remarks Each load has an emitter of its own, so that listeners of modules do not stay behind; this one goes along.
 */
export class SpecEvents extends EventEmitter {
  #engine: EventEmitter | undefined;

  /** Goes along with the events of an engine, or of none. */
  follow(engine: EventEmitter | undefined): void {
    this.#engine = engine;
    if (engine === undefined) return;
    const emit = engine.emit.bind(engine);
    engine.emit = (name, ...data) => {
      const heard = super.listenerCount(name) > 0 && super.emit(name, ...data);
      return emit(name, ...data) || heard;
    };
  }

  override emit(name: string | symbol, ...data: unknown[]): boolean {
    return this.#engine === undefined ? super.emit(name, ...data) : this.#engine.emit(name, ...data);
  }

  /** Listeners of the spec and of what is loaded. */
  override listenerCount(name: string | symbol): number {
    return super.listenerCount(name) + (this.#engine?.listenerCount(name) ?? 0);
  }
}
