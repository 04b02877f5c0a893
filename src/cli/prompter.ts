import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './usage-error.ts';

/** Asks questions on the terminal, or reads the answers line by line where the input is not one. */
export class Prompter implements Disposable {
  readonly #readline: Interface;
  readonly #lines: AsyncIterator<string>;
  readonly #output: NodeJS.WriteStream;
  #echo = true;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#output = output;
    const terminal = input.isTTY === true;
    // What is typed is echoed through this stream, so that a password is not.
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#echo) output.write(chunk);
        done();
      },
    });
    this.#readline = createInterface({ input, output: terminal ? echo : undefined, terminal });
    this.#readline.on('SIGINT', () => {
      output.write('\n');
      this.#readline.close();
    });
    this.#lines = this.#readline[Symbol.asyncIterator]();
  }

  /** One line; the default where it is empty. */
  async ask(question: string, fallback = ''): Promise<string> {
    this.#output.write(fallback === '' ? `${question}: ` : `${question} [${fallback}]: `);
    return (await this.#line()).trim() || fallback;
  }

  /** One line that is not shown while it is typed, and not trimmed. */
  async askSecret(question: string): Promise<string> {
    this.#output.write(`${question}: `);
    this.#echo = false;
    try {
      return await this.#line();
    } finally {
      this.#echo = true;
      this.#output.write('\n');
    }
  }

  async #line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done) throw new UsageError('the input ended before every question was answered');
    return next.value;
  }

  [Symbol.dispose](): void {
    this.#readline.close();
  }
}
