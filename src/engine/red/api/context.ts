/** Where a key lies: a name, a path such as `a.b[0]`, or several of them. */
export type ContextKeys = string | readonly string[];

/** Receives what was read, a value for each key. */
export type ContextCallback = (error: Error | null | undefined, ...values: unknown[]) => void;

/** Values that a node, a flow or all flows keep. Stores that are asynchronous need the callbacks. */
export interface NodeContextData {
  /** Without a callback the value, or an array of values for several keys. */
  get<T = unknown>(key: string, store?: string): T | undefined;
  get(keys: readonly string[], store?: string): unknown[];
  get(keys: ContextKeys, callback: ContextCallback): void;
  get(keys: ContextKeys, store: string | undefined, callback: ContextCallback): void;
  /** `undefined` deletes. */
  set(keys: ContextKeys, value: unknown, callback?: (error?: Error | null) => void): void;
  set(
    keys: ContextKeys,
    value: unknown,
    store: string | undefined,
    callback?: (error?: Error | null) => void,
  ): void;
  keys(store?: string): string[];
  keys(callback: (error: Error | null | undefined, keys: string[]) => void): void;
  keys(store: string | undefined, callback: (error: Error | null | undefined, keys: string[]) => void): void;
}

/** A node's own context, with that of its flow and of all flows. */
export interface NodeContext extends NodeContextData {
  readonly flow: NodeContextData;
  readonly global: NodeContextData;
}
