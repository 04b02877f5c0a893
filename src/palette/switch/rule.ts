import { type Answer, ask } from '../answer.ts';
import type { Expression, Message, PaletteNode, PaletteRed } from '../red.ts';
import { matching, type Operator, operators, type Parts } from './operators.ts';

/** A rule as the editor stores it; older ones lack the types. */
export interface RuleConfig {
  readonly t: string;
  readonly v?: unknown;
  readonly vt?: string;
  readonly v2?: unknown;
  readonly v2t?: string;
  /** Whether a regular expression ignores case. */
  readonly case?: unknown;
}

/** Gives a value for a message: at once, or by asking a context store or an expression. */
export type Value =
  | { readonly is: 'plain'; read(message: Message): unknown }
  | { readonly is: 'asked'; ask(message: Message, parts: Parts | undefined): Answer | Promise<Answer> };

/** A rule, ready to be applied. */
export interface Rule {
  readonly isElse: boolean;
  readonly first: Value;
  readonly second: Value;
  readonly passes: Operator;
  readonly ignoreCase: unknown;
}

/** A switch node, as far as its values look at it. */
export interface SwitchNode extends PaletteNode {
  /** The property of the message before. */
  previousValue: unknown;
}

/** What compiling needs. */
export interface Compiling {
  readonly node: SwitchNode;
  readonly RED: PaletteRed;
}

/** Fills in the types that older rules lack, and makes numbers of numbers. */
export function withTypes(rule: RuleConfig): RuleConfig {
  const { v, v2 } = rule;
  const typeOf = (value: unknown) => (Number.isNaN(Number(value)) ? 'str' : 'num');
  const vt = rule.vt || typeOf(v);
  const first = vt === 'num' && !Number.isNaN(Number(v)) ? { v: Number(v) } : {};
  if (v2 === undefined) return { ...rule, vt, ...first };
  const v2t = rule.v2t || typeOf(v2);
  return { ...rule, vt, ...first, v2t, v2: v2t === 'num' ? Number(v2) : v2 };
}

/** @throws what is wrong with an expression of the rule. */
export function compileRule(rule: RuleConfig, compiling: Compiling): Rule {
  const { t, v, vt = 'str', v2, v2t = 'str' } = rule;
  return {
    isElse: t === 'else',
    first:
      vt === 'json' || vt === 'null'
        ? constant(vt)
        : compileValue(v, vt, compiling, t === 'jsonata_exp' ? assignParts : undefined),
    second: v2 === undefined && v2t !== 'prev' ? constant(undefined) : compileValue(v2, v2t, compiling),
    passes: t === 'regex' ? matching() : (operators[t] ?? unknownOperator(t)),
    ignoreCase: rule.case,
  };
}

/**
 * Compiles a text with its type, as the editor's typed input gives it; `prev` is the property of the message before.
 * @param prepare Called with an expression before each evaluation.
 * @throws what is wrong with an expression.
 */
export function compileValue(
  text: unknown,
  type: string,
  { node, RED }: Compiling,
  prepare?: (expression: Expression, parts: Parts | undefined) => void,
): Value {
  const { util } = RED;
  switch (type) {
    case 'prev':
      return { is: 'plain', read: () => node.previousValue };
    case 'str':
      return constant(`${text}`);
    case 'num':
      return constant(Number(text));
    case 'bool':
      return constant(/^true$/i.test(text as string));
    case 'msg':
      return {
        is: 'plain',
        read: (message) => {
          try {
            return util.getMessageProperty(message, text);
          } catch {
            return undefined;
          }
        },
      };
    case 'jsonata': {
      const expression = util.prepareJSONataExpression(text, node);
      return {
        is: 'asked',
        ask: (message, parts) => {
          prepare?.(expression, parts);
          return ask((callback) => util.evaluateJSONataExpression(expression, message, callback));
        },
      };
    }
    case 'flow':
    case 'global':
      return {
        is: 'asked',
        ask: (message) => {
          const withoutError = ({ value }: Answer) => ({ error: undefined, value });
          const answer = ask(
            (callback) => void util.evaluateNodeProperty(text, type, node, message, callback),
          );
          return answer instanceof Promise ? answer.then(withoutError) : withoutError(answer);
        },
      };
    default:
      return { is: 'plain', read: (message) => util.evaluateNodeProperty(text, type, node, message) };
  }
}

function constant(value: unknown): Value {
  return { is: 'plain', read: () => value };
}

/** The place in the sequence, as `$I` and `$N` of an expression. */
function assignParts(expression: Expression, parts: Parts | undefined): void {
  if (parts === undefined) return;
  expression.assign('I', parts.index);
  expression.assign('N', parts.count);
}

function unknownOperator(name: string): Operator {
  return () => {
    throw new TypeError(`operators[rule.t] is not a function: ${name}`);
  };
}
