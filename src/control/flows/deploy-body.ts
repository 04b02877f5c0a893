import type { FlowItem } from '../../contract/flows.ts';
import { endOfObject } from '../../storage/json-span.ts';
import type { SerialisedFlows } from '../../storage/serialised-flows.ts';
import type { ParseJson } from '../http/bodies.ts';

/** How the body of a deploy begins, if whoever sends it wrote no white space: version 2, version 1. */
const beginnings = ['{"flows":[', '['].map((text) => Buffer.from(text));
const [quote, comma, closeBracket] = [0x22, 0x2c, 0x5d];

/**
 * Parses the body of a deploy. An item whose text is that of an item of `known` is not parsed: it is that very object.
 * @remarks What can't be read so (white space between the items, not JSON at all) is parsed as a whole.
 */
export function parseDeployBody(body: Buffer, known: SerialisedFlows, parse: ParseJson): unknown {
  try {
    return parseByItems(body, known, parse) ?? parse(body.toString());
  } catch {
    // Again as a whole: what is wrong is then told of the body as it came.
    return parse(body.toString());
  }
}

function parseByItems(body: Buffer, known: SerialisedFlows, parse: ParseJson): unknown {
  const beginning = beginnings.find((bytes) => body.subarray(0, bytes.length).equals(bytes));
  if (beginning === undefined) return undefined;
  const reader = new ItemReader(body, beginning.length, known);
  if (!reader.read()) return undefined;
  const rest = body.toString('utf8', reader.at);
  // Named a second time, the flows are those.
  if (/"flows"|\\/.test(rest)) return undefined;
  const parsed = parse(`${beginning}${reader.unknown}${rest}`);
  if (Array.isArray(parsed)) return reader.items(parsed);
  const { flows, ...others } = parsed as { readonly flows: readonly FlowItem[] };
  return { ...others, flows: reader.items(flows) };
}

/** Items as they come: known ones, and stretches of text that are not known, each with where its items go. */
class ItemReader {
  at: number;
  readonly #body: Buffer;
  readonly #known: SerialisedFlows;
  readonly #items: FlowItem[] = [];
  readonly #unknown: { readonly first: number; count: number; readonly begin: number; end: number }[] = [];

  constructor(body: Buffer, at: number, known: SerialisedFlows) {
    this.#body = body;
    this.at = at;
    this.#known = known;
  }

  /** Reads up to the bracket that ends the items; `false` where the text is not as expected. */
  read(): boolean {
    let expected = 0;
    for (;;) {
      const from = this.#find(expected);
      const count = from < 0 ? 0 : this.#known.text.countSame(from, this.#body, this.at);
      if (count > 0) {
        this.#take(from, count);
        expected = from + count;
      } else {
        if (!this.#skip()) return false;
        // It takes the place of the known item whose id it has.
        if (from >= 0) expected = from + 1;
      }
      if (this.#body[this.at] === closeBracket) return true;
      if (this.#body[this.at++] !== comma) return false;
    }
  }

  /** The text of the items that are not known. */
  get unknown(): string {
    return this.#unknown.map(({ begin, end }) => this.#body.toString('utf8', begin, end)).join(',');
  }

  /** All items, once those that are not known have been parsed. */
  items(parsed: readonly FlowItem[]): readonly FlowItem[] {
    let next = 0;
    for (const { first, count } of this.#unknown) {
      for (let i = 0; i < count; i++) this.#items[first + i] = parsed[next++] as FlowItem;
    }
    return this.#items;
  }

  /** The known item that this one may be, going by its id if that comes first; else the one expected. */
  #find(expected: number): number {
    const head = '{"id":"';
    const begin = this.at + head.length;
    if (this.#body.toString('latin1', this.at, begin) !== head) return expected;
    return this.#known.places.find(
      this.#body.toString('utf8', begin, this.#body.indexOf(quote, begin)),
      expected,
    );
  }

  #take(from: number, count: number): void {
    for (let i = from; i < from + count; i++) this.#items.push(this.#known.flows[i] as FlowItem);
    this.at += this.#known.text.lengthOf(from, count);
  }

  #skip(): boolean {
    const end = endOfObject(this.#body, this.at);
    if (end < 0) return false;
    const last = this.#unknown.at(-1);
    if (last !== undefined && last.first + last.count === this.#items.length) {
      last.count++;
      last.end = end;
    } else {
      this.#unknown.push({ first: this.#items.length, count: 1, begin: this.at, end });
    }
    // Its place is kept for it.
    this.#items.push(undefined as never);
    this.at = end;
    return true;
  }
}
