import type { Message, PaletteUtil } from '../red.ts';
import type { Parts } from './operators.ts';
import type { Onward } from './rules.ts';

/** What {@link Sequences} is made of. */
export interface SequencesDeps {
  readonly util: Pick<PaletteUtil, 'generateId' | 'cloneMessage'>;
  /** How many messages may be held back; 0: any number. */
  readonly limit: () => number;
  /** Told when there are too many; all that was held back has been dropped. */
  readonly onTooMany: (message: Message) => void;
}

/** A message of a sequence. */
export interface PartMessage extends Message {
  parts: Parts;
}

/** Whether a message says where in which sequence it is. */
export function isPart(message: Message): message is PartMessage {
  const { parts } = message;
  return (
    typeof parts === 'object' && parts !== null && Object.hasOwn(parts, 'id') && Object.hasOwn(parts, 'index')
  );
}

/** Messages of sequences that are held back: before the rules until their number is known, after them until all passed. */
export class Sequences {
  readonly #deps: SequencesDeps;
  #incoming = new Map<unknown, { count?: number | undefined; messages: PartMessage[] }>();
  #outgoing = new Map<unknown, { received: number; onwards: Onward[] }>();
  #held = 0;

  constructor(deps: SequencesDeps) {
    this.#deps = deps;
  }

  /** Takes a message before the rules; gives the whole sequence once it is there, each with the count. */
  collect(message: PartMessage): readonly PartMessage[] {
    const { parts } = message;
    let group = this.#incoming.get(parts.id);
    if (group === undefined) {
      group = { messages: [] };
      this.#incoming.set(parts.id, group);
    }
    group.messages.push(message);
    this.#hold(message);
    if (Object.hasOwn(parts, 'count')) group.count = parts.count;
    if (group.count !== group.messages.length) return [];
    if (this.#incoming.delete(parts.id)) this.#held -= group.messages.length;
    for (const each of group.messages) each.parts.count = group.count;
    return group.messages;
  }

  /**
   * Takes what the rules decided for a message of a sequence; gives what is to be sent once all its messages have come:
   * by output, sequences of their own.
   */
  regroup(message: PartMessage, onward: Onward): readonly Onward[] {
    const { id, count } = message.parts;
    let group = this.#outgoing.get(id);
    if (group === undefined) {
      group = { received: 0, onwards: [] };
      this.#outgoing.set(id, group);
    }
    group.received++;
    group.onwards.push(onward);
    this.#hold(message);
    if (group.received !== count) return [];
    if (this.#outgoing.delete(id)) this.#held -= group.onwards.length;
    return this.#renumber(group.onwards);
  }

  clear(): void {
    this.#held = 0;
    this.#incoming = new Map();
    this.#outgoing = new Map();
  }

  #hold(message: Message): void {
    this.#held++;
    const limit = this.#deps.limit();
    if (limit <= 0 || this.#held <= limit) return;
    this.clear();
    this.#deps.onTooMany(message);
  }

  #renumber(onwards: readonly Onward[]): Onward[] {
    const { util } = this.#deps;
    const outputs = Math.max(...onwards.map(({ length }) => length));
    const sequences = Array.from({ length: outputs }, (_, output) => ({
      id: util.generateId(),
      count: onwards.filter((onward) => onward[output]).length,
      index: 0,
    }));
    return onwards.map((onward) =>
      sequences.map((sequence, output) => {
        const message = onward[output];
        if (!message) return null;
        const copy = util.cloneMessage(message) as PartMessage;
        Object.assign(copy.parts, { id: sequence.id, index: sequence.index++, count: sequence.count });
        return copy;
      }),
    );
  }
}
