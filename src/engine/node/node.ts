import { EventEmitter } from 'node:events';
import type { Message } from '../messaging/message.ts';
import { identify } from '../messaging/message-id.ts';
import { Terminal } from '../messaging/terminal.ts';
import { type Inner, inner } from './inner.ts';
import { addInputHandler, handleInput, removeInputHandler } from './input.ts';
import type { NodeFlow } from './node-flow.ts';
import { type ContextLike, type LogRecord, logLevel, type NodeServices } from './node-services.ts';

/** Called with `this` as the node. With three parameters it promises to call `done` once per message. */
export type InputHandler = (
  message: Message,
  send: (message: unknown) => void,
  done: (error?: unknown) => void,
) => unknown;

/** No parameter: synchronous; one: `(done)`; two: `(removed, done)`; more: `(done)`. */
// biome-ignore lint/suspicious/noExplicitAny: the close handlers of node modules differ in their parameters
export type CloseHandler = (...parameters: any[]) => unknown;

/** Ids of the nodes that each output is wired to. */
export type Wires = readonly (readonly (string | null)[])[];

/** A node's configuration, as its constructor is given it. */
export interface NodeConfig {
  readonly id: string;
  readonly type: string;
  readonly z?: string | undefined;
  readonly g?: string | undefined;
  readonly name?: string | undefined;
  readonly wires?: Wires | undefined;
  readonly _alias?: string | undefined;
  readonly _flow?: NodeFlow | undefined;
  readonly _module?: unknown;
  readonly _path?: string | undefined;
}

function sendNowhere(): void {}

/**
 * The base of every node. Its prototype goes under the constructors of node types, which make their own objects and
 * hand them to {@link initialise}.
 * @remarks The enumerable properties are an interface: dashboards and other modules read, copy and serialise them.
 */
export class Node extends EventEmitter {
  declare id: string;
  declare type: string;
  declare z: string | undefined;
  declare g: string | undefined;
  declare name?: string;
  declare _alias?: string;
  declare wires: Wires;
  declare _wireCount: number;
  declare _wire?: string | null;
  declare _closeCallbacks: CloseHandler[];
  declare _inputCallback: InputHandler | null;
  declare _inputCallbacks: InputHandler[] | null;
  declare _expectedDoneCount: number;
  declare _context?: ContextLike;
  declare credentials?: unknown;
  declare _flow: NodeFlow;
  declare _module?: unknown;
  declare _path?: string;
  /** Nodes that use this config node, where it keeps count: errors and status then go to their flows. */
  declare users?: Readonly<Record<string, Node>>;
  declare [inner]: Inner;

  /** Sends a message to the first output, or an array with an entry per output. Receivers run later. */
  send(message?: unknown): void {
    const { services, terminal } = this[inner];
    services.router.send(terminal, message);
  }

  /** Hands the node a message now, as if it came along a wire. */
  receive(message?: unknown): void {
    const given = (message || {}) as Message;
    if (!given._msgid) identify(given);
    if (this.emit === emit) handleInput(this, given);
    else this.emit('input', given);
  }

  override on(event: string | symbol, handler: (...parameters: never[]) => unknown): this {
    if (event === 'close') this._closeCallbacks.push(handler as CloseHandler);
    else if (event === 'input') addInputHandler(this, handler as InputHandler);
    else super.on(event, handler as (...parameters: unknown[]) => void);
    return this;
  }

  override emit(event: string | symbol, ...parameters: unknown[]): boolean {
    if (event !== 'input') return super.emit(event, ...parameters);
    handleInput(this, parameters[0] as Message);
    return true;
  }

  override removeListener(event: string | symbol, handler: (...parameters: never[]) => unknown): this {
    if (event === 'close') {
      const at = this._closeCallbacks.indexOf(handler as CloseHandler);
      if (at >= 0) this._closeCallbacks.splice(at, 1);
    } else if (event === 'input') {
      removeInputHandler(this, handler as InputHandler);
    } else {
      super.removeListener(event, handler as (...parameters: unknown[]) => void);
    }
    return this;
  }

  override removeAllListeners(event?: string | symbol): this {
    if (event === 'input') {
      this._inputCallback = null;
      this._inputCallbacks = null;
    } else if (event === 'close') {
      this._closeCallbacks = [];
    } else {
      super.removeAllListeners(event);
    }
    return this;
  }

  /**
   * Runs the close handlers and waits for those that take a callback; then no message is handled any more.
   * @param removed Whether the node is gone for good, or merely being restarted.
   */
  close(removed?: boolean): Promise<unknown> {
    const waiting: Promise<void>[] = [];
    for (const handler of this._closeCallbacks) {
      if (handler.length > 0) waiting.push(runCloseHandler(this, handler, removed === true));
      else runClosing(this, () => handler.call(this));
    }
    return waiting.length === 0 ? finishClosing(this) : Promise.all(waiting).then(() => finishClosing(this));
  }

  /** Replaces the wiring. */
  updateWires(wires: Wires | undefined): void {
    this.wires = wires || [];
    if (Object.hasOwn(this, '_wire')) delete this._wire;
    let count = 0;
    for (const output of this.wires) count += output?.length ?? 0;
    this._wireCount = count;
    this.send = count === 0 ? sendNowhere : Node.prototype.send;
    const [first] = this.wires;
    if (count > 0 && this.wires.length === 1 && first?.length === 1) this._wire = first[0] ?? null;
    // The terminal reads the wires again at the next message.
    this[inner].terminal.epoch = -1;
  }

  /** The node's context, with `flow` and `global`. */
  context(): ContextLike {
    this._context ??= this[inner].services.contexts.get(this._alias || this.id, this.z);
    return this._context;
  }

  /** Shows a status: an object with `fill`, `shape` and `text`, or a text. */
  status(status: unknown): void {
    const type = typeof status;
    const shown =
      type === 'string' || type === 'number' || type === 'boolean' ? { text: String(status) } : status;
    this._flow.handleStatus(this, shown);
  }

  log(message: unknown): void {
    writeLog(this, logLevel.info, message);
  }

  warn(message: unknown): void {
    writeLog(this, logLevel.warn, message);
  }

  /**
   * Reports an error.
   * @param problem An Error, or a text.
   * @param message The message that was being handled: Catch nodes are given it, and nothing is logged if one was.
   */
  error(problem: unknown, message?: unknown): void {
    const said = typeof problem === 'boolean' ? problem : problem || '';
    const canBeCaught = this._flow && typeof message === 'object' && message !== null;
    if (canBeCaught && this._flow.handleError(this, said, message)) return;
    writeLog(this, logLevel.error, said);
  }

  debug(message: unknown): void {
    writeLog(this, logLevel.debug, message);
  }

  trace(message: unknown): void {
    writeLog(this, logLevel.trace, message);
  }

  /** Without parameters: whether metrics are wanted. Else writes one. */
  metric(event?: string, message?: { readonly _msgid?: unknown }, value?: unknown): boolean | undefined {
    const { log } = this[inner].services;
    if (event === undefined) return log.metric();
    if (log.metric()) {
      log.log({
        level: logLevel.metric,
        nodeid: this.id,
        event: `node.${this.type}.${event}`,
        msgid: message?._msgid,
        value,
      });
    }
    return undefined;
  }
}

const { emit } = Node.prototype;

/**
 * Makes an object that a type's constructor was called for a node: `RED.nodes.createNode` without the credentials.
 * @param node Has {@link Node}'s prototype under its own.
 */
export function initialise(node: Node, config: NodeConfig, services: NodeServices): void {
  node.id = config.id;
  node.type = config.type;
  node.z = config.z;
  node.g = config.g;
  node._closeCallbacks = [];
  node._inputCallback = null;
  node._inputCallbacks = null;
  node._expectedDoneCount = 0;
  if (config.name) node.name = config.name;
  if (config._alias) node._alias = config._alias;
  // Hidden, since whoever serialises a node would run in circles. Writable: constructors copy their config over it.
  if (config._flow) hide(node, '_flow', config._flow);
  if (config._module) hide(node, '_module', config._module);
  if (config._path) hide(node, '_path', config._path);
  const send = (...parameters: [message: unknown]) => node.send(...parameters);
  hide(node, inner, { services, terminal: new Terminal(node, config._flow), send } satisfies Inner);
  node.updateWires(config.wires);
}

/** A node that is made by the engine itself, without a constructor of a module. */
export function plainNode(config: NodeConfig, services: NodeServices): Node {
  // Not `new`: the constructor of EventEmitter adds enumerable properties that nodes do not have.
  const node = Object.create(Node.prototype) as Node;
  initialise(node, config, services);
  return node;
}

/** Where the router finds a node. Objects whose constructor never called `createNode` get an end of their own. */
export function terminalOf(node: object): Terminal {
  const known = (node as Partial<Node>)[inner];
  if (known !== undefined) return known.terminal;
  return new Terminal(node as Node, undefined);
}

function hide(node: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(node, key, { value, writable: true, configurable: true, enumerable: false });
}

function runCloseHandler(node: Node, handler: CloseHandler, removed: boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve();
    const parameters = handler.length === 2 ? [removed, done] : [done];
    if (!runClosing(node, () => handler.apply(node, parameters))) resolve();
  });
}

function finishClosing(node: Node): Promise<unknown> {
  node.removeAllListeners('input');
  if (!node._context) return Promise.resolve();
  return node[inner].services.contexts.delete(node._alias || node.id, node.z);
}

/** Runs a close handler; a node that fails to close says so, and is as closed as it can be. */
function runClosing(node: Node, action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch (error) {
    // Only to the log: the Catch nodes of these flows are being closed as well.
    writeLog(node, logLevel.error, `Error stopping node: ${String(error)}`);
    return false;
  }
}

function writeLog(node: Node, level: number, message: unknown): void {
  const record: LogRecord = { level, id: node.id, type: node.type, msg: message };
  if (node._alias) record['_alias'] = node._alias;
  if (node.z) record['z'] = node.z;
  if (node.name) record['name'] = node.name;
  if (node._flow) node._flow.log(record);
  else node[inner]?.services.log.log(record);
}
