import type { FlowConfig } from '../contract/flows.ts';
import type { FlowsPiece } from '../contract/flows-delta.ts';
import { endOfObject } from './json-span.ts';

/** How an array of items is written. */
interface Layout {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly indent: number;
}

/** The ways to write flows: what `JSON.stringify` makes, without and with an indent of four spaces. */
export const layouts = {
  compact: { open: '[', between: ',', close: ']', indent: 0 },
  pretty: { open: '[\n    ', between: ',\n    ', close: '\n]', indent: 4 },
} as const satisfies { readonly [name: string]: Layout };

/**
 * The JSON text of flows, as bytes, that knows where each item begins: the text of the next configuration is made of this
 * one's, as far as the two are the same.
 */
export class FlowText {
  readonly bytes: Buffer;
  readonly #layout: Layout;
  readonly #count: number;
  #begins: Uint32Array | undefined;

  private constructor(bytes: Buffer, layout: Layout, count: number, begins?: Uint32Array) {
    this.bytes = bytes;
    this.#layout = layout;
    this.#count = count;
    this.#begins = begins;
  }

  /** Writes flows. */
  static of(flows: FlowConfig, layout: Layout): FlowText {
    return new FlowText(Buffer.from(JSON.stringify(flows, null, layout.indent)), layout, flows.length);
  }

  /** The text of flows that are told by the ones that this is the text of. */
  next(pieces: readonly FlowsPiece[]): FlowText {
    if (pieces.length === 0) return FlowText.of([], this.#layout);
    const { open, between, close, indent } = this.#layout;
    const parts = pieces.map((piece): Part => {
      if (piece.is === 'kept') return { bytes: this.#span(piece.from, piece.count), piece };
      const text = JSON.stringify(piece.items, null, indent);
      return { bytes: Buffer.from(text.slice(open.length, -close.length)), piece };
    });
    const length = parts.reduce((sum, { bytes }) => sum + bytes.length + between.length, 0);
    const bytes = Buffer.allocUnsafe(open.length + length - between.length + close.length);
    const begins = new Uint32Array(pieces.reduce((sum, piece) => sum + countOf(piece), 0) + 1);
    let at = bytes.write(open);
    let item = 0;
    for (const part of parts) {
      if (item > 0) at += bytes.write(between, at);
      item = this.#note(begins, item, at, part);
      at += part.bytes.copy(bytes, at);
    }
    begins[item] = at + between.length;
    bytes.write(close, at);
    return new FlowText(bytes, this.#layout, item, begins);
  }

  /** How many items from this one on another text has, byte for byte and one after the other, at a place. */
  countSame(from: number, other: Buffer, at: number): number {
    if (from >= this.#count) return 0;
    const begins = this.#index();
    const start = begins[from] as number;
    const same = lengthOfSame(this.bytes, start, other, at) + this.#layout.between.length;
    // The last item that begins, or would, within what is the same.
    let [low, high] = [from, this.#count];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((begins[middle] as number) - start <= same) low = middle;
      else high = middle - 1;
    }
    return low - from;
  }

  /** The length, in bytes, of some items that lie one after the other. */
  lengthOf(from: number, count: number): number {
    return this.#span(from, count).length;
  }

  #span(from: number, count: number): Buffer {
    const begins = this.#index();
    const end = (begins[from + count] as number) - this.#layout.between.length;
    return this.bytes.subarray(begins[from], end);
  }

  /** Where each item begins, and where one more would. */
  #index(): Uint32Array {
    if (this.#begins !== undefined) return this.#begins;
    this.#begins = new Uint32Array(this.#count + 1);
    const { open, between } = this.#layout;
    noteBegins(this.#begins, this.bytes.subarray(open.length), open.length, between.length);
    return this.#begins;
  }

  #note(begins: Uint32Array, item: number, at: number, { bytes, piece }: Part): number {
    const count = countOf(piece);
    if (piece.is === 'new') {
      noteBegins(begins.subarray(item, item + count + 1), bytes, at, this.#layout.between.length);
    } else {
      const old = this.#index();
      const shift = at - (old[piece.from] as number);
      for (let i = 0; i < count; i++) begins[item + i] = (old[piece.from + i] as number) + shift;
    }
    return item + count;
  }
}

interface Part {
  readonly bytes: Buffer;
  readonly piece: FlowsPiece;
}

function countOf(piece: FlowsPiece): number {
  return piece.is === 'kept' ? piece.count : piece.items.length;
}

/**
 * Notes where items begin, and where one more would.
 * @param items the text of the items, which are one fewer than `begins`
 * @param offset where that text lies
 * @param gap how far apart two items are
 */
function noteBegins(begins: Uint32Array, items: Buffer, offset: number, gap: number): void {
  let at = 0;
  for (let item = 0; item < begins.length; item++) {
    begins[item] = offset + at;
    at = endOfObject(items, at) + gap;
  }
}

/** How many bytes from two places on are the same. */
function lengthOfSame(one: Buffer, from: number, other: Buffer, at: number): number {
  const most = Math.min(one.length - from, other.length - at);
  const isSame = (begin: number, end: number) =>
    one.compare(other, at + begin, at + end, from + begin, from + end) === 0;
  let same = 0;
  // First by ever larger steps, then by ever smaller ones.
  let step = 256;
  while (same < most) {
    const end = Math.min(same + step, most);
    if (!isSame(same, end)) break;
    same = end;
    step *= 2;
  }
  for (step = Math.min(step, most - same); step >= 1; step = step >>> 1) {
    while (same + step <= most && isSame(same, same + step)) same += step;
  }
  return same;
}
