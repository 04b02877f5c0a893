import { type Context, createContext, Script } from 'node:vm';
import type { Done, Message, Send } from '../red.ts';
import { type Analysis, analyse, callsDone } from './analyse.ts';
import { bodySource, cleanupSource, setupSource } from './source.ts';

/** Objects of the language that a function may speak of; in a sandbox each look-up of them takes long. */
const language: ReadonlySet<string> = new Set(
  `Object Array String Number Boolean Math JSON Map Set WeakMap Error TypeError RangeError RegExp Symbol BigInt
   parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent Uint8Array ArrayBuffer`.split(
    /\s+/,
  ),
);

/** The three texts of a function node, and how they are run. */
export interface ProgramOptions {
  readonly id: string;
  readonly name: string | undefined;
  readonly body: string;
  /** Empty where there is none. */
  readonly setup: string;
  readonly cleanup: string;
  /** Makes what the code sees as its global object. */
  readonly createSandbox: () => Record<string, unknown>;
  /** Time that body and setup may take, in milliseconds; 0: no limit. */
  readonly limitMs: number;
  /** Of a limit of the node itself: Ctrl+C ends the code too. */
  readonly breakOnSigint: boolean;
}

type Body = (message: Message, send: Send, done: Done) => unknown;

/**
 * The code of one function node: compiled once, in a context of its own that is made when it is first needed.
 * @remarks A body that finishes at once is a plain function and is called as one.
 */
export class Program {
  readonly #options: ProgramOptions;
  readonly #analysis: Analysis | undefined;
  readonly #bodyScript: Script;
  readonly #setupScript: Script | undefined;
  readonly #cleanupScript: Script | undefined;
  readonly #handed: readonly string[];
  /** Code outside of the body speaks of `msg`: it finds the latest message under that name. */
  readonly #keepsMessage: boolean;
  #sandbox: Record<string, unknown> | undefined;
  #context: Context | undefined;
  #body: Body | undefined;

  /** @throws SyntaxError, whose message ends in the line of the user's text. */
  constructor(options: ProgramOptions, sandboxNames: readonly string[]) {
    this.#options = options;
    const { body, setup, cleanup } = options;
    const analysis = analyse(body);
    this.#analysis = analysis;
    this.#handed = handedOver(analysis, [setup, cleanup], sandboxNames);
    this.#keepsMessage =
      [setup, cleanup].some((text) => /\bmsg\b/.test(text)) || analysis?.names.has('Function') !== false;
    if (setup !== '') this.#setupScript = compile(setupSource(setup), options, 'setup');
    const source = bodySource(body, {
      // What it leaves to promises keeps its place before the results, which wait for a promise of their own.
      isAsync: !this.finishesAtOnce,
      usesNode: analysis?.names.has('node') ?? true,
      handed: this.#handed,
    });
    // Text that closes one function and opens another must not find a place among our own.
    if (analysis === undefined) compile(`(async function(){\n${body}\n})`, options, 'body');
    this.#bodyScript = compile(source, options, 'body');
    if (cleanup !== '') this.#cleanupScript = compile(cleanupSource(cleanup), options, 'cleanup');
  }

  /** Whether the code says itself when it has done with a message. */
  get completes(): boolean {
    return this.#analysis?.completes ?? callsDone.test(this.#options.body);
  }

  /** Whether all that a message sets off has happened when {@link Program.run} returns. */
  get finishesAtOnce(): boolean {
    return this.#analysis?.finishesAtOnce ?? false;
  }

  get hasSetup(): boolean {
    return this.#setupScript !== undefined;
  }

  /**
   * Gives the function a message.
   * @returns what it returns: if it waits, a promise.
   * @throws what it throws, {@link TimedOut} around it if its time was up.
   */
  run(message: Message, send: Send, done: Done): unknown {
    this.#body ??= this.#makeBody();
    // Called without an object, so that its `this` is its own global object.
    const body = this.#body;
    if (this.#keepsMessage) this.#ensureContext()['msg'] = message;
    if (this.#options.limitMs <= 0) return body(message, send, done);
    return this.#withLimit(() => body(message, send, done));
  }

  /** Runs the setup code. @param send Where its messages go. */
  setUp(send: Send): Promise<unknown> {
    const context = this.#ensureContext();
    context['__initSend__'] = send;
    const { limitMs, breakOnSigint } = this.#options;
    const limit = breakOnSigint && limitMs > 0 ? { timeout: limitMs, breakOnSigint } : {};
    return Promise.resolve(this.#setupScript?.runInContext(context, limit));
  }

  /** Runs the clean-up code. @throws what it throws. */
  cleanUp(): void {
    if (this.#cleanupScript === undefined) return;
    this.#cleanupScript.runInContext(this.#ensureContext(), this.#limit());
  }

  #limit(): { timeout?: number; breakOnSigint?: boolean } {
    const { limitMs, breakOnSigint } = this.#options;
    if (limitMs <= 0) return {};
    return breakOnSigint ? { timeout: limitMs, breakOnSigint } : { timeout: limitMs };
  }

  #withLimit(call: () => unknown): unknown {
    const context = this.#ensureContext();
    let outcome: { readonly value: unknown } | { readonly thrown: unknown } | undefined;
    // Errors of the code must not be mistaken for the limit's.
    context['__call__'] = () => {
      try {
        outcome = { value: call() };
      } catch (thrown) {
        outcome = { thrown };
      }
    };
    try {
      callScript.runInContext(context, this.#limit());
    } catch (error) {
      throw new TimedOut(error);
    }
    if (outcome === undefined) return undefined;
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.value;
  }

  #ensureContext(): Context {
    this.#sandbox ??= this.#options.createSandbox();
    this.#context ??= createContext(this.#sandbox);
    return this.#context;
  }

  #makeBody(): Body {
    const context = this.#ensureContext();
    const make = this.#bodyScript.runInContext(context) as (...values: unknown[]) => Body;
    const sandbox = this.#sandbox as Record<string, unknown>;
    const values = this.#handed.map((name) =>
      Object.hasOwn(sandbox, name) ? sandbox[name] : (new Script(name).runInContext(context) as unknown),
    );
    return make(...values);
  }
}

/** The time of a function was up. */
export class TimedOut extends Error {
  constructor(cause: unknown) {
    super('The function took too long', { cause });
  }
}

const callScript = new Script('__call__()');

/** The names that the body speaks of and that nobody gives another value. */
function handedOver(
  body: Analysis | undefined,
  others: readonly string[],
  sandboxNames: readonly string[],
): readonly string[] {
  if (body === undefined) return [];
  const analysed = others.map(analyse);
  const isFixed = (name: string) =>
    !body.assigned.has(name) && analysed.every((other) => other !== undefined && !other.assigned.has(name));
  const known = new Set([...sandboxNames, ...language]);
  return [...(body.names.has('node') ? ['__node__'] : []), ...body.names].filter(
    (name, at, all) => known.has(name) && all.indexOf(name) === at && isFixed(name),
  );
}

function compile(source: string, { id, name }: ProgramOptions, kind: 'setup' | 'body' | 'cleanup'): Script {
  const title = kind === 'body' ? '' : ` ${kind}`;
  try {
    return new Script(source, { filename: `Function node${title}:${id}${name ? ` [${name}]` : ''}` });
  } catch (error) {
    if (error instanceof Error) addLine(error, kind);
    throw error;
  }
}

/** The first line of the stack of a SyntaxError is `<file>:<line>`. */
function addLine(error: Error, kind: string): void {
  const found = /^[^:]+:[^:]+:(?<line>\d+)/.exec(error.stack ?? '')?.groups;
  if (found?.['line'] !== undefined) error.message += ` (${kind}:line ${Number(found['line']) - 1})`;
}
