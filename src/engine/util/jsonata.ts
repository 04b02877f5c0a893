import { createRequire } from 'node:module';
import type { Jsonata, JsonataExpression } from './jsonata-library.ts';
import { loadJsonata } from './jsonata-library.ts';
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
  const shared = new Map<string, JsonataExpression>();
  const require = createRequire(import.meta.url);
  const moment = (...values: unknown[]): unknown =>
    (require('moment-timezone') as (...values: unknown[]) => unknown)(...values);
  let library: Jsonata | undefined;

  const compile = (text: string): JsonataExpression => {
    library ??= loadJsonata();
    const expression = library(text);
    expression.registerFunction('clone', deps.cloneMessage, '<(oa)-:o>');
    return expression;
  };
  const compiled = (text: string): JsonataExpression => {
    let expression = shared.get(text);
    if (expression === undefined) {
      expression = compile(text);
      if (shared.size >= kept) shared.delete(shared.keys().next().value as string);
      shared.set(text, expression);
    }
    return expression;
  };

  return {
    prepareJSONataExpression(text, node) {
      return new BoundExpression(compiled(text), () => compile(text), speaksOfMsg.test(text), node, {
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
      expression
        .evaluate(input, asyncContexts(expression._node))
        .then((result) => callback(null, withPrototypes(result, new Set())))
        // Also what the callback itself throws: nodes report it as the failure of their message.
        .catch((error) => callback(error));
    },
  };
}

/**
 * An expression with bindings of its own over one that is compiled once for all.
 * @remarks `registerFunction` needs a place in the compiled expression itself: who calls it gets one of their own.
 */
class BoundExpression implements PreparedExpression {
  readonly _legacyMode: boolean;
  readonly _node: JsonataNode | null | undefined;
  readonly #compileOwn: () => JsonataExpression;
  readonly #bindings: Record<string, unknown>;
  #compiled: JsonataExpression;
  #isShared = true;

  constructor(
    compiled: JsonataExpression,
    compileOwn: () => JsonataExpression,
    legacyMode: boolean,
    node: JsonataNode | null | undefined,
    bindings: Record<string, unknown>,
  ) {
    this.#compiled = compiled;
    this.#compileOwn = compileOwn;
    this.#bindings = bindings;
    this._legacyMode = legacyMode;
    this._node = node;
  }

  evaluate: JsonataExpression['evaluate'] = (input, bindings, callback) =>
    this.#compiled.evaluate(input, { ...this.#bindings, ...bindings }, callback);

  assign(name: string, value: unknown): void {
    this.#bindings[name] = value;
  }

  registerFunction(name: string, implementation: (...values: never[]) => unknown, signature?: string): void {
    if (this.#isShared) {
      this.#compiled = this.#compileOwn();
      this.#isShared = false;
    }
    delete this.#bindings[name];
    this.#compiled.registerFunction(name, implementation, signature);
  }

  ast(): unknown {
    return this.#compiled.ast();
  }

  errors(): unknown {
    return this.#compiled.errors();
  }
}

/** The context functions as promises, so that stores without synchronous access can be read. */
function asyncContexts(node: JsonataNode | null | undefined): Record<string, unknown> {
  const reader = (scope: 'flow' | 'global') => (key: unknown, store: unknown) =>
    new Promise((resolve, reject) => {
      const context = (node as JsonataNode).context()[scope];
      context.get(key, store, (error, value) => (error ? reject(error) : resolve(value)));
    });
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
