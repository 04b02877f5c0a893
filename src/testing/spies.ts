import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

/** A call that a spy has seen. */
export interface SpyCall {
  readonly args: readonly unknown[];
  readonly thisValue: unknown;
  readonly returnValue: unknown;
}

/** A spy of sinon, as far as it is used here; specs use all of it. */
export interface Spy {
  (...values: unknown[]): unknown;
  readonly called: boolean;
  readonly callCount: number;
  readonly args: readonly (readonly unknown[])[];
  readonly lastCall: SpyCall;
  // biome-ignore lint/suspicious/noExplicitAny: the whole interface of sinon's spies, without its types
  readonly [member: string]: any;
}

interface Sandbox {
  spy(target: object, method: string): Spy;
  spy(): Spy;
  restore(): void;
}

/** The methods of a node that are spied on while flows are loaded. */
const spiedMethods = ['log', 'status', 'warn', 'error', 'debug', 'trace', 'send'] as const;

/**
 * Puts spies on the methods of all nodes. Each call is also told on the node, a tick later, as `call:<method>` with the
 * call.
 */
export class NodeSpies {
  /** Takes off at `restore` what specs put on by it as well. */
  readonly sandbox: Sandbox;
  readonly #prototype: EventEmitter & Record<string, unknown>;

  /** @param prototype The prototype of all nodes. */
  constructor(prototype: object) {
    const require = createRequire(import.meta.url);
    // Specs write `node.warn.should.be.called()`, and expect the assertions to be there.
    require('should');
    require('should-sinon');
    this.sandbox = (require('sinon') as { createSandbox(): Sandbox }).createSandbox();
    this.#prototype = prototype as EventEmitter & Record<string, unknown>;
  }

  install(): void {
    const prototype = this.#prototype;
    for (const method of spiedMethods) {
      const spy = this.sandbox.spy(prototype, method);
      prototype[method] = new Proxy(spy, {
        apply(target, node, values) {
          const result: unknown = Reflect.apply(target, node, values);
          const call = spy.lastCall;
          process.nextTick(() => prototype.emit.call(node, `call:${method}`, call));
          return result;
        },
      });
    }
  }

  /** A spy of its own, that is forgotten with the others. */
  create(): Spy {
    return this.sandbox.spy();
  }

  restore(): void {
    this.sandbox.restore();
  }
}
