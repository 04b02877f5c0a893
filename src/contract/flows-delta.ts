import type { FlowConfig, FlowItem, Revision } from './flows.ts';
import type { ItemPlaces } from './item-places.ts';

/** A stretch of a configuration: some items of an earlier one as they are, or new ones. */
export type FlowsPiece =
  | { readonly is: 'kept'; readonly from: number; readonly count: number }
  | { readonly is: 'new'; readonly items: FlowConfig };

/** A configuration, told by an earlier one. */
export interface FlowsDelta {
  readonly base: Revision;
  /** In order; together they are the whole configuration. */
  readonly pieces: readonly FlowsPiece[];
}

/**
 * Tells a configuration by an earlier one.
 * @remarks An item is kept where it is the same object: whoever reads a configuration sees to it that what did not change
 * is. An equal one counts as new, which costs time and is not wrong.
 */
export function piecesOf(before: ItemPlaces, after: FlowConfig): readonly FlowsPiece[] {
  const pieces: FlowsPiece[] = [];
  let added: FlowItem[] = [];
  const endAdded = () => {
    if (added.length > 0) pieces.push({ is: 'new', items: added });
    added = [];
  };
  let expected = 0;
  for (let at = 0; at < after.length; ) {
    const item = after[at] as FlowItem;
    const from = before.flows[expected] === item ? expected : before.find(item.id, expected);
    if (from < 0 || before.flows[from] !== item) {
      added.push(item);
      at++;
      // What has the id of an earlier item takes its place; what has not came in between.
      if (from >= 0) expected = from + 1;
      continue;
    }
    endAdded();
    const begin = at;
    while (at < after.length && after[at] === before.flows[from + at - begin]) at++;
    pieces.push({ is: 'kept', from, count: at - begin });
    expected = from + at - begin;
  }
  endAdded();
  return pieces;
}

/** Makes the configuration that the pieces tell, out of the one that they were told by. */
export function joinPieces(before: FlowConfig, pieces: readonly FlowsPiece[]): FlowConfig {
  return pieces.flatMap((piece) =>
    piece.is === 'kept' ? before.slice(piece.from, piece.from + piece.count) : piece.items,
  );
}
