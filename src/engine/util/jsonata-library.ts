import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

/** A compiled expression, as the library gives it. */
export interface JsonataExpression {
  evaluate(
    input: unknown,
    bindings?: Readonly<Record<string, unknown>>,
    callback?: (error: unknown, result?: unknown) => void,
  ): Promise<unknown>;
  assign(name: string, value: unknown): void;
  registerFunction(name: string, implementation: (...values: never[]) => unknown, signature?: string): void;
  ast(): unknown;
  errors(): unknown;
}

/** @throws an object with `code`, `position` and `message` (not an Error) for an expression that can't be parsed. */
export type Jsonata = (expression: string) => JsonataExpression;

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

/** The library's rule for reading a property: own ones only. */
const ownOnly = 'Object.prototype.hasOwnProperty.call(input, key)';

/**
 * Loads JSONata, with one rule changed: expressions read inherited properties too.
 * @remarks Flows rely on it: `$moment().format("YYYY")` calls a method, `req.ip` is a getter of the class. The library
 * has no setting for the rule, so its text is changed as it is loaded; `jsonata.test.ts` fails should a release of it
 * word the rule differently. Loading takes some milliseconds and megabytes: only for who needs it.
 */
export function loadJsonata(): Jsonata {
  const require = createRequire(import.meta.url);
  const filename = require.resolve('jsonata');
  const source = readFileSync(filename, 'utf8').replace(ownOnly, 'mayRead(key)');
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(source, ['module', 'exports', 'mayRead'], { filename });
  run(module, module.exports, (key: string) => !blocked.has(key));
  return module.exports as Jsonata;
}
