import { constants } from 'node:buffer';

/** Cuts a text that comes in chunks into its lines. */
export class Lines {
  readonly #longest: number;
  /** The beginning of a line whose end has not come, and its length. */
  #begun: string[] = [];
  #length = 0;

  /** @param longest how many characters a line may have */
  constructor(longest = constants.MAX_STRING_LENGTH) {
    this.#longest = longest;
  }

  /** A line has more characters than it may have; nothing more can be read. */
  get isTooLong(): boolean {
    return this.#length > this.#longest;
  }

  /** The lines that end with this chunk. */
  cut(chunk: string): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#add(chunk.slice(from, end));
      if (this.isTooLong) return lines;
      lines.push(this.#begun.join(''));
      this.#begun = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#add(chunk.slice(from));
    return lines;
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.isTooLong) this.#begun = [];
    else this.#begun.push(part);
  }
}
