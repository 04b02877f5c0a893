import type { Transport } from './transport.ts';

/** Two ends in one process, and the means to make the other side fail, for tests and for embedding. */
export interface MemoryTransports {
  readonly control: Transport;
  readonly engine: Transport;
  /** What happens when a process dies: both ends close, texts under way are lost. */
  sever(): void;
  /** While stalled, the engine's end takes nothing, like a process in an endless loop. */
  stallEngine(stalled: boolean): void;
}

/** A pair of transports that hand texts to each other, each in a later turn of the event loop and in order. */
export function memoryTransports(): MemoryTransports {
  const control = new MemoryEnd();
  const engine = new MemoryEnd();
  control.other = engine;
  engine.other = control;
  return {
    control,
    engine,
    sever: () => control.close(),
    stallEngine: (stalled) => engine.stall(stalled),
  };
}

class MemoryEnd implements Transport {
  other: MemoryEnd | undefined;
  inboxSize = 0;
  #inbox: string[] = [];
  #scheduled = false;
  #stalled = false;
  #closed = false;
  #tellText: (text: string) => void = () => {};
  #tellClose: () => void = () => {};

  get buffered(): number {
    return this.other?.inboxSize ?? 0;
  }

  send(text: string): void {
    if (!this.#closed) this.other?.take(text);
  }

  onText(listener: (text: string) => void): void {
    this.#tellText = listener;
  }

  onClose(listener: () => void): void {
    this.#tellClose = listener;
  }

  close(): void {
    this.shut();
    this.other?.shut();
  }

  stall(stalled: boolean): void {
    this.#stalled = stalled;
    this.#schedule();
  }

  take(text: string): void {
    this.#inbox.push(text);
    this.inboxSize += text.length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#stalled || this.#inbox.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#stalled) return;
      const texts = this.#inbox;
      this.#inbox = [];
      this.inboxSize = 0;
      for (const text of texts) if (!this.#closed) this.#tellText(text);
    });
  }

  shut(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox = [];
    this.inboxSize = 0;
    this.#tellClose();
  }
}
