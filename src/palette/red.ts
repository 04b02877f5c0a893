/** A message, as nodes see it. */
export interface Message {
  _msgid?: unknown;
  parts?: unknown;
  error?: unknown;
  [property: string]: unknown;
}

/** Sends a message, or an array with an entry per output. */
export type Send = (messages: unknown) => void;
/** Says that a message is done with, or why it could not be. */
export type Done = (error?: unknown) => void;
/** Receives what a context store or an expression gives. */
export type Callback = (error: unknown, value?: unknown) => void;

/** A context of a node, a flow or everything. */
export interface Context {
  get(key: unknown, ...rest: unknown[]): unknown;
  set(key: unknown, value: unknown, ...rest: unknown[]): unknown;
  keys(...rest: unknown[]): unknown;
}

/** The context of a node. */
export interface NodeContext extends Context {
  readonly flow: Context;
  readonly global: Context;
}

/** A node, after `RED.nodes.createNode`. */
export interface PaletteNode {
  readonly id: string;
  readonly type: string;
  readonly _path?: string;
  name?: string;
  on(event: string, handler: (...parameters: never[]) => unknown): unknown;
  send(messages: unknown): void;
  receive(message: Message): void;
  log(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  status(...values: unknown[]): void;
  metric(event?: string, message?: Message, value?: unknown): boolean | undefined;
  context(): NodeContext;
}

/** An expression that is ready to be evaluated. */
export interface Expression {
  assign(name: string, value: unknown): void;
}

/** `RED.util`, as far as our types use it. */
export interface PaletteUtil {
  cloneMessage<T>(message: T): T;
  generateId(): string;
  getMessageProperty(message: unknown, expression: unknown): unknown;
  setMessageProperty(message: unknown, expression: unknown, value: unknown): boolean;
  normalisePropertyExpression(expression: string, message: unknown, asText: boolean): unknown;
  parseContextStore(text: unknown): { key: string; store?: string };
  evaluateNodeProperty(
    value: unknown,
    type: string,
    node: PaletteNode,
    message?: Message,
    callback?: Callback,
  ): unknown;
  prepareJSONataExpression(text: unknown, node: PaletteNode): Expression;
  evaluateJSONataExpression(expression: Expression, message: Message, callback: Callback): void;
  getSetting(node: PaletteNode, name: string): unknown;
}

/** `RED`, as far as our types use it. */
export interface PaletteRed {
  readonly nodes: {
    createNode(node: object, config: object): void;
    registerType(type: string, nodeClass: unknown, options?: object): void;
    getNode(id: string): PaletteNode | null;
    readonly linkcallTargets: {
      register(node: PaletteNode): void;
      remove(node: PaletteNode): void;
      getTargetNode(node: PaletteNode, target: string, dynamic: boolean): PaletteNode | null | undefined;
    };
  };
  readonly util: PaletteUtil;
  readonly settings: { readonly [name: string]: unknown };
  readonly events: {
    on(event: string, listener: (message: Message) => void): unknown;
    removeListener(event: string, listener: (message: Message) => void): unknown;
    emit(event: string, message: Message): boolean;
    listenerCount(event: string): number;
  };
  readonly library: { register(type: string): void };
  /** Loads a package that flows may use. */
  import(name: string): Promise<Record<string, unknown>>;
  /** A text of the published catalogue. */
  _(key: string, values?: object): string;
}

/** Registers the types of a set. */
export type PaletteSet = (RED: PaletteRed) => void;

/**
 * Set to `true` on a node it says: when the input handler returns, all that it set off has happened. Messages are then
 * delivered many in a row.
 */
export const batchable: unique symbol = Symbol.for('sluice.batchable');
