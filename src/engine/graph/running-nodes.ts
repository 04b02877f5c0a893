import type { Node } from '../node/node.ts';

/** The nodes that run, by id; those inside subflow instances too. */
export class RunningNodes {
  readonly #byId = new Map<string, Node>();
  readonly #onChange: () => void;

  /** @param onChange Told when a node came or went: the ends of wires are others now. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Node | undefined {
    return this.#byId.get(id);
  }

  add(id: string, node: Node): void {
    this.#byId.set(id, node);
    this.#onChange();
  }

  /** @param node Forgotten only if it still is the one of that id. */
  delete(id: string, node: Node): void {
    if (this.#byId.get(id) !== node) return;
    this.#byId.delete(id);
    this.#onChange();
  }
}
