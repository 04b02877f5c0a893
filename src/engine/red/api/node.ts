import type { EventEmitter } from 'node:events';
import type { NodeContext } from './context.ts';
import type { NodeDone, NodeMessageInFlow, NodeSend, SendArgument } from './message.ts';

/** What the flow file says about a node: common members, and beside them the properties of its type. */
export interface NodeDef {
  readonly id: string;
  readonly type: string;
  /** Id of the flow or subflow instance that holds it; absent for a global configuration node. */
  readonly z?: string;
  readonly name?: string;
  readonly g?: string;
}

/** What is shown below a node in the editor; a text, a number or a boolean alone is shown as text. */
export interface NodeStatus {
  fill?: 'red' | 'green' | 'yellow' | 'blue' | 'grey' | (string & {});
  shape?: 'ring' | 'dot' | (string & {});
  text?: string | number | boolean;
}

/** Handles a message. Declare `done` and call it, and the node takes part in Complete and Catch nodes. */
export type InputHandler<N = Node> = (
  this: N,
  message: NodeMessageInFlow,
  send: NodeSend,
  done: NodeDone,
) => unknown;

/** Cleans up before the node is stopped; `removed` where it is gone for good. */
export type CloseHandler<N = Node> =
  | ((this: N) => unknown)
  | ((this: N, done: () => void) => unknown)
  | ((this: N, removed: boolean, done: () => void) => unknown);

/**
 * A running node: what `this` is in the constructor that a type registers.
 * @typeParam Credentials - the credential fields that the type declares
 */
export interface Node<Credentials extends object = Record<string, unknown>> extends EventEmitter {
  readonly id: string;
  readonly type: string;
  readonly z: string;
  readonly g?: string;
  name?: string;
  /** Present for types that declare credentials. */
  credentials: Partial<Credentials>;
  /** Where this node stands inside a subflow instance: the id that it has in the subflow. */
  readonly _alias?: string;

  on(event: 'input', handler: InputHandler<this>): this;
  on(event: 'close', handler: CloseHandler<this>): this;
  on(event: string | symbol, listener: (...values: never[]) => void): this;

  /** Sends messages; in an input handler use its `send` argument. */
  send(messages: SendArgument): void;
  /** Gives the node a message, as if it had come along a wire. */
  receive(message?: object): void;
  /**
   * Reports an error. With the message that it concerns, Catch nodes are given it; without, it is only logged.
   */
  error(problem: unknown, message?: object): void;
  warn(text: unknown): void;
  log(text: unknown): void;
  debug(text: unknown): void;
  trace(text: unknown): void;
  /** Without arguments: whether metrics are wanted. */
  metric(): boolean;
  metric(event: string, message: object, value?: number): void;
  /** `{}` clears. */
  status(status: NodeStatus | string | number | boolean): void;
  context(): NodeContext;
  updateWires(wires: readonly (readonly string[])[]): void;
  close(removed?: boolean): Promise<unknown>;
}

/** The constructor of a node type: a function or a class that calls `RED.nodes.createNode(this, config)` first. */
export type NodeConstructor<N extends object = Node, Def extends NodeDef = NodeDef> =
  | ((this: N, config: Def) => void)
  | (new (
      config: Def,
    ) => object);
