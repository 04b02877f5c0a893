/** One step of a property path: a name or an array index; nested steps stand for a reference such as `[msg.topic]`. */
export type PathStep = string | number | readonly PathStep[];

/** A reference inside an expression, `a[msg.topic]`: its value becomes a step when the path is followed. */
interface Reference {
  readonly text: string;
  /** Index of the text in the expression, for error messages. */
  readonly at: number;
}

/** A property expression, parsed. */
export interface ParsedExpression {
  readonly steps: readonly (string | number | Reference)[];
  /** The steps, where none is a reference. */
  readonly fixed: readonly (string | number)[] | undefined;
}

/** What is thrown for a property expression that can't be parsed, as node modules know it. */
export function invalidExpression(message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code: 'INVALID_EXPR' });
}

/**
 * Parses a property expression: names joined by dots, `["name"]`, `[0]`, `[msg.x]`.
 * @remarks Accepts what the peer accepts, oddities included (`a[0.1]`, `a[0]"b"`), because flows in use depend on it. A
 * digits-only step is a number if a dot or a closing bracket ends it, else text (`a.0` ends in `"0"`).
 * @throws an error with code `INVALID_EXPR` that names the character and its position.
 */
export function parseExpression(text: string): ParsedExpression {
  if (text.length === 0) throw invalid('zero-length');
  const steps = new Scanner(text).scan();
  const fixed = steps.filter((step) => typeof step !== 'object');
  return { steps, fixed: fixed.length === steps.length ? fixed : undefined };
}

const invalid = (what: string): Error => invalidExpression(`Invalid property expression: ${what}`);
const digits = /^\d+$/;
const startsName = /[a-z0-9$_]/i;
const startsReference = /^msg[.[]/;

/** Reads an expression once, left to right. */
class Scanner {
  readonly #text: string;
  readonly #steps: (string | number | Reference)[] = [];
  /** Index of the character being read. */
  #at = 0;
  /** Where the step being read starts. */
  #start = 0;
  #inBrackets = false;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): (string | number | Reference)[] {
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '"' || character === "'") this.#quoted(character);
      else if (character === '.') this.#dot();
      else if (character === '[') this.#open();
      else if (character === ']') this.#close();
      else if (character === ' ') throw invalid(`unexpected ' ' at position ${this.#at}`);
    }
    if (this.#inBrackets) throw invalid('unterminated expression');
    if (this.#start < this.#text.length) this.#steps.push(this.#text.slice(this.#start));
    return this.#steps;
  }

  /** From an opening quote to the closing one. */
  #quoted(quote: string): void {
    if (this.#at !== this.#start) throw this.#unexpected(this.#at);
    const start = this.#at + 1;
    const end = this.#text.indexOf(quote, start);
    if (end < 0) throw invalid('unterminated expression');
    if (end === start) throw invalid(`zero-length string at position ${start}`);
    this.#steps.push(this.#text.slice(start, end));
    const next = this.#text[end + 1];
    if (this.#inBrackets) {
      if (next !== ']') throw invalid(`unexpected array expression at position ${start}`);
    } else if (next !== undefined && next !== '[' && next !== '.') {
      throw invalid(`unexpected ${next} expression at position ${end + 1}`);
    }
    this.#at = end;
    this.#start = end + 1;
  }

  #dot(): void {
    if (this.#at === 0) throw this.#unexpected(0);
    if (this.#start !== this.#at) {
      const step = this.#text.slice(this.#start, this.#at);
      this.#steps.push(digits.test(step) ? Number(step) : step);
    }
    const next = this.#text[this.#at + 1];
    if (next === undefined) throw invalid('unterminated expression');
    if (!startsName.test(next)) throw this.#unexpected(this.#at + 1);
    this.#start = this.#at + 1;
  }

  #open(): void {
    if (this.#at === 0) throw this.#unexpected(0);
    if (this.#start !== this.#at) this.#steps.push(this.#text.slice(this.#start, this.#at));
    const next = this.#text[this.#at + 1];
    if (next === undefined) throw invalid('unterminated expression');
    if (startsReference.test(this.#text.slice(this.#at + 1))) {
      const end = this.#endOfReference();
      this.#steps.push({ text: this.#text.slice(this.#at + 1, end), at: this.#at + 1 });
      this.#inBrackets = false;
      this.#at = end;
    } else {
      if (next !== '"' && next !== "'" && !digits.test(next)) throw this.#unexpected(this.#at + 1);
      this.#inBrackets = true;
    }
    this.#start = this.#at + 1;
  }

  /** Index of the bracket that closes the one being read. Brackets count inside quotes too. */
  #endOfReference(): number {
    let depth = 1;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      if (this.#text[at] === '[') depth++;
      else if (this.#text[at] === ']') depth--;
      if (depth === 0) return at;
    }
    throw invalid(`unmatched '[' at position ${this.#at}`);
  }

  #close(): void {
    if (!this.#inBrackets) throw this.#unexpected(this.#at);
    if (this.#start !== this.#at) {
      const step = this.#text.slice(this.#start, this.#at);
      if (!digits.test(step)) throw invalid(`unexpected array expression at position ${this.#start}`);
      this.#steps.push(Number(step));
    }
    this.#start = this.#at + 1;
    this.#inBrackets = false;
  }

  #unexpected(at: number): Error {
    return invalid(`unexpected ${this.#text[at]} at position ${at}`);
  }
}
