import { batchable, type Message, type PaletteRed } from '../red.ts';
import { compileRule, compileValue, type Rule, type RuleConfig, type SwitchNode, withTypes } from './rule.ts';
import { type Onward, Rules, ValueFailed } from './rules.ts';
import { isPart, Sequences } from './sequences.ts';

interface SwitchConfig {
  readonly rules?: readonly RuleConfig[];
  readonly property?: unknown;
  readonly propertyType?: string;
  /** `"false"`: stop after the first rule that passes. */
  readonly checkall?: string;
  /** Whether what leaves by an output is a sequence of its own. */
  readonly repair?: boolean;
}

interface Instance extends SwitchNode {
  rules: readonly RuleConfig[];
  property: unknown;
  propertyType: string;
  checkall: string;
  [batchable]?: boolean;
}

/** The type `switch`: sends a message to the outputs whose rules it passes. */
function switchSet(RED: PaletteRed): void {
  function SwitchNode(this: Instance, config: SwitchConfig): void {
    RED.nodes.createNode(this, config);
    this.rules = (config.rules ?? []).map(withTypes);
    this.property = config.property;
    this.propertyType = config.propertyType || 'msg';
    this.checkall = config.checkall || 'true';
    this.previousValue = null;
    const rules = compile(this, RED);
    if (rules === undefined) return;
    const repair = Boolean(config.repair);
    const needsCount = repair || this.rules.some(({ t }) => t === 'tail');
    const sequences = new Sequences({
      util: RED.util,
      limit: () => Number(RED.settings['nodeMessageBufferMaxLength'] ?? 0),
      onTooMany: (message) => this.error(RED._('switch.errors.too-many'), message),
    });
    const gate = new Gate(this, RED, { rules, sequences, repair, needsCount });
    this[batchable] = rules.isImmediate && !needsCount;
    this.on('input', (message: Message) => gate.take(message));
    this.on('close', () => sequences.clear());
  }
  RED.nodes.registerType('switch', SwitchNode);
}

/** The rules; undefined where an expression is wrong, which has then been reported. */
function compile(node: Instance, RED: PaletteRed): Rules | undefined {
  const compiling = { node, RED };
  const attempt = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      node.error(RED._('switch.errors.invalid-expr', { error: (error as Error).message }));
      return undefined;
    }
  };
  const property = attempt(() => compileValue(node.property, node.propertyType, compiling));
  if (property === undefined) return undefined;
  const rules: Rule[] = [];
  for (const rule of node.rules) {
    const compiled = attempt(() => compileRule(rule, compiling));
    if (compiled !== undefined) rules.push(compiled);
  }
  if (rules.length < node.rules.length) return undefined;
  return new Rules({ node, property, rules, all: node.checkall !== 'false' });
}

interface GateDeps {
  readonly rules: Rules;
  readonly sequences: Sequences;
  readonly repair: boolean;
  readonly needsCount: boolean;
}

/** Takes messages through the rules one after the other, in the order in which they came. */
class Gate {
  readonly #node: Instance;
  readonly #red: PaletteRed;
  readonly #deps: GateDeps;
  readonly #waiting: Message[] = [];
  #isBusy = false;

  constructor(node: Instance, red: PaletteRed, deps: GateDeps) {
    this.#node = node;
    this.#red = red;
    this.#deps = deps;
  }

  take(message: Message): void {
    if (this.#isBusy) {
      this.#waiting.push(message);
      return;
    }
    const work = this.#start(message);
    if (work === undefined) return;
    this.#isBusy = true;
    void work.then(() => this.#goOn());
  }

  async #goOn(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#start(next);
    }
    this.#isBusy = false;
  }

  #start(message: Message): void | Promise<void> {
    const { needsCount, sequences } = this.#deps;
    if (!needsCount || !isPart(message)) return this.#decide(message);
    const sequence = sequences.collect(message);
    return sequence.length === 0 ? undefined : this.#decideAll(sequence);
  }

  async #decideAll(sequence: readonly Message[]): Promise<void> {
    for (const message of sequence) await this.#decide(message);
  }

  #decide(message: Message): void | Promise<void> {
    try {
      const parts = isPart(message) ? message.parts : undefined;
      const onward = this.#deps.rules.decide(message, parts);
      if (!(onward instanceof Promise)) return this.#send(message, onward);
      return onward
        .then((decided) => this.#send(message, decided))
        .catch((error: unknown) => this.#report(error, message));
    } catch (error) {
      this.#report(error, message);
    }
  }

  #send(message: Message, onward: Onward): void {
    const { repair, sequences } = this.#deps;
    if (!repair || !isPart(message)) this.#node.send(onward);
    else for (const each of sequences.regroup(message, onward)) this.#node.send(each);
  }

  #report(error: unknown, message: Message): void {
    if (!(error instanceof ValueFailed)) {
      this.#node.error(error, message);
      return;
    }
    const text = this.#red._('switch.errors.invalid-expr', { error: error.message });
    if (error.ofProperty) this.#node.warn(text);
    else this.#node.error(text, message);
  }
}

export default switchSet;
// What `require` gives.
export { switchSet as 'module.exports' };
