import { cloneMessage } from './clone.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { Flood } from './flood.ts';
import type { Hooks } from './hooks.ts';
import type { Message, Receiver, SendEvent } from './message.ts';
import { identify, newId } from './message-id.ts';
import { type RoutingFlow, Terminal } from './terminal.ts';

/** What the router tells the log. */
export interface RouterLog {
  error(text: unknown): void;
  warn(text: unknown): void;
  /** Whether metric records are wanted. */
  metric(): boolean;
}

/** What the router works with. */
export interface RouterDeps {
  readonly hooks: Hooks;
  readonly log: RouterLog;
  /** Deliver within `send` instead of later (`runtimeSyncDelivery`). */
  readonly synchronous: boolean;
  /** How many messages may wait; more are dropped. No limit where absent. */
  readonly queueLimit?: number;
  /** The terminal of a running node. */
  readonly terminalOf: (node: object) => Terminal;
}

/**
 * Takes messages from the outputs of nodes to the inputs that they are wired to.
 * @remarks Order: by output, then wire, then message; between sends, as they were called. The first delivery of a send
 * is the object itself, every later one a deep copy made within `send`. A wire to what does not run leads nowhere,
 * silently; a message that finds the queue full is dropped. Hooks cost only where somebody listens. Not here: what an
 * input does with a message (`node/node.ts`).
 */
export class Router {
  readonly #hooks: Hooks;
  readonly #log: RouterLog;
  readonly #synchronous: boolean;
  readonly #terminalOf: (node: object) => Terminal;
  readonly #queue: DeliveryQueue;
  readonly #flood: Flood;
  /** Where events of the path with hooks wait. */
  readonly #events: Terminal;
  /** Raised whenever a node comes or goes. */
  #epoch = 0;

  constructor(deps: RouterDeps) {
    this.#hooks = deps.hooks;
    this.#log = deps.log;
    this.#synchronous = deps.synchronous;
    this.#terminalOf = deps.terminalOf;
    this.#queue = new DeliveryQueue((terminal, message) => this.#deliver(terminal, message), deps.queueLimit);
    this.#flood = new Flood({
      queue: this.#queue,
      receiverOf: (terminal, message) =>
        terminal === this.#events ? (message as SendEvent).destination.node : terminal.node,
      log: deps.log,
    });
    this.#events = new Terminal(
      {
        id: '',
        wires: [],
        _inputCallback: null,
        send() {},
        metric() {},
        error() {},
        receive: (event) => this.#deliverEvent(event as SendEvent),
      },
      undefined,
    );
  }

  /** Messages that wait for delivery. */
  get queued(): number {
    return this.#queue.length;
  }

  /** What runs has changed: the ends of wires are looked up anew. */
  invalidate(): void {
    this.#epoch++;
  }

  /** `node.send`: a message for the first output, or an array with one entry per output. */
  send(from: Terminal, message: unknown): void {
    if (message === null || message === undefined) return;
    const many = Array.isArray(message);
    if (!many && typeof message !== 'object') {
      refuse(from, message);
      return;
    }
    if (this.#hooks.sending) {
      this.#sendEvents(from, many ? message : [message]);
      return;
    }
    if (from.epoch !== this.#epoch) from.connect(this.#epoch, this.#terminalOf);
    if (many) this.#sendMany(from, message);
    else this.#sendOne(from, message as Message);
  }

  /** `flow.send`: events that are already made, through the hooks. Destinations are looked up in the flow. */
  route(events: readonly SendEvent[], flow: RoutingFlow): void {
    this.#hooks.trigger('onSend', events, (result) => {
      if (result) events[0]?.source.node.error(result);
      else if (result !== false) for (const event of events) this.#route(event, flow);
    });
  }

  #sendOne(from: Terminal, message: Message): void {
    const wires = from.outputs[0];
    if (wires === undefined || wires.length === 0) {
      if (this.#log.metric()) from.node.metric('send', { _msgid: message._msgid || newId() });
      return;
    }
    if (!message._msgid) identify(message);
    if (this.#log.metric()) from.node.metric('send', message);
    this.#dispatch(wires[0], message, false);
    for (let wire = 1; wire < wires.length; wire++) this.#dispatch(wires[wire], message, true);
  }

  #sendMany(from: Terminal, entries: readonly unknown[]): void {
    const { outputs } = from;
    const ends: (Terminal | undefined)[] = [];
    const messages: Message[] = [];
    for (let port = 0; port < outputs.length && port < entries.length; port++) {
      const entry = entries[port];
      const wires = outputs[port];
      if (entry === null || entry === undefined || wires === undefined) continue;
      for (let wire = 0; wire < wires.length; wire++) {
        if (!Array.isArray(entry)) {
          if (accept(from, entry, messages)) ends.push(wires[wire]);
          continue;
        }
        for (const each of entry) if (accept(from, each, messages)) ends.push(wires[wire]);
      }
    }
    const id = shareId(messages);
    if (this.#log.metric()) from.node.metric('send', { _msgid: id ?? newId() });
    for (let index = 0; index < messages.length; index++) {
      this.#dispatch(ends[index], messages[index] as Message, index > 0);
    }
  }

  #dispatch(to: Terminal | undefined, message: Message, clone: boolean): void {
    if (to === undefined) return;
    const delivered = clone ? cloneMessage(message) : message;
    if (this.#synchronous) this.#deliver(to, delivered);
    else if (!this.#queue.push(to, delivered)) this.#flood.dropped();
  }

  #deliver(to: Terminal, message: unknown): void {
    const { node } = to;
    try {
      if (to.passOn !== undefined && to.passOn === node._inputCallback && this.#isUnwatched()) {
        this.#passOn(to, message as Message);
      } else {
        node.receive(message);
      }
    } catch (error) {
      this.#reportUndelivered(node.id, error);
    }
  }

  #isUnwatched(): boolean {
    return !this.#hooks.receiving && !this.#hooks.completing && !this.#log.metric();
  }

  #passOn(to: Terminal, message: Message): void {
    if (!message._msgid) identify(message);
    to.node.send(message);
    if (to.passOnCompletes) to.flow?.handleComplete(to.node, message);
  }

  /** The path with hooks: every step is an event that handlers may change. */
  #sendEvents(from: Terminal, entries: readonly unknown[]): void {
    const { node, flow } = from;
    const events: SendEvent[] = [];
    const messages: Message[] = [];
    for (let port = 0; port < node.wires.length && port < entries.length; port++) {
      const entry = entries[port];
      if (entry === null || entry === undefined) continue;
      for (const id of node.wires[port] ?? []) {
        for (const each of Array.isArray(entry) ? entry : [entry]) {
          if (!accept(from, each, messages)) continue;
          events.push({
            msg: each,
            source: { id: node.id, node, port },
            destination: { id: id as string, node: undefined },
            cloneMessage: events.length > 0,
          });
        }
      }
    }
    const id = shareId(messages);
    if (this.#log.metric()) node.metric('send', { _msgid: id ?? newId() });
    flow?.send(events);
  }

  #route(event: SendEvent, flow: RoutingFlow): void {
    const fail = (problem: unknown) => event.source.node.error(problem);
    this.#hooks.trigger('preRoute', event, (result) => {
      if (result) return fail(result);
      if (result === false) return;
      const node = flow.getNode(event.destination.id);
      if (node === null || node === undefined) return;
      event.destination.node = node as Receiver;
      if (event.cloneMessage) event.msg = cloneMessage(event.msg);
      this.#preDeliver(event, fail);
    });
  }

  #preDeliver(event: SendEvent, fail: (problem: unknown) => void): void {
    this.#hooks.trigger('preDeliver', event, (result) => {
      if (result) return fail(result);
      if (result === false) return;
      if (this.#synchronous) this.#deliverEvent(event);
      else if (!this.#queue.push(this.#events, event)) this.#flood.dropped();
      this.#hooks.trigger('postDeliver', event, (error) => {
        if (error) fail(error);
      });
    });
  }

  /** Reads message and destination only now: `postDeliver` may have changed them. */
  #deliverEvent({ destination, msg }: SendEvent): void {
    const { node } = destination;
    if (node === undefined) return;
    try {
      node.receive(msg);
    } catch (error) {
      this.#reportUndelivered(node.id, error);
    }
  }

  #reportUndelivered(id: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#log.error(`A message could not be delivered to node ${id}: ${text}`);
  }
}

/** Keeps what can be sent; anything else is an error of the sender, and left out. */
function accept(from: Terminal, entry: unknown, messages: Message[]): boolean {
  if (entry === null || entry === undefined) return false;
  if (typeof entry !== 'object') {
    refuse(from, entry);
    return false;
  }
  messages.push(entry as Message);
  return true;
}

function refuse(from: Terminal, entry: unknown): void {
  from.node.error(`A node can send objects only, not a ${typeof entry}`);
}

/** Messages of one send that have no id get the first one that any of them has, else a new one. */
function shareId(messages: readonly Message[]): string | undefined {
  let known: string | undefined;
  let missing = false;
  for (const { _msgid } of messages) {
    if (!_msgid) missing = true;
    else if (known === undefined) known = _msgid;
  }
  if (!missing) return known;
  known ??= newId();
  for (const message of messages) if (!message._msgid) identify(message, known);
  return known;
}
