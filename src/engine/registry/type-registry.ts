import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { CredentialFields } from '../../link/protocol.ts';
import type { Constructable } from './inherit.ts';
import { inheritBase } from './inherit.ts';
import type { SubflowModule } from './subflow-module.ts';
import { readSubflowModule } from './subflow-module.ts';

/** Builds one node; called with `new` and the node's configuration. */
export type NodeConstructor = new (config: never) => object;

/** Who registers: one set of one module. */
export interface RegisteringSet {
  readonly id: string;
  readonly module: string;
}

/** What a module says about a type besides its constructor. */
export interface TypeOptions {
  /** Credential fields by name. */
  readonly credentials?: CredentialFields;
  /** The property of a node that lists npm modules it needs (`libs` of the function node). */
  readonly dynamicModuleList?: string;
}

/** A node type as it stands in the registry. */
export type NodeType = {
  readonly type: string;
  readonly set: RegisteringSet;
  readonly credentials?: CredentialFields;
  readonly dynamicModuleList?: string;
} & (
  | { readonly is: 'class'; readonly nodeClass: NodeConstructor }
  | { readonly is: 'subflow'; readonly subflow: SubflowModule }
);

/** Who is told of types. */
export interface TypeWatcher {
  /** The type can be used from now on: it is new, or shown again. */
  readonly onRegistered: (type: string) => void;
  /** Its set was disabled. */
  readonly onHidden?: (type: string) => void;
  readonly onForgotten?: (type: string) => void;
}

/**
 * The node types that code has registered, and whose they are.
 * @remarks A disabled set keeps its types, hidden, since its code cannot be run twice. Not here: running a set's code
 * (`load-set.ts`); the settings that a type declares (`engine/red/node-settings.ts`).
 */
export class TypeRegistry {
  readonly #base: Constructable;
  readonly #watcher: TypeWatcher;
  readonly #types = new Map<string, NodeType>();
  readonly #disabled = new Set<string>();

  /** @param deps.base The class whose prototype every node inherits. */
  constructor(deps: { readonly base: Constructable } & TypeWatcher) {
    this.#base = deps.base;
    this.#watcher = deps;
  }

  /**
   * Makes a type known.
   * @throws AppError `type_already_registered`, naming both modules; TypeError where the constructor is none.
   */
  register(set: RegisteringSet, type: string, nodeClass: unknown, options: TypeOptions = {}): void {
    if (typeof type !== 'string' || type === '') throw new TypeError('A node type needs a name');
    this.#refuseTaken(set, type);
    inheritBase(nodeClass, this.#base);
    this.#add({ is: 'class', type, set, nodeClass: nodeClass as unknown as NodeConstructor, ...options });
  }

  /**
   * Makes a type known whose constructor is made for the first node of it. Where that fails, so does the making of the
   * node, and it is tried again for the next.
   * @throws AppError `type_already_registered`, naming both modules
   */
  registerLater(
    set: RegisteringSet,
    type: string,
    makeClass: () => unknown,
    options: TypeOptions = {},
  ): void {
    this.#refuseTaken(set, type);
    const base = this.#base;
    let made: NodeConstructor | undefined;
    this.#add({
      is: 'class',
      type,
      set,
      get nodeClass() {
        if (made === undefined) {
          const nodeClass = makeClass();
          inheritBase(nodeClass, base);
          made = nodeClass as unknown as NodeConstructor;
        }
        return made;
      },
      ...options,
    });
  }

  /**
   * Makes a subflow known as a node type.
   * @returns What was read of it, with the editor's part.
   * @throws AppError `type_already_registered`; TypeError where the definition is not a subflow.
   */
  registerSubflow(set: RegisteringSet, definition: unknown): SubflowModule {
    const subflow = readSubflowModule(definition);
    this.#refuseTaken(set, subflow.type);
    const { type, credentials } = subflow;
    this.#add({ is: 'subflow', type, set, subflow, ...(credentials === undefined ? {} : { credentials }) });
    return subflow;
  }

  /** The type, unless nobody registered it or its set is disabled. */
  get(type: string): NodeType | undefined {
    const found = this.#types.get(type);
    return found === undefined || this.#disabled.has(found.set.id) ? undefined : found;
  }

  /** Credential fields that the type declares; `undefined` where it declares none. */
  credentialFields(type: string): CredentialFields | undefined {
    return this.#types.get(type)?.credentials;
  }

  /** The types of a set, in the order in which they were registered. */
  ofSet(setId: string): readonly NodeType[] {
    return [...this.#types.values()].filter((entry) => entry.set.id === setId);
  }

  /** Hides the set's types, or shows them again and tells of each. */
  setEnabled(setId: string, enabled: boolean): void {
    if (this.#disabled.has(setId) === !enabled) return;
    if (enabled) this.#disabled.delete(setId);
    else this.#disabled.add(setId);
    const { onRegistered, onHidden } = this.#watcher;
    for (const { type } of this.ofSet(setId)) {
      if (enabled) onRegistered(type);
      else onHidden?.(type);
    }
  }

  /** Forgets a set's types. */
  unregister(setId: string): void {
    for (const { type } of this.ofSet(setId)) {
      this.#types.delete(type);
      this.#watcher.onForgotten?.(type);
    }
    this.#disabled.delete(setId);
  }

  #refuseTaken(set: RegisteringSet, type: string): void {
    const taken = this.#types.get(type);
    if (taken === undefined) return;
    const twice = taken.set.id === set.id;
    throw new AppError('type_already_registered', {
      detail: twice
        ? `The type '${type}' is registered twice by ${set.id}`
        : `The type '${type}' of ${set.module} is already registered by ${taken.set.module}`,
    });
  }

  #add(entry: NodeType): void {
    this.#types.set(entry.type, entry);
    this.#watcher.onRegistered(entry.type);
  }
}

/**
 * Reads the third argument of `registerType`, as modules write it.
 * @remarks A credential field of another type than `password` is shown to whoever edits the node, as the editor expects.
 */
export function readTypeOptions(options: unknown): TypeOptions {
  if (!isObject(options)) return {};
  const { credentials, dynamicModuleList } = options;
  return {
    ...(isObject(credentials) ? { credentials: readCredentialFields(credentials) } : {}),
    ...(typeof dynamicModuleList === 'string' ? { dynamicModuleList } : {}),
  };
}

function readCredentialFields(fields: { readonly [name: string]: unknown }): CredentialFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { type: isObject(field) && field['type'] === 'password' ? 'password' : 'text' },
    ]),
  );
}
