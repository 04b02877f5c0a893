import type { FlowItem, NodeCredentials } from '../../contract/flows.ts';
import type { SendEvent } from '../messaging/message.ts';
import type { Node } from '../node/node.ts';
import type { NodeFlow, ReportingNode, SettingScope } from '../node/node-flow.ts';
import { type ContextLike, type LogRecord, logLevel } from '../node/node-services.ts';
import type { FlowServices } from './dependencies.ts';
import { type Environment, type EnvOwner, evaluateEnv, lookUp } from './environment.ts';
import { type EnvEntry, envOf, referenceIn, templateId } from './flow-item.ts';
import type { FlowPart } from './flow-model.ts';
import { type Group, makeGroups } from './group.ts';
import type { NodeCloser } from './node-closer.ts';
import type { NodeMaker } from './node-maker.ts';
import { Watchers } from './watchers.ts';

const nothing: Environment = new Map();

/** Ids of nodes whose wires have changed; or all may have. */
export type Rewired = readonly string[] | 'all';

/** What a flow stands in: the global flow, or, for a subflow instance, the flow of the instance. */
export interface FlowParent extends SettingScope {
  readonly id?: string;
  readonly path: string;
  log(record: LogRecord): void;
}

/**
 * A flow while it runs: a tab, the global flow, or (as `SubflowInstance`) an instance of a subflow.
 * @remarks Starts and stops its nodes; knows env properties, groups, and who watches whom. Not here: what a deploy
 * changes (`diff.ts`), how a node is built (`node-maker.ts`).
 */
export class Flow implements NodeFlow, EnvOwner {
  readonly TYPE: string = 'flow';
  readonly id: string;
  readonly path: string;
  /** The nodes that run, but for those inside subflow instances. */
  readonly activeNodes = new Map<string, Node>();
  protected readonly services: FlowServices;
  readonly #parent: FlowParent;
  readonly #maker: NodeMaker;
  readonly #context: ContextLike;
  #part: FlowPart;
  #env: Environment = nothing;
  #groups: ReadonlyMap<string, Group> = new Map();
  #watchers: Watchers;
  /** Another flow takes its place, or none does. */
  #over = false;

  constructor(part: FlowPart, parent: FlowParent, maker: NodeMaker, services: FlowServices) {
    this.id = part.item.id;
    // A tab's path is its id; the global flow around it is not named.
    const outermost = parent.path === '' || parent.id === 'global';
    this.path = outermost ? this.id : `${parent.path}/${part.item['_alias'] ?? this.id}`;
    this.services = services;
    this.#part = part;
    this.#parent = parent;
    this.#maker = maker;
    this.#context = services.contexts.flow(this.id, parent.id);
    this.#watchers = new Watchers([], this.#groups);
  }

  /** The item that the flow is described by. */
  get flow(): FlowItem {
    return this.#part.item;
  }

  get part(): FlowPart {
    return this.#part;
  }

  get parent(): FlowParent {
    return this.#parent;
  }

  /** Takes a new description; nothing that runs is touched. Between `stop` and `start`. */
  update(part: FlowPart): void {
    this.#part = part;
  }

  /**
   * Starts what does not run yet: env, groups, config nodes (those that others refer to first), nodes.
   * @param rewired Nodes that go on running with new wires.
   */
  async start(rewired: Rewired = []): Promise<void> {
    this.#watchers = new Watchers([], this.#groups);
    const env = this.evaluateEnv();
    this.#env = env instanceof Promise ? await env : env;
    this.#groups = makeGroups(this.#part.groups, this);
    for (const group of this.#groups.values()) await group.start(this.services);
    await this.#startConfigs();
    for (const id of rewired === 'all' ? this.activeNodes.keys() : rewired) {
      const item = this.#part.nodes.get(id);
      if (item !== undefined) this.activeNodes.get(id)?.updateWires(item['wires'] as never);
    }
    for (const item of this.#part.nodes.values()) {
      if (item['d'] !== true && !this.activeNodes.has(item.id)) await this.#startNode(item);
    }
    this.#watchers = new Watchers(this.activeNodes.values(), this.#groups);
  }

  /**
   * Begins to stop nodes, config nodes last; they are out of reach from now on.
   * @param ids Which ones; `undefined` for all, which ends the flow.
   * @param removed Ids that are gone for good.
   */
  stop(closer: NodeCloser, ids: Iterable<string> | undefined, removed: ReadonlySet<string>): void {
    this.#over ||= ids === undefined;
    const configs: string[] = [];
    const nodes: string[] = [];
    for (const id of ids ?? this.activeNodes.keys()) {
      if (this.#part.configs.has(id)) configs.push(id);
      else nodes.push(id);
    }
    for (const id of [...nodes, ...configs]) {
      const node = this.activeNodes.get(id);
      if (node === undefined) continue;
      this.activeNodes.delete(id);
      this.services.nodes.delete(id, node);
      closer.close(node, removed.has(id));
      if (removed.has(id)) this.services.events.emit('node-status', { id });
    }
  }

  /** What a closed node still sends does not get into the flow that took the place of its own. */
  getNode(id: string): object | undefined {
    if (this.#over && this.#ownsAlone(id)) return undefined;
    return this.services.nodes.get(id);
  }

  getGroupNode(id: string): Group | undefined {
    return this.#groups.get(id);
  }

  getContext(scope: 'flow' | 'global'): ContextLike | undefined {
    return scope === 'flow' ? this.#context : this.services.contexts.get('global');
  }

  getSetting(name: string): unknown {
    if (name === 'NR_FLOW_NAME') return this.flow['label'];
    if (name === 'NR_FLOW_ID') return this.id;
    return this.lookUp(name, this.#parent);
  }

  /** A name in the env properties of this level, or further out. */
  protected lookUp(name: string, next: SettingScope): unknown {
    return lookUp(this.#env, name, next);
  }

  /** A template that instances in this flow may name. */
  template(id: string): FlowPart | undefined {
    return this.#part.templates.get(id);
  }

  handleError(
    node: ReportingNode,
    problem: unknown,
    message?: unknown,
    reporting: ReportingNode = node,
  ): boolean {
    const count = failuresOf(node, message);
    if (count === 10) {
      (node as Node).warn('The message has failed at this node ten times: giving up on it');
      return false;
    }
    return this.#watchers.catch({ node, problem, message, count }, reporting);
  }

  handleStatus(node: ReportingNode, status: unknown, reporting: ReportingNode = node, mute = false): boolean {
    let shown = (typeof status === 'object' && status !== null ? status : {}) as { text?: unknown };
    if (!mute) {
      if (shown.text !== undefined && shown.text !== null && typeof shown.text !== 'string') {
        shown = { ...shown, text: String(shown.text) };
      }
      this.services.events.emit('node-status', { id: node.id, status: shown });
    }
    return this.#watchers.status(node, shown, reporting);
  }

  handleComplete(node: object, message: unknown): void {
    this.#watchers.complete(node as ReportingNode, message);
  }

  send(events: readonly SendEvent[]): void {
    this.services.router.route(events, this);
  }

  log(record: LogRecord): void {
    if (!record['path']) record['path'] = this.path;
    this.#parent.log(record);
  }

  error(text: string): void {
    this.services.log.log({ id: this.id, level: logLevel.error, type: this.TYPE, msg: text });
  }

  /** The values of the env properties of this level. */
  protected evaluateEnv(): Environment | Promise<Environment> {
    return this.evaluate(envOf(this.flow), this.services.credentials.get(this.id));
  }

  protected evaluate(
    entries: readonly EnvEntry[],
    credentials: NodeCredentials | undefined,
  ): Environment | Promise<Environment> {
    return entries.length === 0 ? nothing : evaluateEnv(entries, this, credentials, this.services.util);
  }

  /** Whether the id is that of a node of this flow, other than a subflow instance: these are known beyond their flow. */
  #ownsAlone(id: string): boolean {
    const { configs, nodes } = this.#part;
    const node = nodes.get(id);
    return configs.has(id) || (node !== undefined && templateId(node) === undefined);
  }

  async #startConfigs(): Promise<void> {
    let waiting = [...this.#part.configs.values()].filter(
      (item) => item['d'] !== true && !this.activeNodes.has(item.id),
    );
    while (waiting.length > 0) {
      const unbuilt = new Set(waiting.map((item) => item.id));
      const later: FlowItem[] = [];
      for (const item of waiting) {
        if (refersTo(item, unbuilt)) {
          later.push(item);
        } else {
          await this.#startNode(item);
          unbuilt.delete(item.id);
        }
      }
      if (later.length === waiting.length) {
        this.error(`Config nodes that refer to each other: ${later.map((item) => item.id).join(', ')}`);
        for (const item of later) await this.#startNode(item);
        return;
      }
      waiting = later;
    }
  }

  async #startNode(item: FlowItem): Promise<void> {
    const made = this.#maker.make(this, item, templateId(item));
    const node = made instanceof Promise ? await made : made;
    if (node === undefined) return;
    this.activeNodes.set(item.id, node);
    this.services.nodes.add(item.id, node);
    this.services.onNodeStarted?.();
  }
}

/** Whether a config node names one that has yet to be built. */
function refersTo(item: FlowItem, ids: ReadonlySet<string>): boolean {
  for (const property in item) {
    if (property === 'id' || property === 'wires' || property === '_users') continue;
    const referred = referenceIn(item[property]);
    if (referred !== undefined && referred !== item.id && ids.has(referred)) return true;
  }
  return false;
}

/** How often the node has failed on this message, this time included. */
function failuresOf(node: ReportingNode, message: unknown): number {
  const error = (message as { error?: { source?: { id?: unknown; count?: unknown } } } | undefined)?.error;
  if (error?.source?.id !== node.id) return 1;
  return Number(error.source.count ?? 0) + 1;
}
