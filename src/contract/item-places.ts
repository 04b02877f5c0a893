import type { FlowConfig } from './flows.ts';

/** Where the items of a configuration are. */
export class ItemPlaces {
  readonly flows: FlowConfig;
  #byId: ReadonlyMap<string, number> | undefined;

  constructor(flows: FlowConfig) {
    this.flows = flows;
  }

  /**
   * The index of the item with this id; -1 where there is none.
   * @param expected where it is if nothing was added, removed or moved; looked at first, which mostly saves an index of
   * all ids
   */
  find(id: string, expected: number): number {
    if (this.flows[expected]?.id === id) return expected;
    this.#byId ??= new Map(this.flows.map((item, index) => [item.id, index]));
    return this.#byId.get(id) ?? -1;
  }
}
