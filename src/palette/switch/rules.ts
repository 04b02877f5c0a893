import type { Answer } from '../answer.ts';
import type { Message } from '../red.ts';
import type { Parts } from './operators.ts';
import type { Rule, SwitchNode, Value } from './rule.ts';

/** Per rule that was looked at, the message or `null`. */
export type Onward = (Message | null)[];

/** A value could not be had: its expression failed. */
export class ValueFailed extends Error {
  /** Of the property itself, not of a rule. */
  readonly ofProperty: boolean;

  constructor(cause: unknown, ofProperty: boolean) {
    super((cause as Error | undefined)?.message ?? String(cause), { cause });
    this.ofProperty = ofProperty;
  }
}

/** What {@link Rules} is made of. */
export interface RulesDeps {
  readonly node: SwitchNode;
  readonly property: Value;
  readonly rules: readonly Rule[];
  /** Whether rules after the first that passes are looked at too. */
  readonly all: boolean;
}

/** Where in the rules one message is. */
interface Progress {
  readonly onward: Onward;
  /** No rule since the last `else` has passed. */
  nonePassed: boolean;
}

/** Decides to which outputs a message goes. */
export class Rules {
  readonly #deps: RulesDeps;
  /** Whether no value has to be asked for. */
  readonly isImmediate: boolean;

  constructor(deps: RulesDeps) {
    this.#deps = deps;
    this.isImmediate =
      deps.property.is === 'plain' &&
      deps.rules.every(({ first, second }) => first.is === 'plain' && second.is === 'plain');
  }

  /**
   * The message by output.
   * @param parts Of the message, where it is of a sequence.
   * @throws {@link ValueFailed}; SyntaxError of a regular expression; TypeError of a rule about sequences where the
   * message is of none. A promise rejects with the same.
   */
  decide(message: Message, parts: Parts | undefined): Onward | Promise<Onward> {
    if (!this.isImmediate) return this.#decideLater(message, parts);
    const { node, rules, property } = this.#deps;
    const value = (property as Value & { is: 'plain' }).read(message);
    if (rules.length === 0) return [];
    const progress: Progress = { onward: [], nonePassed: true };
    for (const rule of rules) {
      const first = (rule.first as Value & { is: 'plain' }).read(message);
      const second = (rule.second as Value & { is: 'plain' }).read(message);
      if (this.#apply(rule, value, first, second, message, progress)) break;
    }
    node.previousValue = value;
    return progress.onward;
  }

  async #decideLater(message: Message, parts: Parts | undefined): Promise<Onward> {
    const { node, rules, property } = this.#deps;
    const value = await read(property, message, parts, true);
    if (rules.length === 0) return [];
    const progress: Progress = { onward: [], nonePassed: true };
    for (const rule of rules) {
      const first = await read(rule.first, message, parts, false);
      const second = await read(rule.second, message, parts, false);
      if (this.#apply(rule, value, first, second, message, progress)) break;
    }
    node.previousValue = value;
    return progress.onward;
  }

  /** Whether that was enough. */
  #apply(
    rule: Rule,
    value: unknown,
    first: unknown,
    second: unknown,
    message: Message,
    progress: Progress,
  ): boolean {
    let looked = value;
    if (rule.isElse) {
      looked = progress.nonePassed;
      progress.nonePassed = true;
    }
    if (!rule.passes(looked, first, second, rule.ignoreCase, message.parts as Parts | undefined)) {
      progress.onward.push(null);
      return false;
    }
    progress.onward.push(message);
    progress.nonePassed = false;
    return !this.#deps.all;
  }
}

/** Waits only where it must: stores in memory answer at once. */
function read(value: Value, message: Message, parts: Parts | undefined, ofProperty: boolean): unknown {
  if (value.is === 'plain') return value.read(message);
  const unwrap = ({ error, value: given }: Answer): unknown => {
    if (error) throw new ValueFailed(error, ofProperty);
    return given;
  };
  const answer = value.ask(message, parts);
  return answer instanceof Promise ? answer.then(unwrap) : unwrap(answer);
}
