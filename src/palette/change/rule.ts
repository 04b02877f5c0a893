import type { Expression, PaletteNode, PaletteRed } from '../red.ts';

/** A rule as the editor stores it; older ones lack the types. */
export interface RuleConfig {
  /** `set`, `change`, `delete` or `move`; anything else does nothing. */
  readonly t: string | undefined;
  readonly p: string;
  readonly pt?: string;
  readonly to?: unknown;
  readonly tot?: string;
  readonly from?: unknown;
  readonly fromt?: string;
  readonly re?: unknown;
  /** Deep copy. */
  readonly dc?: boolean;
}

/** What a change node is configured with; `action`, `property`, … are what the first versions stored. */
export interface ChangeConfig {
  readonly rules?: readonly RuleConfig[];
  readonly action?: string;
  readonly property?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reg?: unknown;
}

/** A rule with all its types, its constants made. */
export interface Rule extends RuleConfig {
  readonly pt: string;
  readonly tot: string;
  readonly fromt: string;
  /** Text, number, boolean, prepared expression, or the value of an environment variable. */
  readonly to?: unknown;
  /** What is looked for, where it is no reference. */
  readonly fromRE?: RegExp;
}

/** The rules of a node, as they are stored today. */
export function rulesOf(config: ChangeConfig): readonly RuleConfig[] {
  if (config.rules) return config.rules;
  const { action, property = '', from = '', to = '', reg } = config;
  const t = action === 'replace' ? 'set' : action;
  if (t === 'set' || t === 'move') return [{ t, p: property, to }];
  if (t === 'change') return [{ t, p: property, from, to, re: reg === null || reg }];
  return [{ t, p: property }];
}

/** Fills in types that older rules lack, and makes constants. Problems are told through `report`; all are looked for. */
export function readRule(
  config: RuleConfig,
  node: PaletteNode,
  RED: PaletteRed,
  report: (text: string) => void,
): Rule {
  const rule = withTypes(config);
  const failed = (key: string, error?: unknown) =>
    report(RED._(`change.errors.${key}`, { error: (error as Error | undefined)?.message }));
  let pattern: RegExp | undefined;
  if (rule.t === 'change' && !['msg', 'flow', 'global'].includes(rule.fromt)) {
    try {
      const text = rule.from as string;
      pattern = rule.fromt === 're' ? new RegExp(text, 'g') : exactly(text);
    } catch (error) {
      failed('invalid-from', error);
    }
  }
  let to = rule.to;
  switch (rule.tot) {
    case 'num':
      to = Number(to);
      break;
    case 'bool':
      to = /^true$/i.test(to as string);
      break;
    case 'json':
    case 'bin':
      try {
        JSON.parse(to as string);
      } catch {
        failed('invalid-json');
      }
      break;
    case 'jsonata':
      try {
        to = RED.util.prepareJSONataExpression(to, node) satisfies Expression;
      } catch (error) {
        failed('invalid-expr', error);
      }
      break;
    case 'env':
      to = RED.util.evaluateNodeProperty(to, 'env', node);
      break;
  }
  return { ...rule, ...('to' in rule ? { to } : {}), ...(pattern === undefined ? {} : { fromRE: pattern }) };
}

/** A pattern that finds a text as it is, everywhere. */
export function exactly(text: string): RegExp {
  return new RegExp(text.replace(/[-[\]{}()*+?.,\\^$|#\s]/g, '\\$&'), 'g');
}

function withTypes(config: RuleConfig): RuleConfig & Pick<Rule, 'pt' | 'tot' | 'fromt'> {
  const { re, ...others } = config;
  const isPattern = config.t === 'change' && Boolean(re);
  // Where it says nothing it stays.
  const rule = isPattern ? others : config;
  const pt = rule.pt || 'msg';
  const fromt = isPattern ? 're' : rule.fromt || 'str';
  if (rule.t === 'set' && !rule.tot && String(rule.to).startsWith('msg.')) {
    return { ...rule, pt, tot: 'msg', fromt, to: String(rule.to).slice(4) };
  }
  return { ...rule, pt, tot: rule.tot || 'str', fromt };
}
