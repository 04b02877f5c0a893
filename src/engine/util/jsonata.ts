import { createRequire } from 'node:module';
import { CompiledExpression, JsonataLibraries } from './compiled-expression.ts';
import type { JsonataExpression } from './jsonata-library.ts';
import { getSetting, type SettingOwner } from './setting.ts';

/** A context's `get`, as far as expressions use it. */
interface ReadableContext {
  get(key: unknown, store?: unknown, callback?: (error: unknown, value?: unknown) => void): unknown;
}

/** What of a node an expression can reach. */
export interface JsonataNode extends SettingOwner {
  context(): { readonly flow: ReadableContext; readonly global: ReadableContext };
}

/** An expression that is bound to a node, ready to be evaluated many times. */
export interface PreparedExpression extends JsonataExpression {
  /** The expression speaks of `msg`: it is evaluated against `{ msg }`, not against the message. */
  readonly _legacyMode: boolean;
  readonly _node: JsonataNode | null | undefined;
}

/** The two members of `RED.util` that evaluate JSONata. */
export interface JsonataFunctions {
  /** @throws what the parser throws: an object with `code`, `position`, `message`. */
  prepareJSONataExpression(text: string, node?: JsonataNode | null): PreparedExpression;
  /** @throws if there is no callback; what evaluation throws is handed to the callback. */
  evaluateJSONataExpression(
    expression: PreparedExpression,
    message: unknown,
    callback?: (error: unknown, result?: unknown) => void,
  ): void;
}

/** How many expressions are kept compiled. */
const kept = 1000;
const speaksOfMsg = /(^|[^a-zA-Z0-9_'".])msg([^a-zA-Z0-9_'"]|$)/;

/** Creates the functions over a cache of compiled expressions. The library is loaded with the first expression. */
export function createJsonata(deps: { cloneMessage: (message: unknown) => unknown }): JsonataFunctions {
  const shared = new Map<string, CompiledExpression>();
  const libraries = new JsonataLibraries(deps.cloneMessage);
  const require = createRequire(import.meta.url);
  const moment = (...values: unknown[]): unknown =>
    (require('moment-timezone') as (...values: unknown[]) => unknown)(...values);

  const compiled = (text: string): CompiledExpression => {
    let expression = shared.get(text);
    if (expression === undefined) {
      expression = new CompiledExpression(text, libraries);
      if (shared.size >= kept) shared.delete(shared.keys().next().value as string);
      shared.set(text, expression);
    }
    return expression;
  };

  return {
    prepareJSONataExpression(text, node) {
      return new BoundExpression(compiled(text), libraries, node, {
        flowContext: (key: unknown, store: unknown) => (node ? node.context().flow.get(key, store) : ''),
        globalContext: (key: unknown, store: unknown) => (node ? node.context().global.get(key, store) : ''),
        env: (name: string) => {
          const value = getSetting(node, name, node?._flow);
          return value === undefined ? '' : value;
        },
        moment: (one: unknown, two: unknown, three: unknown, four: unknown) => moment(one, two, three, four),
      });
    },

    evaluateJSONataExpression(expression, message, callback) {
      if (!callback) throw new Error('Calls to RED.util.evaluateJSONataExpression must include a callback.');
      const input = expression._legacyMode ? { msg: message } : message;
      outcomeOf(() =>
        expression instanceof BoundExpression
          ? expression.start(input, expression.contexts)
          : expression.evaluate(input, contextReaders(expression._node)),
      )
        .then((result) =>
          callback(null, typeof result === 'object' ? withPrototypes(result, new Set()) : result),
        )
        // Also what the callback itself throws: nodes report it as the failure of their message.
        .catch((error) => callback(error));
    },
  };
}

/** What an evaluation gives, at once or later, or throws. */
function outcomeOf(evaluate: () => unknown): Promise<unknown> {
  try {
    return Promise.resolve(evaluate());
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * An expression with bindings of its own over one that is compiled once for all.
 * @remarks Functions that are added may return promises, and `registerFunction` needs a place in the compiled expression:
 * who adds one gets a compiled expression of their own.
 */
class BoundExpression implements PreparedExpression {
  readonly _legacyMode: boolean;
  readonly _node: JsonataNode | null | undefined;
  readonly #compiled: CompiledExpression;
  readonly #libraries: JsonataLibraries;
  readonly #bindings: Record<string, unknown>;
  readonly #mentions: (name: string) => boolean;
  #own: JsonataExpression | undefined;
  #contexts: Record<string, unknown> | undefined;

  constructor(
    compiled: CompiledExpression,
    libraries: JsonataLibraries,
    node: JsonataNode | null | undefined,
    bindings: Record<string, unknown>,
  ) {
    const { text } = compiled;
    this.#compiled = compiled;
    this.#libraries = libraries;
    // Each binding costs at every evaluation. `$eval` may name anything.
    this.#mentions = (name) => text.includes(name) || text.includes('eval');
    this.#bindings = this.#mentioned(bindings);
    this._legacyMode = speaksOfMsg.test(text);
    this._node = node;
  }

  /** The context functions, as far as they are mentioned, for any store. */
  get contexts(): Record<string, unknown> {
    this.#contexts ??= this.#mentioned(contextReaders(this._node));
    return this.#contexts;
  }

  /** The value, or a promise of it. @throws what fails, if it fails at once. */
  start(input: unknown, bindings?: Readonly<Record<string, unknown>>): unknown {
    return (this.#own ?? this.#compiled).evaluate(input, { ...this.#bindings, ...bindings });
  }

  async evaluate(
    input: unknown,
    bindings?: Readonly<Record<string, unknown>>,
    callback?: (error: unknown, result?: unknown) => void,
  ): Promise<unknown> {
    const result = await this.start(input, bindings);
    if (typeof callback === 'function') callback(null, result);
    return result;
  }

  assign(name: string, value: unknown): void {
    this.#bindings[name] = value;
    if (typeof value === 'function') this.#ownExpression();
  }

  registerFunction(name: string, implementation: (...values: never[]) => unknown, signature?: string): void {
    delete this.#bindings[name];
    this.#ownExpression().registerFunction(name, implementation, signature);
  }

  ast(): unknown {
    return this.#compiled.ast();
  }

  errors(): unknown {
    return this.#compiled.errors();
  }

  #mentioned(bindings: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(bindings).filter(([name]) => this.#mentions(name)));
  }

  #ownExpression(): JsonataExpression {
    this.#own ??= this.#libraries.waiting(this.#compiled.text);
    return this.#own;
  }
}

/** The context functions for any store: they give the value if the store answers at once, else a promise. */
function contextReaders(node: JsonataNode | null | undefined): Record<string, unknown> {
  const reader = (scope: 'flow' | 'global') => (key: unknown, store: unknown) => {
    const context = (node as JsonataNode).context()[scope];
    let answered: readonly [error: unknown, value?: unknown] | undefined;
    let later: ((error: unknown, value?: unknown) => void) | undefined;
    context.get(key, store, (...answer) => {
      if (later) later(...answer);
      else answered = answer;
    });
    if (answered !== undefined) {
      if (answered[0]) throw answered[0];
      return answered[1];
    }
    const promise = new Promise((resolve, reject) => {
      later = (error, value) => (error ? reject(error) : resolve(value));
    });
    // Evaluation may begin anew because of it, and ask again.
    promise.catch(() => {});
    return promise;
  };
  return { flowContext: reader('flow'), globalContext: reader('global') };
}

/**
 * Gives every plain object of a result the usual prototype, which JSONata makes its own objects without; nodes call
 * methods on them. Changes the objects in place; instances of classes are left alone.
 */
function withPrototypes(value: unknown, seen: Set<object>): unknown {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  if (Array.isArray(value)) {
    for (const member of value) withPrototypes(member, seen);
    return value;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) Object.setPrototypeOf(value, Object.prototype);
  else if (prototype !== Object.prototype) return value;
  for (const name of Object.keys(value)) withPrototypes((value as Record<string, unknown>)[name], seen);
  return value;
}
