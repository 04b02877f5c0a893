import { cloneMessage, cloneValue } from '../messaging/clone.ts';
import type { ReportingNode } from '../node/node-flow.ts';

/** A Catch, Status or Complete node, as far as its flow looks at it. */
export interface WatchingNode {
  readonly id: string;
  readonly type: string;
  readonly g?: string | undefined;
  /** Ids of the nodes it watches, `"group"` for those of its own group, nothing for all of the flow. */
  readonly scope?: unknown;
  /** Wants only what nobody else has handled. */
  readonly uncaught?: unknown;
  receive(message: unknown): void;
}

/** How groups stand in each other. */
type Groups = { get(id: string): { readonly id: string; readonly g?: string | undefined } | undefined };

/** The Catch, Status and Complete nodes of one flow. */
export class Watchers {
  readonly #groups: Groups;
  readonly #catch: readonly WatchingNode[];
  readonly #status: readonly WatchingNode[];
  readonly #complete = new Map<string, WatchingNode[]>();

  constructor(nodes: Iterable<{ readonly type: string }>, groups: Groups) {
    this.#groups = groups;
    const ofType = { catch: [] as WatchingNode[], status: [] as WatchingNode[] };
    for (const each of nodes) {
      const node = each as WatchingNode;
      if (node.type === 'catch' || node.type === 'status') ofType[node.type].push(node);
      else if (node.type === 'complete') this.#addComplete(node);
    }
    this.#catch = ofType.catch.sort((a, b) => rank(a) - rank(b));
    this.#status = ofType.status;
  }

  /** Gives an error to the Catch nodes that want it; says whether there was one. */
  catch(from: ErrorReport, reporting: ReportingNode): boolean {
    let handled = false;
    let givenToUncaught = false;
    for (const node of this.#watching(this.#catch, reporting)) {
      if (node.uncaught && !givenToUncaught) {
        if (handled) continue;
        givenToUncaught = true;
      }
      node.receive(errorMessage(from));
      handled = true;
    }
    return handled;
  }

  /** Gives a status to the Status nodes that want it; says whether there was one. */
  status(node: ReportingNode, status: object, reporting: ReportingNode): boolean {
    const watching = this.#watching(this.#status, reporting);
    for (const each of watching) {
      const shown: Record<string, unknown> = cloneValue({ ...status });
      const text = shown['text'];
      if (text !== undefined && text !== null) shown['text'] = String(text);
      each.receive({ status: { ...shown, source: sourceOf(node) } });
    }
    return watching.length > 0;
  }

  /** Gives a message to the Complete nodes of the node that has done with it. */
  complete(node: ReportingNode, message: unknown): void {
    const watching = this.#complete.size === 0 ? undefined : this.#complete.get(node.id);
    if (watching === undefined) return;
    for (const each of watching) {
      each.receive(Object.assign(cloneMessage(message as object), { complete: { source: sourceOf(node) } }));
    }
  }

  #addComplete(node: WatchingNode): void {
    if (!Array.isArray(node.scope)) return;
    for (const id of node.scope) {
      const watching = this.#complete.get(id);
      if (watching === undefined) this.#complete.set(id, [node]);
      else watching.push(node);
    }
  }

  /** Those that watch the node, nearest group first. */
  #watching(nodes: readonly WatchingNode[], reporting: ReportingNode): WatchingNode[] {
    if (nodes.length === 0) return [];
    const near: { readonly node: WatchingNode; readonly distance: number }[] = [];
    for (const node of nodes) {
      if (Array.isArray(node.scope) && !node.scope.includes(reporting.id)) continue;
      const distance = this.#distance(node, reporting);
      if (distance !== undefined) near.push({ node, distance });
    }
    return near.sort((a, b) => a.distance - b.distance).map(({ node }) => node);
  }

  /** How many groups lie between the node and the watcher; nothing where the watcher looks at its own group only. */
  #distance(watcher: WatchingNode, reporting: ReportingNode): number | undefined {
    const groupOnly = Boolean(watcher.g) && watcher.scope === 'group';
    if (!reporting.g) return groupOnly ? undefined : 0;
    let distance = 0;
    let around = this.#groups.get(reporting.g);
    while (around !== undefined && around.id !== watcher.g) {
      distance++;
      around = around.g ? this.#groups.get(around.g) : undefined;
    }
    return around === undefined && groupOnly ? undefined : distance;
  }
}

/** An error on its way to Catch nodes. */
export interface ErrorReport {
  readonly node: ReportingNode;
  readonly problem: unknown;
  readonly message: unknown;
  /** How often this node has failed on this message. */
  readonly count: number;
}

/** Those that name their nodes come first, those that want the uncaught last. */
function rank(node: WatchingNode): number {
  if (node.scope) return 0;
  return node.uncaught ? 2 : 1;
}

function sourceOf(node: ReportingNode): { id: string; type: string; name: string | undefined } {
  return { id: node.id, type: node.type, name: node.name };
}

function errorMessage({ node, problem, message, count }: ErrorReport): object {
  const copy = (message ? cloneMessage(message) : {}) as Record<string, unknown>;
  if (Object.hasOwn(copy, 'error')) copy['_error'] = copy['error'];
  const error: Record<string, unknown> = {
    message: textOf(problem),
    source: { ...sourceOf(node), count },
  };
  if (typeof problem === 'object' && problem !== null) {
    for (const member of ['code', 'stack', 'cause'] as const) {
      if (Object.hasOwn(problem, member)) error[member] = (problem as Record<string, unknown>)[member];
    }
  }
  copy['error'] = error;
  return copy;
}

/** The text of whatever was thrown; objects without a prototype have none of their own. */
function textOf(problem: unknown): string {
  try {
    return String(problem);
  } catch {
    return Object.prototype.toString.call(problem);
  }
}
