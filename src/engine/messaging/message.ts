/** What travels along the wires: any object, by convention with `payload`, `topic` and `_msgid`. */
export interface Message {
  _msgid?: string;
  [property: string]: unknown;
}

/** A node as the message path sees it: whatever has an id and can be given a message. */
export interface Receiver {
  readonly id: string;
  receive(message: unknown): void;
}

/**
 * One message on its way from an output to one wire's end; what `onSend`, `preRoute`, `preDeliver` and `postDeliver`
 * are given. Handlers may change `msg` and, up to `preRoute`, `destination.id`.
 */
export interface SendEvent {
  msg: unknown;
  readonly source: { readonly id: string; readonly node: SendSource; readonly port: number };
  /** `node` is filled in between `preRoute` and `preDeliver`. */
  readonly destination: { id: string; node: Receiver | undefined };
  /** Whether a deep copy is delivered; made between `preRoute` and `preDeliver`. */
  cloneMessage: boolean;
}

/** The sender of an event: errors of the hooks on the way are reported on it. */
export interface SendSource {
  readonly id: string;
  error(problem: unknown, message?: unknown): void;
}

/** A message about to be handled; what `onReceive` and `postReceive` are given. */
export interface ReceiveEvent {
  msg: unknown;
  readonly destination: { readonly id: string; readonly node: unknown };
}

/** A message that a node has done with; what `onComplete` is given. */
export interface CompleteEvent {
  msg: unknown;
  readonly error?: unknown;
  readonly node: { readonly id: string; readonly node: unknown };
}
