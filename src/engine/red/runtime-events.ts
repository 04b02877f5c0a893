import { EventEmitter } from 'node:events';

/** Names of events that had another name once. */
const renamed: { readonly [name: string]: string } = {
  'nodes-started': 'flows:started',
  'nodes-stopped': 'flows:stopped',
};

type Listener = (...data: unknown[]) => void;

/** `RED.events`: one emitter that the engine and all node modules share. */
export class RuntimeEvents extends EventEmitter {
  readonly #warn: (text: string) => void;

  /** @param warn Told when somebody listens to an event by its old name. */
  constructor(warn: (text: string) => void) {
    super();
    this.#warn = warn;
    // Every node may listen; a warning about eleven of them would mean nothing.
    this.setMaxListeners(0);
  }

  override on(name: string | symbol, listener: Listener): this {
    this.#warnOfOldName(name);
    return super.on(name, listener);
  }

  override addListener(name: string | symbol, listener: Listener): this {
    this.#warnOfOldName(name);
    return super.addListener(name, listener);
  }

  #warnOfOldName(name: string | symbol): void {
    if (typeof name !== 'string' || !Object.hasOwn(renamed, name)) return;
    // `once` comes here by way of Node.js.
    const lines = new Error().stack?.split('\n').slice(1) ?? [];
    const outside = lines.find((line) => !line.includes('node:events') && !line.includes('RuntimeEvents'));
    const caller = outside?.trim().replace(/^at /, '') ?? 'an unknown place';
    this.#warn(`[RED.events] The event "${name}" is now called "${renamed[name]}" (used at ${caller})`);
  }
}
