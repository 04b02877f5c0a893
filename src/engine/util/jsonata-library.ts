import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

/** A compiled expression, as the library gives it. `Result` is a promise, or of the synchronous library the value. */
export interface JsonataExpression<Result = Promise<unknown>> {
  evaluate(
    input: unknown,
    bindings?: Readonly<Record<string, unknown>>,
    callback?: (error: unknown, result?: unknown) => void,
  ): Result;
  assign(name: string, value: unknown): void;
  registerFunction(name: string, implementation: (...values: never[]) => unknown, signature?: string): void;
  ast(): unknown;
  errors(): unknown;
}

/** @throws an object with `code`, `position` and `message` (not an Error) for an expression that can't be parsed. */
export type Jsonata<Result = Promise<unknown>> = (expression: string) => JsonataExpression<Result>;

/** The synchronous library was handed a promise: the other one must evaluate the expression. */
export class NeedsToWait extends Error {}

/** Names that no expression may reach through a prototype. */
const blocked = new Set([
  '__proto__',
  'constructor',
  'prototype',
  '__lookupGetter__',
  '__lookupSetter__',
  '__defineGetter__',
  '__defineSetter__',
]);

type Change = readonly [found: RegExp, instead: string];

/**
 * Expressions read inherited properties too, not own ones only. Flows rely on it: `$moment().format("YYYY")` calls a
 * method, `req.ip` is a getter of the class.
 */
const inherited: readonly Change[] = [
  [/Object\.prototype\.hasOwnProperty\.call\(input, key\)/g, 'mayRead(key)'],
];

/** Every function is an ordinary one, and a promise ends the evaluation. Nobody is asked about each step either. */
const synchronous: readonly Change[] = [
  [/\basync (?=function\b|\()/g, ''],
  [/\bawait /g, ''],
  [/\bPromise\.all\(/g, 'Array.from('],
  [/typeof arg\.then === 'function'/g, 'refuse(arg)'],
  [/environment\.lookup\(Symbol\.for\('jsonata\.__evaluate_(?:entry|exit)'\)\)/g, 'undefined'],
];

/**
 * Loads JSONata. It takes some milliseconds and megabytes: only for who needs it.
 * @remarks The library has no settings for what must differ, so its text is changed as it is loaded; the tests compare
 * what comes out with the library's own answers.
 * @throws if a release of the library is worded differently.
 */
export function loadJsonata(): Jsonata {
  return load(inherited) as Jsonata;
}

/**
 * Loads JSONata such that `evaluate` returns the value: several times as fast, as it makes no promise at every step.
 * Evaluation throws {@link NeedsToWait} when a function returns a promise.
 */
export function loadSynchronousJsonata(): Jsonata<unknown> {
  return load([...inherited, ...synchronous]) as Jsonata<unknown>;
}

function load(changes: readonly Change[]): unknown {
  const filename = createRequire(import.meta.url).resolve('jsonata');
  let source = readFileSync(filename, 'utf8');
  for (const [found, instead] of changes) {
    const changed = source.replace(found, instead);
    if (changed === source) throw new Error(`This release of jsonata does not hold ${found}`);
    source = changed;
  }
  const module = { exports: {} };
  const run = compileFunction(source, ['module', 'exports', 'mayRead', 'refuse'], { filename });
  run(module, module.exports, mayRead, refuse);
  return module.exports;
}

const mayRead = (key: string): boolean => !blocked.has(key);

/** Stands for the question whether something with a `then` is a promise. */
function refuse(thenable: { readonly then: unknown }): boolean {
  if (typeof thenable.then === 'function') throw new NeedsToWait();
  return false;
}
