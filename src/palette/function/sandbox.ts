import util from 'node:util';
import type { NodeContext, PaletteNode, PaletteRed, Send } from '../red.ts';
import type { LinkCalls } from './link-calls.ts';
import { sendResults } from './results.ts';
import type { Timers } from './timers.ts';

/** A function node, as far as its code sees it. */
export interface ScriptedNode extends PaletteNode {
  readonly outputs: unknown;
  /** The code has shown a status: it is cleared when the node stops. */
  clearStatus: boolean;
}

/** What a sandbox is made of. */
export interface SandboxDeps {
  readonly node: ScriptedNode;
  readonly RED: PaletteRed;
  readonly timers: Timers;
  readonly linkCalls: LinkCalls;
}

/** The names that code finds beside `node` and `msg`, without those of its modules. */
export const sandboxNames: readonly string[] =
  `console util Buffer URL URLSearchParams Date RED __node__ context flow global env setTimeout clearTimeout
   setInterval clearInterval promisify`.split(/\s+/);

/** Makes the global object of the code of a function node. */
export function createSandbox(deps: SandboxDeps): Record<string, unknown> {
  const { node, RED, timers } = deps;
  return {
    console,
    util,
    Buffer,
    URL,
    URLSearchParams,
    Date,
    RED: {
      util: { ...RED.util, getSetting: (_node: unknown, name: string) => RED.util.getSetting(node, name) },
    },
    __node__: nodeFor(deps),
    context: {
      ...contextFor(() => node.context()),
      get global() {
        return node.context().global;
      },
      get flow() {
        return node.context().flow;
      },
    },
    flow: contextFor(() => node.context().flow),
    global: contextFor(() => node.context().global),
    env: { get: (name: string) => RED.util.getSetting(node, name) },
    setTimeout: timers.setTimeout,
    clearTimeout: timers.clearTimeout,
    setInterval: timers.setInterval,
    clearInterval: timers.clearInterval,
    promisify: util.promisify,
  };
}

/** What the `node` of every call is made from. */
function nodeFor({ node, RED, linkCalls }: SandboxDeps): Record<string, unknown> {
  type Level = 'log' | 'error' | 'warn' | 'debug' | 'trace';
  const writer =
    (level: Level) =>
    (...values: unknown[]) =>
      node[level](...values);
  return {
    id: node.id,
    name: node.name,
    path: node._path,
    outputCount: node.outputs,
    log: writer('log'),
    error: writer('error'),
    warn: writer('warn'),
    debug: writer('debug'),
    trace: writer('trace'),
    send: (send: Send, id: unknown, messages: unknown, clone: unknown) =>
      sendResults({ node, RED }, { send, id, clone: clone !== false }, messages),
    on: (event: string, handler: () => unknown) => {
      if (event === 'input') throw new Error(RED._('function.error.inputListener'));
      node.on(event, handler);
    },
    status: (...values: unknown[]) => {
      node.clearStatus = true;
      node.status(...values);
    },
    linkcall: linkCalls.call,
  };
}

function contextFor(context: () => NodeContext | NodeContext['flow']) {
  return {
    get: (key: unknown, ...rest: unknown[]) => context().get(key, ...rest),
    set: (key: unknown, value: unknown, ...rest: unknown[]) => void context().set(key, value, ...rest),
    keys: (...rest: unknown[]) => context().keys(...rest),
  };
}
