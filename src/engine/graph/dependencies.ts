import type { EventEmitter } from 'node:events';
import type { FlowConfig, FlowItem, NodeCredentials } from '../../contract/flows.ts';
import type { CredentialFields, FlowsStatus } from '../../link/protocol.ts';
import type { Hooks } from '../messaging/hooks.ts';
import type { ContextLike, FlowLog, NodeServices } from '../node/node-services.ts';
import type { RunningNodes } from './running-nodes.ts';

export type { ContextLike, FlowLog, LogRecord } from '../node/node-services.ts';

/** A node type as the builder needs it; what `TypeRegistry.get` gives. */
export type BuildableType = {
  /** The set that registered it: `_module` of its nodes. */
  readonly set: { readonly id: string; readonly module: string };
} & (
  | { readonly is: 'class'; readonly nodeClass: new (config: never) => object }
  | {
      readonly is: 'subflow';
      readonly subflow: {
        readonly type: string;
        readonly definition: FlowItem;
        readonly flow: readonly FlowItem[];
      };
    }
);

/** Where the builder finds node types. */
export interface TypeLookup {
  get(type: string): BuildableType | undefined;
  credentialFields(type: string): CredentialFields | undefined;
}

/** Credentials in clear. A deploy brings a whole new set; code may change single ones (`RED.nodes.addCredentials`). */
export interface CredentialReader {
  get(id: string): NodeCredentials | undefined;
  /** Takes the place of all that was held. */
  replace(all: { readonly [id: string]: NodeCredentials }): void;
}

/** What is still in use after a deploy. */
export interface ContextsInUse {
  /** Ids of tabs, nodes, subflow instances and (as `<instance>-<template id>`) of what is inside them. Listed on demand. */
  readonly ids: Iterable<string> & { has(id: string): boolean };
}

/** Contexts by owner. */
export interface Contexts {
  /** The context of a node in a flow, with its `flow` and `global`; or, without a flow, `global`'s. */
  get(id: string, flowId?: string): ContextLike;
  /** The context of a flow or subflow instance; `$parent.` in its keys leads to the parent's. */
  flow(id: string, parentId?: string): ContextLike;
  /** A node has closed: forgets its context unless stores are configured. */
  delete(id: string, flowId?: string): Promise<unknown>;
  /** Forgets the contexts of what is no longer there. */
  clean(inUse: ContextsInUse): Promise<unknown>;
}

/** Settings that flows go by. */
export interface FlowSettings {
  /** Milliseconds that a node may take to close; default 15000. */
  readonly nodeCloseTimeout?: number;
  /** Deliver within `send` instead of later. */
  readonly runtimeSyncDelivery?: boolean;
  /** Names that flows never read from the process environment. */
  readonly envVarExcludes?: readonly string[];
}

/** What of `RED.util` the evaluation of env properties needs. */
export interface EvaluationUtil {
  evaluateNodeProperty(
    value: unknown,
    type: string,
    node: unknown,
    message: unknown,
    done?: (error: unknown, value?: unknown) => void,
  ): unknown;
}

/** An npm module that flows need and that could not be had. */
export interface MissingModule {
  readonly module: string;
  /** A code, or the error's text. */
  readonly error: string;
}

/** What flows and the nodes in them are built with. */
export interface FlowServices extends NodeServices {
  readonly types: TypeLookup;
  readonly contexts: Contexts;
  readonly credentials: CredentialReader;
  readonly util: EvaluationUtil;
  readonly events: EventEmitter;
  /** All nodes that run. */
  readonly nodes: RunningNodes;
  /** Milliseconds that a node may take to close. */
  readonly closeTimeoutMs: number;
  /** Called after each node: thousands may start in one turn of the event loop. */
  readonly onNodeStarted?: (() => void) | undefined;
}

/** What {@link FlowRuntime} is built from. */
export interface FlowRuntimeDeps {
  readonly types: TypeLookup;
  readonly contexts: Contexts;
  readonly credentials: CredentialReader;
  readonly hooks: Hooks;
  readonly log: FlowLog;
  /** `RED.events`. */
  readonly events: EventEmitter;
  readonly settings: FlowSettings;
  readonly util: EvaluationUtil;
  /** Publishes to every open editor. */
  readonly comms: (topic: string, data: unknown, retain: boolean) => void;
  /** Provides the npm modules that the flows declare; gives those that could not be had. */
  readonly ensureModules?: (flows: FlowConfig) => Promise<readonly MissingModule[]>;
  /** Told what has become of the flows, also where no call waits for it. */
  readonly onStatus?: (status: FlowsStatus) => void;
  readonly onNodeStarted?: FlowServices['onNodeStarted'];
  /** How many messages may wait for delivery. */
  readonly queueLimit?: number;
}
