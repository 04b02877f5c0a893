import type { Terminal } from '../messaging/terminal.ts';
import type { NodeServices } from './node-services.ts';

/** What a node keeps to itself. Under a symbol, since the object was made by the constructor of a node module. */
export interface Inner {
  readonly services: NodeServices;
  readonly terminal: Terminal;
  /** The `send` that input handlers are given. */
  readonly send: (message: unknown) => void;
}

/** Where a node keeps {@link Inner}. */
export const inner: unique symbol = Symbol('sluice.node');
