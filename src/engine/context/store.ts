/**
 * A context store: what `contextStorage` of the settings names, our own and those that people bring.
 * @remarks A scope is `global`, a flow's id, or `<node id>:<flow id>`. Keys are property expressions, or arrays of them.
 * With a callback a store answers through it, `(error, value…)`; without one it returns the value, or throws if it can't
 * answer at once.
 */
export interface ContextStore {
  open(): Promise<unknown>;
  close(): Promise<unknown>;
  get(scope: string, key: ContextKeys, callback?: ContextCallback): unknown;
  /** `undefined` deletes. For several keys an array of values; where it is too short the value is null. */
  set(scope: string, key: ContextKeys, value: unknown, callback?: ContextCallback): unknown;
  keys(scope: string, callback?: ContextCallback): unknown;
  /** Forgets a scope. */
  delete(scope: string): Promise<unknown>;
  /** Forgets every scope but `global` whose first id is not among those still in use. */
  clean(active: readonly string[]): Promise<unknown>;
}

/** One key, or several. */
export type ContextKeys = string | readonly string[];

/** Receives the values that were asked for, or what went wrong. */
export type ContextCallback = (error?: unknown, ...values: unknown[]) => void;

/** The values for several keys, or one key as the only one. A missing value is null. */
export function pairs(keys: ContextKeys, value: unknown): [key: string, value: unknown][] {
  if (typeof keys === 'string') return [[keys, value]];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return keys.map((key, at) => [key, at < values.length ? values[at] : null]);
}

/**
 * Answers a read: one value, or a value for each key.
 * @throws what `read` throws, where there is no callback.
 */
export function answer(
  keys: ContextKeys,
  read: (key: string) => unknown,
  callback: ContextCallback | undefined,
): unknown {
  if (!callback) return typeof keys === 'string' ? read(keys) : keys.map(read);
  let values: unknown[];
  try {
    values = typeof keys === 'string' ? [read(keys)] : keys.map(read);
  } catch (error) {
    return void callback(error);
  }
  callback(undefined, ...values);
}

/** Does something at once and answers; throws where there is no callback. */
export function perform(action: () => void, callback: ContextCallback | undefined): void {
  if (!callback) {
    action();
    return;
  }
  let failure: unknown;
  try {
    action();
  } catch (error) {
    failure = error;
  }
  callback(failure);
}
