import { createHash } from 'node:crypto';
import type { FlowConfig, Revision } from '../contract/flows.ts';
import { type FlowsDelta, piecesOf } from '../contract/flows-delta.ts';
import { ItemPlaces } from '../contract/item-places.ts';
import { FlowText, layouts } from './flow-text.ts';

/** Flows with their compact JSON, which is made once and used for the revision, the file and the API's answers. */
export class SerialisedFlows {
  readonly flows: FlowConfig;
  readonly text: FlowText;
  /** Where its items are. */
  readonly places: ItemPlaces;
  #rev: Revision | undefined;

  private constructor(flows: FlowConfig, text: FlowText) {
    this.flows = flows;
    this.text = text;
    this.places = new ItemPlaces(flows);
  }

  /** Serialises flows. */
  static of(flows: FlowConfig): SerialisedFlows {
    return new SerialisedFlows(flows, FlowText.of(flows, layouts.compact));
  }

  /** SHA-256, in hex, of the compact JSON: the peer's revision of the same flows. */
  get rev(): Revision {
    this.#rev ??= createHash('sha256').update(this.text.bytes).digest('hex');
    return this.#rev;
  }

  /**
   * Serialises the flows that come next; items that are the same objects as here are not serialised again.
   * @returns with them what tells them by these, where that is less
   */
  next(flows: FlowConfig): { readonly serialised: SerialisedFlows; readonly delta?: FlowsDelta } {
    const pieces = piecesOf(this.places, flows);
    const serialised = new SerialisedFlows(flows, this.text.next(pieces));
    const isLess = pieces.some((piece) => piece.is === 'kept');
    return { serialised, ...(isLess ? { delta: { base: this.rev, pieces } } : {}) };
  }
}
