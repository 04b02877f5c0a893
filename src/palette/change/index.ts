import { batchable, type Done, type Message, type PaletteNode, type PaletteRed, type Send } from '../red.ts';
import { type ChangeConfig, type Rule, readRule, rulesOf } from './rule.ts';
import { compileRule, isImmediate, type Step } from './steps.ts';

interface ChangeNode extends PaletteNode {
  rules: readonly Rule[];
  [batchable]?: boolean;
}

/** The type `change`: sets, changes, deletes and moves properties of messages and contexts, by rules. */
function changeSet(RED: PaletteRed): void {
  function ChangeNode(this: ChangeNode, config: ChangeConfig): void {
    RED.nodes.createNode(this, config);
    let isValid = true;
    const report = (text: string) => {
      isValid = false;
      this.error(text);
    };
    this.rules = rulesOf(config).map((rule) => readRule(rule, this, RED, report));
    if (!isValid) return;
    const steps = this.rules.flatMap((rule) => compileRule(rule, { node: this, RED }));
    this[batchable] = this.rules.every(isImmediate);
    this.on('input', (message: Message, send: Send, done: Done) => {
      const outcome = follow(steps, 0, message);
      if (outcome === true) {
        send(message);
        done();
      } else if (outcome !== false) {
        outcome.then((goesOn) => {
          if (!goesOn) return;
          send(message);
          done();
        }, done);
      }
    });
  }
  RED.nodes.registerType('change', ChangeNode);
}

/** Takes a message through the steps; at once, as long as no step has to wait. */
function follow(steps: readonly Step[], first: number, message: Message): boolean | Promise<boolean> {
  for (let at = first; at < steps.length; at++) {
    const outcome = (steps[at] as Step)(message);
    if (outcome === false) return false;
    if (outcome !== true) {
      return outcome.then((goesOn) => (goesOn ? follow(steps, at + 1, message) : false));
    }
  }
  return true;
}

export default changeSet;
// What `require` gives.
export { changeSet as 'module.exports' };
