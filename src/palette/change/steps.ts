import { type Answer, ask, whenKnown } from '../answer.ts';
import type { Expression, Message, PaletteNode, PaletteRed } from '../red.ts';
import { exactly, type Rule } from './rule.ts';

/** One rule at work on a message: whether the message goes on. */
export type Step = (message: Message) => boolean | Promise<boolean>;

/** What a `change` rule looks for. */
interface Wanted {
  readonly type: string | undefined;
  readonly value: unknown;
  readonly pattern: RegExp | undefined;
}

type Give<T> = (message: Message) => T | Promise<T>;

/** Thrown where a message ends because of what has been reported already. */
const ended = Symbol('ended');

/** What compiling rules needs. */
export interface Compiling {
  readonly node: PaletteNode;
  readonly RED: PaletteRed;
}

/**
 * Makes the steps of a rule. What can be known of a rule before a message comes is decided here.
 * @remarks A rule that fails because a property's parent is missing is passed over, silently; one whose expression or
 * context store fails ends the message.
 */
export function compileRule(rule: Rule, compiling: Compiling): readonly Step[] {
  if (rule.t !== 'move') return [compileStep(rule, compiling)];
  const { p, pt, tot } = rule;
  const to = rule.to as string;
  const move = (from: { p: string; pt: string }, target: { p: string; pt: string }): Rule[] => [
    { t: 'set', ...target, to: from.p, tot: from.pt, fromt: 'str' },
    { t: 'delete', ...from, tot: 'str', fromt: 'str' },
  ];
  // From a child to what holds it there is a stop between, or the child would go with its parent.
  const direct = tot !== pt || (p.includes(to) && p !== to);
  const between = { p: '_temp_move', pt: tot };
  const rules = direct
    ? move({ p, pt }, { p: to, pt: tot })
    : [...move({ p, pt }, between), ...move(between, { p: to, pt: tot })];
  return rules.map((each) => compileStep(each, compiling));
}

/** Whether a rule is done when its step returns, whatever the message and the stores. */
export function isImmediate(rule: Rule): boolean {
  const elsewhere = (type: string) => type === 'flow' || type === 'global' || type === 'jsonata';
  return !elsewhere(rule.pt) && !elsewhere(rule.tot) && !(rule.t === 'change' && elsewhere(rule.fromt));
}

function compileStep(rule: Rule, compiling: Compiling): Step {
  if (rule.pt === 'msg') return isImmediate(rule) ? messageStep(rule, compiling) : slowStep(rule, compiling);
  if (rule.pt === 'flow' || rule.pt === 'global') return slowStep(rule, compiling);
  // Nowhere to put anything: the message goes no further, unless the rule is passed over for its value.
  const value = givenBy(rule, compiling);
  return (message) => {
    try {
      return whenKnown(value(message), () => false);
    } catch {
      return true;
    }
  };
}

/** A rule that reads and writes nothing but the message. */
function messageStep(rule: Rule, { node, RED }: Compiling): Step {
  const { util } = RED;
  const value = plainValue(rule, { node, RED }) ?? (() => rule.to);
  if (rule.t === 'set') {
    return (message) => {
      try {
        const given = rule.dc ? util.cloneMessage(value(message)) : value(message);
        if (!util.setMessageProperty(message, rule.p, given)) {
          node.warn(RED._('change.errors.no-override', { property: rule.p }));
        }
      } catch {}
      return true;
    };
  }
  if (rule.t === 'delete') {
    return (message) => {
      try {
        util.setMessageProperty(message, rule.p, undefined);
      } catch {}
      return true;
    };
  }
  if (rule.t !== 'change') return () => true;
  const wanted = wantedBy(rule, { node, RED }) as (message: Message) => Wanted;
  return (message) => {
    try {
      const given = rule.dc ? util.cloneMessage(value(message)) : value(message);
      changeInMessage(rule, message, wanted(message), given, RED);
    } catch {}
    return true;
  };
}

/** A rule with a part that a context store or an expression answers for. */
function slowStep(rule: Rule, compiling: Compiling): Step {
  const { node, RED } = compiling;
  const value = givenBy(rule, compiling);
  const wanted = rule.t === 'change' ? wantedBy(rule, compiling) : () => undefined;
  const write = rule.pt === 'msg' ? writeMessage(rule, compiling) : writeContext(rule, compiling);
  const work: Give<boolean> = (message) =>
    whenKnown(value(message), (given) => {
      const copied = rule.dc ? RED.util.cloneMessage(given) : given;
      return whenKnown(wanted(message), (what) => write(message, copied, what));
    });
  const failed = (error: unknown) => error !== ended;
  return (message) => {
    try {
      const outcome = work(message);
      return outcome instanceof Promise ? outcome.catch(failed) : outcome;
    } catch (error) {
      return failed(error);
    }
  };

  function writeMessage(rule: Rule, { RED }: Compiling) {
    return (message: Message, given: unknown, what: Wanted | undefined): boolean => {
      if (rule.t === 'set') {
        if (!RED.util.setMessageProperty(message, rule.p, given)) {
          node.warn(RED._('change.errors.no-override', { property: rule.p }));
        }
      } else if (rule.t === 'delete') {
        RED.util.setMessageProperty(message, rule.p, undefined);
      } else if (what !== undefined) {
        changeInMessage(rule, message, what, given, RED);
      }
      return true;
    };
  }
}

/** Sets, deletes or changes a value in the context of the flow or of everything. */
function writeContext(rule: Rule, { node, RED }: Compiling) {
  return (message: Message, given: unknown, what: Wanted | undefined): boolean | Promise<boolean> => {
    const { key, store } = contextKey(rule.p, /\[msg/, message, RED);
    const target = node.context()[rule.pt as 'flow' | 'global'];
    const set = (value: unknown) =>
      whenKnown(
        ask((callback) => void target.set(key, value, store, callback)),
        (answer) => {
          unwrap(answer, node, message);
          return true;
        },
      );
    if (rule.t === 'delete') return set(undefined);
    if (rule.t === 'set') return set(given);
    if (what === undefined) return false;
    return whenKnown(
      ask((callback) => void target.get(key, store, callback)),
      (answer) => {
        const current = unwrap(answer, node, message);
        const changed = change(current, what, given);
        // As published: where nothing was to be changed, nothing is sent.
        return changed === undefined ? false : set(changed.value);
      },
    );
  };
}

function changeInMessage(
  rule: Rule,
  message: Message,
  wanted: Wanted,
  given: unknown,
  { util }: PaletteRed,
): void {
  const changed = change(util.getMessageProperty(message, rule.p), wanted, given);
  if (changed === undefined) return;
  // A text that has become "true" or "false" by a boolean becomes that boolean.
  const whole = rule.tot === 'bool' && changed.value === `${given}`;
  util.setMessageProperty(message, rule.p, whole ? given : changed.value);
}

/** What a value becomes, if it is one that is looked for or holds it. */
function change(current: unknown, wanted: Wanted, given: unknown): { readonly value: unknown } | undefined {
  const { type, value, pattern } = wanted;
  if (typeof current === 'string') {
    if ((type === 'num' || type === 'bool' || type === 'str') && current === value) return { value: given };
    return { value: current.replace(pattern as RegExp, given as string) };
  }
  const same =
    ((typeof current === 'number' || current instanceof Number) &&
      type === 'num' &&
      Number(current) === Number(value)) ||
    (typeof current === 'boolean' && type === 'bool' && `${current}` === value);
  return same ? { value: given } : undefined;
}

/** The new value of a rule, where it is at hand. */
function plainValue(rule: Rule, { node, RED }: Compiling): ((message: Message) => unknown) | undefined {
  const { to } = rule;
  switch (rule.tot) {
    case 'msg':
      return (message) => RED.util.getMessageProperty(message, to);
    case 'json':
      return () => JSON.parse(to as string) as unknown;
    case 'bin':
      return () => Buffer.from(JSON.parse(to as string) as string);
    case 'date':
      return () => RED.util.evaluateNodeProperty(to, 'date', node);
    case 'flow':
    case 'global':
    case 'jsonata':
      return undefined;
    default:
      return () => to;
  }
}

function givenBy(rule: Rule, compiling: Compiling): Give<unknown> {
  const plain = plainValue(rule, compiling);
  if (plain !== undefined) return plain;
  const { node, RED } = compiling;
  const { to, tot } = rule;
  if (tot !== 'jsonata') {
    return (message) =>
      whenKnown(
        ask((callback) => void RED.util.evaluateNodeProperty(to, tot, node, message, callback)),
        ({ error, value }) => (error ? undefined : value),
      );
  }
  return (message) =>
    whenKnown(
      ask((callback) => RED.util.evaluateJSONataExpression(to as Expression, message, callback)),
      ({ error, value }) => {
        if (!error) return value;
        node.error(RED._('change.errors.invalid-expr', { error: (error as Error).message }), message);
        throw ended;
      },
    );
}

function wantedBy(rule: Rule, { node, RED }: Compiling): Give<Wanted> {
  const { fromt, from } = rule;
  if (fromt === 'msg') {
    return (message) => describe(RED.util.getMessageProperty(message, from), message, { node, RED });
  }
  if (fromt !== 'flow' && fromt !== 'global') {
    const wanted = { type: fromt, value: from, pattern: rule.fromRE };
    return () => wanted;
  }
  return (message) => {
    const { key, store } = contextKey(from, /\[msg\./, message, RED);
    return whenKnown(
      ask((callback) => void node.context()[fromt].get(key, store, callback)),
      (answer) => describe(unwrap(answer, node, message), message, { node, RED }),
    );
  };
}

/** What a value from elsewhere looks for. A value of no use is reported; the rule then finds next to nothing. */
function describe(value: unknown, message: Message, { node, RED }: Compiling): Wanted {
  const of = (type: string | undefined, pattern?: RegExp) => ({ type, value, pattern });
  if (typeof value === 'number' || value instanceof Number) return of('num');
  if (typeof value === 'boolean') return of('bool');
  if (value instanceof RegExp) return of('re', value);
  if (typeof value === 'string') return of('str', exactly(value));
  const error = `unsupported type: ${typeof value}`;
  node.error(new Error(RED._('change.errors.invalid-from', { error })), message);
  return of(undefined);
}

function contextKey(
  text: unknown,
  reference: RegExp,
  message: Message,
  { util }: PaletteRed,
): { key: unknown; store: string | undefined } {
  const { key, store } = util.parseContextStore(text);
  return { key: reference.test(key) ? util.normalisePropertyExpression(key, message, true) : key, store };
}

/** A store's answer; its failure is reported and ends the message. */
function unwrap({ error, value }: Answer, node: PaletteNode, message: Message): unknown {
  if (!error) return value;
  node.error(error, message);
  throw ended;
}
