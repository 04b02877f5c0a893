import type { ContextAddress } from '../../link/protocol.ts';
import type { PropertyAccess } from '../util/property-access.ts';
import { type ContextAdminDeps, type ContextQuestion, readContext, removeFromContext } from './admin.ts';
import { type Context, createContext, type Seed } from './context.ts';
import { MemoryStore } from './memory-store.ts';
import { type OpenStoresDeps, openStores } from './open-stores.ts';
import type { Stores } from './stores.ts';

/** A running node, as far as the admin API reads its context. */
export interface NodeWithContext {
  readonly id: string;
  readonly type: string;
  context(): unknown;
}

/** What contexts need. */
export interface ContextManagerDeps {
  readonly settings: {
    readonly userDir: string;
    readonly contextStorage?: OpenStoresDeps['storage'];
    /** Values that every flow finds in the global context. */
    readonly functionGlobalContext?: Readonly<Record<string, unknown>> | false | null;
    /** Whether `keys` names them; by default it does. */
    readonly exportGlobalContextKeys?: boolean;
  };
  readonly properties: PropertyAccess;
  readonly log: OpenStoresDeps['log'];
  /** Finds running nodes, for the admin API. */
  readonly getNode: (id: string) => NodeWithContext | null | undefined;
}

/** Ids whose contexts are kept. */
interface InUse {
  readonly ids: Iterable<string> & { has(id: string): boolean };
}

/**
 * The contexts of nodes, flows and everything, over the stores of the settings.
 * @remarks Scopes: `global`; a flow's or subflow instance's id; `<node id>:<flow id>`, inside subflows
 * `<template id>:<instance id>`. A context is made when it is first asked for and is the same object from then on.
 */
export class ContextManager {
  readonly #stores: Stores;
  readonly #deps: ContextManagerDeps;
  readonly #seed: Seed;
  readonly #contexts = new Map<string, Context>();
  /** Of each flow: the flow around it. */
  readonly #parents = new Map<string, string>();
  readonly #admin: ContextAdminDeps;

  private constructor(stores: Stores, deps: ContextManagerDeps) {
    const { functionGlobalContext, exportGlobalContextKeys } = deps.settings;
    this.#stores = stores;
    this.#deps = deps;
    this.#seed = { values: functionGlobalContext || {}, listed: exportGlobalContextKeys !== false };
    this.#contexts.set('global', this.#createGlobal());
    this.#admin = {
      stores,
      find: (address) => this.#find(address),
      isSeed: (key, value) => Object.hasOwn(this.#seed.values, key) && this.#seed.values[key] === value,
    };
  }

  /** Opens the stores. One that can't be opened is reported, and fails whenever it is used. */
  static async open(deps: ContextManagerDeps): Promise<ContextManager> {
    const { properties, log } = deps;
    const { contextStorage: storage, userDir } = deps.settings;
    return new ContextManager(await openStores({ storage, userDir, properties, log }), deps);
  }

  /** The context of all flows. */
  get global(): Context {
    return this.get('global');
  }

  /** The context of a node in a flow, with its `flow` and `global`; `global` for that id. */
  get(id: string, flowId?: string): Context {
    const scope = flowId ? `${id}:${flowId}` : id;
    return this.#contexts.get(scope) ?? this.#keep(scope, this.#createNode(scope, flowId));
  }

  /** The context of a flow or subflow instance. `$parent.` in its keys leads to the parent's; a tab's is `global`. */
  flow(id: string, parentId = 'global'): Context {
    if (id !== 'global') this.#parents.set(id, parentId);
    return this.#contexts.get(id) ?? this.#keep(id, this.#createFlow(id));
  }

  /** A node has closed: without configured stores its values are forgotten. For `global` every store forgets it. */
  async delete(id: string, flowId?: string): Promise<void> {
    if (id === 'global') {
      await Promise.all(this.#stores.all().map((store) => store.delete('global')));
      this.#contexts.set('global', this.#createGlobal());
    } else if (!this.#stores.configured) {
      const scope = flowId ? `${id}:${flowId}` : id;
      this.#contexts.delete(scope);
      await this.#stores.get(undefined).delete(scope);
    }
  }

  /** Forgets what belongs to no flow, subflow instance or node in use. */
  async clean({ ids }: InUse = { ids: new Set() }): Promise<void> {
    for (const scope of this.#contexts.keys()) {
      const [owner = ''] = scope.split(':', 1);
      if (owner === 'global' || ids.has(owner)) continue;
      this.#contexts.delete(scope);
      this.#parents.delete(scope);
    }
    const filled = this.#stores.all().filter((store) => !(store instanceof MemoryStore && store.isEmpty));
    if (filled.length === 0) return;
    const active = [...ids];
    await Promise.all(filled.map((store) => store.clean(active)));
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    await this.clean();
    await this.delete('global');
  }

  /** For `GET /settings`. */
  listStores(): { readonly default: string; readonly stores: readonly string[] } {
    return { default: this.#stores.defaultName, stores: this.#stores.names };
  }

  /** The body of `GET /context/…`. @throws AppError `not_found`, `unexpected_error`. */
  read(question: ContextQuestion): Promise<unknown> {
    return readContext(this.#admin, question);
  }

  /** Does what `DELETE /context/…` asks. @throws AppError `not_found`. */
  remove(address: ContextAddress): Promise<null> {
    return removeFromContext(this.#admin, address);
  }

  /** Writes what is not yet written, and closes the stores. Rejects with the first failure once all have closed. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.#stores.all().map((store) => store.close()));
    for (const one of closed) if (one.status === 'rejected') throw one.reason;
  }

  #find({ scope, id = '' }: ContextAddress): Context | undefined {
    switch (scope) {
      case 'global':
        return this.global;
      case 'flow':
        // One that is not known is not kept.
        return this.#contexts.get(id) ?? this.#createNode(id, undefined);
      case 'node': {
        const node = this.#deps.getNode(id);
        if (!node) return undefined;
        return node.type.startsWith('subflow:')
          ? this.flow(node.id, this.#parents.get(node.id))
          : (node.context() as Context);
      }
      default:
        return scope satisfies never;
    }
  }

  #keep(scope: string, context: Context): Context {
    this.#contexts.set(scope, context);
    return context;
  }

  #createGlobal(): Context {
    const { properties } = this.#deps;
    return createContext({ stores: this.#stores, properties, scope: 'global', seed: this.#seed });
  }

  #createFlow(id: string): Context {
    const parent = (): Context | undefined => this.#contexts.get(this.#parents.get(id) ?? 'global');
    return createContext({ stores: this.#stores, properties: this.#deps.properties, scope: id, parent });
  }

  #createNode(scope: string, flowId: string | undefined): Context {
    const { properties } = this.#deps;
    const context = createContext({ stores: this.#stores, properties, scope });
    const flow = flowId ? { flow: { value: this.#contexts.get(flowId) ?? this.flow(flowId) } } : {};
    return Object.defineProperties(context, { ...flow, global: { value: this.global } });
  }
}
