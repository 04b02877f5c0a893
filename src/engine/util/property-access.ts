import { types } from 'node:util';
import {
  invalidExpression,
  type ParsedExpression,
  type PathStep,
  parseExpression,
} from './property-expression.ts';

/**
 * Reads and writes properties by expression.
 * @remarks Members are free functions: node modules take them off `RED.util` and call them without it.
 */
export interface PropertyAccess {
  /**
   * The steps of an expression, or with `asText` its canonical text, `a["b"][0]`.
   * @param message where given, references are replaced by their values in it, else they become nested steps.
   * @throws `INVALID_EXPR`, also where a reference has no value.
   */
  normalisePropertyExpression(expression: string, message?: unknown, asText?: false): PathStep[];
  normalisePropertyExpression(expression: string, message: unknown, asText: boolean): PathStep[] | string;
  /** The value at a path, undefined if absent. @throws a TypeError if its parent is absent, or `INVALID_EXPR`. */
  getObjectProperty(target: unknown, expression: string): unknown;
  /** {@link PropertyAccess.getObjectProperty} with an optional `msg.` in front. */
  getMessageProperty(message: unknown, expression: string): unknown;
  /**
   * Sets, or with `undefined` deletes, the value at a path. Deleting an array's element moves up those behind it.
   * @param createMissing whether absent parents are created; by default where the value is defined.
   * @returns whether there was a place to set.
   */
  setObjectProperty(target: unknown, expression: string, value: unknown, createMissing?: boolean): boolean;
  /** {@link PropertyAccess.setObjectProperty} with an optional `msg.` in front. */
  setMessageProperty(message: unknown, expression: string, value: unknown, createMissing?: boolean): boolean;
}

/** How many expressions are kept parsed; flows have a few hundred, but nodes may compute them. */
const kept = 5000;

/** Creates the functions over a cache of parsed expressions. */
export function createPropertyAccess(): PropertyAccess {
  const parsed = new ExpressionCache(parseExpression);
  const parsedAfterMsg = new ExpressionCache((text) => parseExpression(withoutMsg(text)));

  const stepsOf = ({ steps, fixed }: ParsedExpression, message: unknown): readonly PathStep[] =>
    fixed ??
    steps.map((step) => {
      if (typeof step !== 'object') return step;
      try {
        if (!message) return normalise(step.text);
        const value = getMessage(message, step.text);
        // What the message holds is used as a key whatever it is, as any key of an object.
        if (value !== undefined) return value as string;
      } catch {}
      throw invalidExpression(`Invalid expression started at position ${step.at}`);
    });

  const normalise = (text: string, message?: unknown): PathStep[] => [...stepsOf(parsed.get(text), message)];
  const getMessage = (message: unknown, text: string): unknown => read(message, parsedAfterMsg.get(text));

  function read(target: unknown, expression: ParsedExpression): unknown {
    const steps = expression.fixed ?? stepsOf(expression, target);
    if (steps.length === 0) return null;
    let value = target;
    for (let at = 0; at < steps.length; at++) {
      value = (value as Record<string, unknown>)[steps[at] as string];
    }
    return value;
  }

  function write(
    target: unknown,
    expression: ParsedExpression,
    value: unknown,
    createMissing?: boolean,
  ): boolean {
    const steps = expression.fixed ?? stepsOf(expression, target);
    return setAt(target, steps, value, createMissing === undefined ? value !== undefined : createMissing);
  }

  return {
    normalisePropertyExpression: ((text: string, message?: unknown, asText?: boolean) => {
      const steps = normalise(text, message);
      return asText ? textOf(steps) : steps;
    }) as PropertyAccess['normalisePropertyExpression'],
    getObjectProperty: (target, text) => read(target, parsed.get(text)),
    getMessageProperty: getMessage,
    setObjectProperty: (target, text, value, createMissing) =>
      write(target, parsed.get(text), value, createMissing),
    setMessageProperty: (message, text, value, createMissing) =>
      write(message, parsedAfterMsg.get(text), value, createMissing),
  };
}

/** Parsed expressions by text; the oldest leaves when it is full. */
class ExpressionCache {
  readonly #byText = new Map<string, ParsedExpression>();
  readonly #parse: (text: string) => ParsedExpression;

  constructor(parse: (text: string) => ParsedExpression) {
    this.#parse = parse;
  }

  get(text: string): ParsedExpression {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const parsed = this.#parse(text);
    if (this.#byText.size >= kept) this.#byText.delete(this.#byText.keys().next().value as string);
    this.#byText.set(text, parsed);
    return parsed;
  }
}

function withoutMsg(text: string): string {
  return text.startsWith('msg.') ? text.slice(4) : text;
}

function textOf(steps: readonly PathStep[]): string {
  const quote = (name: string): string => (name.includes('"') ? `'${name}'` : `"${name}"`);
  return steps
    .map((step, at) => (at === 0 ? `${step}` : `[${typeof step === 'string' ? quote(step) : step}]`))
    .join('');
}

/** The object that a path's last step applies to, as far as the language lets one index it. */
type Parent = Record<string | number, unknown>;

function setAt(target: unknown, steps: readonly PathStep[], value: unknown, createMissing: boolean): boolean {
  let parent = target as Parent;
  for (let at = 0; at < steps.length - 1; at++) {
    const step = steps[at];
    // A reference's value that is neither a name nor an index leads nowhere, and is passed over.
    if (typeof step !== 'string' && typeof step !== 'number') continue;
    const indexed = typeof step === 'number' && Array.isArray(parent);
    if (indexed ? parent[step] !== undefined : Object.hasOwn(parent, step)) {
      const child = parent[step];
      if (!indexed && !canHold(child)) return false;
      parent = child as Parent;
    } else if (createMissing) {
      assign(parent, step, typeof steps[at + 1] === 'string' ? {} : []);
      parent = parent[step] as Parent;
    } else {
      return false;
    }
  }
  const last = steps[steps.length - 1] as string | number;
  if (value === undefined) {
    if (typeof last === 'number' && Array.isArray(parent)) parent.splice(last, 1);
    else Reflect.deleteProperty(Object(existing(parent, last)), last);
    return true;
  }
  if (typeof parent !== 'object' || parent === null) return false;
  assign(parent, last, value);
  return true;
}

function canHold(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** @throws a TypeError if there is nothing to delete from. */
function existing(parent: unknown, key: string | number): unknown {
  if (parent === undefined || parent === null) {
    throw new TypeError(`Cannot delete '${key}' of ${parent}`);
  }
  return parent;
}

/** Sets a property; where it can't be changed (frozen, read-only, of a primitive) nothing happens, as in sloppy code. */
function assign(parent: Parent, key: string | number, value: unknown): void {
  try {
    parent[key] = value;
  } catch (error) {
    if (!(error instanceof TypeError) || isOwnSetters(parent, key)) throw error;
  }
}

/** Whether code of the object itself (a setter, a proxy) may have thrown. */
function isOwnSetters(parent: unknown, key: string | number): boolean {
  for (let holder = parent; typeof holder === 'object' && holder !== null; ) {
    if (types.isProxy(holder)) return true;
    const found = Object.getOwnPropertyDescriptor(holder, key);
    if (found !== undefined) return found.set !== undefined;
    holder = Object.getPrototypeOf(holder);
  }
  return false;
}
