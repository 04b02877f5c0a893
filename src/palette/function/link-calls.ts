import { randomBytes } from 'node:crypto';
import type { Message, PaletteNode, PaletteRed } from '../red.ts';

interface Options {
  /** In milliseconds. */
  timeout?: number;
  clone?: boolean;
}

interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly resolve: (message: Message) => void;
}

/** The calls that the code of a function node has made to `link in` nodes and that have not returned. */
export class LinkCalls {
  readonly #node: PaletteNode;
  readonly #red: PaletteRed;
  readonly #waiting = new Map<string, Waiting>();

  constructor(node: PaletteNode, red: PaletteRed) {
    this.#node = node;
    this.#red = red;
  }

  /**
   * Sends a message to a `link in` node, by id or name; gives the message that a `link out` node returns.
   * @throws where there is no such node, or nothing returns in time (default 5 s).
   */
  readonly call = async (target: unknown, message: unknown, options?: Options): Promise<Message> => {
    const { nodes, util } = this.#red;
    if (typeof target !== 'string' || target.trim() === '') throw this.#failure('linkcallTargetInvalid');
    if (typeof message !== 'object' || message === null) throw this.#failure('linkcallMsgInvalid');
    const to = nodes.linkcallTargets.getTargetNode(this.#node, target, !nodes.getNode(target));
    if (to?.type !== 'link in') throw this.#failure('linkcallTargetNotFound');
    const given = message as Message;
    const sent = options?.clone === false ? given : util.cloneMessage(given);
    const id = randomBytes(14).toString('hex');
    sent['_linkSource'] ||= [];
    (sent['_linkSource'] as object[]).push({ id, node: this.#node.id });
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.#waiting.delete(id);
        reject(new Error('timeout'));
      };
      this.#waiting.set(id, { timer: setTimeout(expire, options?.timeout || 5000), resolve });
      to.receive(sent);
    });
  };

  /** Takes what a `link out` node returns. */
  returned(id: string, message: Message): void {
    const source = message['_linkSource'];
    if (Array.isArray(source) && source.length === 0) delete message['_linkSource'];
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    waiting.resolve(message);
  }

  /** Forgets all calls: nobody waits for them any more. */
  clear(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #failure(key: string): Error {
    return new Error(this.#red._(`function.error.${key}`));
  }
}
