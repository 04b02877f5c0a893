import {
  type Jsonata,
  type JsonataExpression,
  loadJsonata,
  loadSynchronousJsonata,
  NeedsToWait,
} from './jsonata-library.ts';

/** Both libraries, each loaded when it is first needed. */
export class JsonataLibraries {
  readonly #cloneMessage: (message: unknown) => unknown;
  #waiting: Jsonata | undefined;
  #direct: Jsonata<unknown> | undefined;

  constructor(cloneMessage: (message: unknown) => unknown) {
    this.#cloneMessage = cloneMessage;
  }

  /** Compiles for evaluation that may wait for promises. */
  waiting(text: string): JsonataExpression {
    this.#waiting ??= loadJsonata();
    return this.#withClone(this.#waiting(text));
  }

  /** Compiles for evaluation at once. */
  direct(text: string): JsonataExpression<unknown> {
    this.#direct ??= loadSynchronousJsonata();
    return this.#withClone(this.#direct(text));
  }

  #withClone<T>(expression: JsonataExpression<T>): JsonataExpression<T> {
    expression.registerFunction('clone', this.#cloneMessage, '<(oa)-:o>');
    return expression;
  }
}

/** An expression that is compiled once for all nodes; each brings its bindings to the evaluation. */
export class CompiledExpression {
  readonly text: string;
  readonly #libraries: JsonataLibraries;
  readonly #direct: JsonataExpression<unknown>;
  #waiting: JsonataExpression | undefined;
  #mustWait: boolean;

  /** @throws what the parser throws. */
  constructor(text: string, libraries: JsonataLibraries) {
    this.text = text;
    this.#libraries = libraries;
    this.#direct = libraries.direct(text);
    // `$eval` reports whatever is thrown inside it as its own failure.
    this.#mustWait = text.includes('eval');
  }

  /**
   * Evaluates at once where nothing has to be waited for, else (from then on) with promises.
   * @throws what fails, if it fails at once.
   */
  evaluate(input: unknown, bindings: Readonly<Record<string, unknown>>): unknown {
    if (!this.#mustWait) {
      try {
        return this.#direct.evaluate(input, bindings);
      } catch (error) {
        if (!(error instanceof NeedsToWait) && !isStackOverflow(error)) throw error;
        this.#mustWait = true;
      }
    }
    this.#waiting ??= this.#libraries.waiting(this.text);
    return this.#waiting.evaluate(input, bindings);
  }

  ast(): unknown {
    return this.#direct.ast();
  }

  errors(): unknown {
    return this.#direct.errors();
  }
}

/** Evaluation with promises goes deeper: it leaves the stack at every step. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
