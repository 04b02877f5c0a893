import { batchable, type Done, type Message, type PaletteRed, type Send } from '../red.ts';
import { describeFailure } from './failure.ts';
import { type Library, loadLibraries } from './libraries.ts';
import { LinkCalls } from './link-calls.ts';
import { Program, TimedOut } from './program.ts';
import { sendResults } from './results.ts';
import { createSandbox, type ScriptedNode, sandboxNames } from './sandbox.ts';
import { Timers } from './timers.ts';

interface FunctionConfig {
  readonly name?: string;
  readonly func: string;
  readonly outputs?: unknown;
  /** In seconds. */
  readonly timeout?: number | string;
  readonly initialize?: string;
  readonly finalize?: string;
  readonly libs?: readonly Library[];
  readonly topic?: unknown;
}

/** What others see of a function node. */
interface FunctionNode extends ScriptedNode {
  func: string;
  outputs: unknown;
  /** In milliseconds. */
  timeout: number;
  ini: string;
  fin: string;
  libs: readonly Library[];
  topic: unknown;
  outstandingTimers: Timers['timeouts'];
  outstandingIntervals: Timers['intervals'];
  linkcall: LinkCalls['call'];
  returnLinkMessage: LinkCalls['returned'];
  [batchable]?: boolean;
}

type Waiting = readonly [message: Message, send: Send, done: Done];

/** The type `function`: runs code of the user for each message. */
function functionSet(RED: PaletteRed): void {
  const showsDuration = Boolean(process.env['NODE_RED_FUNCTION_TIME']);

  function FunctionNode(this: FunctionNode, config: FunctionConfig): void {
    RED.nodes.createNode(this, config);
    describe(this, config);
    if (RED.settings['functionExternalModules'] === false && this.libs.length > 0) {
      throw new Error(RED._('function.error.externalModuleNotAllowed'));
    }
    const timers = new Timers(this);
    this.outstandingTimers = timers.timeouts;
    this.outstandingIntervals = timers.intervals;
    const linkCalls = new LinkCalls(this, RED);
    this.linkcall = linkCalls.call;
    this.returnLinkMessage = (id, message) => linkCalls.returned(id, message);
    const libraries = loadLibraries({ node: this, RED }, this.libs);
    const globalLimit = Number(RED.settings['globalFunctionTimeout'] ?? 0) * 1000;
    const create = (modules: Record<string, unknown>) =>
      new Program(
        {
          id: this.id,
          name: this.name,
          body: this.func,
          setup: this.ini,
          cleanup: this.fin,
          createSandbox: () => ({
            ...createSandbox({ node: this, RED, timers, linkCalls }),
            ...modules,
          }),
          limitMs: this.timeout > 0 ? this.timeout : globalLimit,
          breakOnSigint: this.timeout > 0,
        },
        [...sandboxNames, ...Object.keys(modules)],
      );
    const runner = new Runner(this, RED, showsDuration);
    this.on('input', (message: Message, send: Send, done: Done) => runner.take(message, send, done));
    this.on('close', () => {
      runner.cleanUp();
      timers.clear();
      linkCalls.clear();
      if (this.clearStatus) this.status({});
    });
    if (libraries === undefined) {
      this[batchable] = runner.start(() => create({}))?.finishesAtOnce === true;
    } else {
      libraries.then(
        (modules) => void runner.start(() => create(modules)),
        () => this.error(RED._('function.error.externalModuleLoadError')),
      );
    }
  }

  RED.nodes.registerType('function', FunctionNode, {
    dynamicModuleList: 'libs',
    settings: {
      functionExternalModules: { value: true, exportable: true },
      functionTimeout: { value: 0, exportable: true },
    },
  });
  RED.library.register('functions');
}

function describe(node: FunctionNode, config: FunctionConfig): void {
  if (config.name !== undefined) node.name = config.name;
  node.func = config.func ?? '';
  node.outputs = config.outputs;
  node.timeout = Number(config.timeout) * 1000;
  node.ini = config.initialize?.trim() ?? '';
  node.fin = config.finalize?.trim() ?? '';
  node.libs = config.libs ?? [];
  node.topic = config.topic;
  node.clearStatus = false;
}

/** Runs the program of a node: its setup, then for each message its body. Messages wait for the setup. */
class Runner {
  readonly #node: FunctionNode;
  readonly #red: PaletteRed;
  readonly #showsDuration: boolean;
  #state: 'preparing' | 'ready' | 'failed' = 'preparing';
  #program: Program | undefined;
  #waiting: Waiting[] = [];

  constructor(node: FunctionNode, red: PaletteRed, showsDuration: boolean) {
    this.#node = node;
    this.#red = red;
    this.#showsDuration = showsDuration;
  }

  /** Compiles, and runs the setup; gives the program where it compiles. */
  start(create: () => Program): Program | undefined {
    try {
      const program = create();
      this.#program = program;
      if (!program.hasSetup) {
        this.#ready();
      } else {
        program
          .setUp((messages) => this.#node.send(messages))
          .then(
            () => this.#ready(),
            (error: unknown) => this.#fail(error),
          );
      }
      return program;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  take(message: Message, send: Send, done: Done): void {
    if (this.#state === 'ready') this.#run(message, send, done);
    else if (this.#state === 'preparing') this.#waiting.push([message, send, done]);
  }

  cleanUp(): void {
    try {
      this.#program?.cleanUp();
    } catch (error) {
      this.#node.error(error);
    }
  }

  #ready(): void {
    // Messages that come meanwhile stay behind those that wait.
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      this.#run(...next);
    this.#state = 'ready';
  }

  #fail(error: unknown): void {
    this.#state = 'failed';
    this.#waiting = [];
    this.#node.error(error);
  }

  #run(message: Message, send: Send, done: Done): void {
    const started = this.#showsDuration || this.#node.metric() ? process.hrtime.bigint() : undefined;
    const program = this.#program as Program;
    const report = (thrown: unknown) => done(describeFailure(thrown, message));
    try {
      const results = program.run(message, send, done);
      if (isThenable(results)) {
        Promise.resolve(results)
          .then((later) => {
            this.#finish(later, message, send, done, started);
          })
          .catch(report);
      } else {
        this.#finish(results, message, send, done, started);
      }
    } catch (thrown) {
      if (thrown instanceof TimedOut) done(thrown.cause);
      else report(thrown);
    }
  }

  #finish(results: unknown, message: Message, send: Send, done: Done, started: bigint | undefined): void {
    const sender = { node: this.#node, RED: this.#red };
    sendResults(sender, { send, id: message._msgid, clone: false }, results);
    if (this.#program?.completes === false) done();
    if (started === undefined) return;
    const ms = Math.floor(Number(process.hrtime.bigint() - started) / 10_000) / 100;
    this.#node.metric('duration', message, ms);
    if (this.#showsDuration) this.#node.status({ fill: 'yellow', shape: 'dot', text: `${ms}` });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

export default functionSet;
// What `require` gives.
export { functionSet as 'module.exports' };
