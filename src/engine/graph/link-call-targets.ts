/** A `link in` node, as far as link calls look at it. */
export interface LinkInLike {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly _flow: {
    readonly TYPE: string;
    readonly flow: { readonly id?: string; readonly label?: unknown };
    readonly subflowDef?: { readonly name?: unknown };
  };
}

/** A place that a link call may go to. */
export interface LinkTarget {
  readonly id: string;
  readonly name: string;
  readonly flowId: string | undefined;
  readonly flowName: unknown;
  readonly isSubFlow: boolean;
}

/**
 * `RED.nodes.linkcallTargets`: the `link in` nodes that run, by id and by name.
 * @remarks A link call by name finds the target of its own flow first, else the only one of that name on any tab.
 */
export class LinkCallTargets {
  readonly #byId = new Map<string, LinkTarget>();
  readonly #byName = new Map<string, LinkTarget[]>();
  readonly #getNode: (id: string) => object | null;

  constructor(getNode: (id: string) => object | null) {
    this.#getNode = getNode;
  }

  /** @throws Error where the node is not a `link in`. */
  register(node: LinkInLike): LinkTarget {
    if (node?.type !== 'link in') throw new Error("linkcallTargets: node must be a 'link in' node");
    const target = describe(node);
    const same = this.#byName.get(target.name) ?? [];
    this.#byName.set(target.name, [...same.filter((other) => other.id !== target.id), target]);
    this.#byId.set(target.id, target);
    return target;
  }

  remove(node: LinkInLike): void {
    if (node?.type !== 'link in') return;
    const { id, name } = describe(node);
    const left = (this.#byName.get(name) ?? []).filter((other) => other.id !== id);
    if (left.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, left);
    this.#byId.delete(id);
  }

  getTargets(name: string, excludeSubflows = false): readonly LinkTarget[] {
    const all = this.#byName.get(name) ?? [];
    return excludeSubflows ? all.filter((target) => !target.isSubFlow) : all;
  }

  /** The only target of that name (in that flow), else nothing. */
  getTarget(name: string, flowId?: string): LinkTarget | undefined {
    const all = this.getTargets(name);
    const possible = flowId ? all.filter((target) => target.flowId === flowId) : all;
    return possible.length === 1 ? possible[0] : undefined;
  }

  getTargetById(id: string): LinkTarget | undefined {
    return this.#byId.get(id);
  }

  /**
   * The running node that a link call means.
   * @param target An id; where the call is dynamic also a name.
   * @throws Error where there is none, or several of that name.
   */
  getTargetNode(
    source: { readonly _flow: LinkInLike['_flow'] },
    target: string,
    isDynamic?: boolean,
  ): object {
    const node = this.#find(source, target, isDynamic === true);
    if (node !== null && node.constructor?.name === 'LinkInNode') return node;
    throw new Error(`target link-in node '${target || ''}' not found`);
  }

  /** Forgets all. */
  clear(): void {
    this.#byId.clear();
    this.#byName.clear();
  }

  #find(source: { readonly _flow: LinkInLike['_flow'] }, target: string, byName: boolean): object | null {
    const direct = this.#byId.has(target) ? this.#getNode(target) : null;
    if (direct !== null || !target || !byName) return direct;
    const own = this.getTarget(target, source._flow.flow.id);
    if (own !== undefined) return this.#getNode(own.id);
    const anywhere = this.getTargets(target, true);
    if (anywhere.length > 1) throw new Error(`Multiple link-in nodes named '${target}' found`);
    return anywhere[0] === undefined ? null : this.#getNode(anywhere[0].id);
  }
}

function describe(node: LinkInLike): LinkTarget {
  const { TYPE, flow, subflowDef } = node._flow;
  const isSubFlow = TYPE === 'subflow';
  return {
    id: node.id,
    name: node.name || node.id,
    flowId: flow.id,
    flowName: isSubFlow ? subflowDef?.name : flow.label,
    isSubFlow,
  };
}
