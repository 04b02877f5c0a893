import type { Receiver, SendEvent, SendSource } from './message.ts';

/**
 * Set to `true` on a node instance by its type, it says: when the input handler returns, everything that it set off has
 * happened. Several messages may then be delivered in one turn of the event loop; after any other node the turn ends, so
 * that promises and ticks of its code run before the next message, as node modules expect.
 */
export const batchable: unique symbol = Symbol.for('sluice.batchable');

/** A node as the router knows it. */
export interface RoutableNode extends Receiver, SendSource {
  /** Ids by output. */
  readonly wires: readonly (readonly (string | null | undefined)[] | undefined)[];
  readonly _inputCallback: unknown;
  readonly send: (message: unknown) => void;
  metric(event: string, message: { readonly _msgid?: unknown }, value?: unknown): void;
}

/** The flow of a node, as the router needs it. */
export interface RoutingFlow {
  getNode(id: string): object | null | undefined;
  /** Tells Complete nodes that the node has done with a message. */
  handleComplete(node: object, message: unknown): void;
  send(events: readonly SendEvent[]): void;
}

/**
 * Where the wires of one node begin and end: the node as the router sees it, of one shape for all kinds of nodes.
 * @remarks The ends of the wires are looked up at the first message after a deploy has changed what runs (`epoch`), and
 * then are direct references: a hop looks nothing up.
 */
export class Terminal {
  readonly node: RoutableNode;
  readonly flow: RoutingFlow | undefined;
  /** See {@link batchable}. */
  batchable = false;
  /** An input handler that does nothing but send on what it was given; the router then does that itself. */
  passOn: unknown = undefined;
  /** Whether {@link passOn} also says that the message is done with. */
  passOnCompletes = false;
  /** By output, what each wire leads to; `undefined` where that does not run. */
  outputs: readonly (readonly (Terminal | undefined)[])[] = [];
  /** The state of the flows that `outputs` was made from. */
  epoch = -1;

  constructor(node: RoutableNode, flow: RoutingFlow | undefined) {
    this.node = node;
    this.flow = flow;
  }

  /** Looks the ends of the wires up. */
  connect(epoch: number, terminalOf: (node: object) => Terminal): void {
    this.epoch = epoch;
    const { wires } = this.node;
    const outputs: (Terminal | undefined)[][] = [];
    for (let port = 0; port < wires.length; port++) {
      // A text is read letter by letter: flows of specs say `['2']` where `[['2']]` is meant.
      outputs.push(Array.from(wires[port] ?? [], (id) => this.#end(id, terminalOf)));
    }
    this.outputs = outputs;
  }

  #end(id: string | null | undefined, terminalOf: (node: object) => Terminal): Terminal | undefined {
    if (typeof id !== 'string') return undefined;
    const node = this.flow?.getNode(id);
    return node === null || node === undefined ? undefined : terminalOf(node);
  }
}
