import { inspect } from 'node:util';
import type { FlowItem, NodeCredentials } from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { Node, plainNode, terminalOf, type Wires } from '../node/node.ts';
import type { ReportingNode } from '../node/node-flow.ts';
import type { LogRecord } from '../node/node-services.ts';
import type { FlowServices } from './dependencies.ts';
import type { Environment } from './environment.ts';
import { Flow } from './flow.ts';
import { type EnvEntry, envOf, wiresOf } from './flow-item.ts';
import type { FlowPart } from './flow-model.ts';
import { NodeCloser } from './node-closer.ts';
import type { NodeMaker } from './node-maker.ts';
import { type ExpandedSubflow, expandSubflow, type Tap } from './subflow-template.ts';

/** What an instance is made of. */
export interface InstancePlan {
  readonly template: FlowPart;
  /** The item that is the instance. */
  readonly item: FlowItem;
  /** The type's name, where a module offers the subflow as a node type. */
  readonly moduleType?: string;
}

/**
 * One instance of a subflow: a flow of its own, and the node that stands for it in the flow around it.
 * @remarks Messages for the instance go to the nodes that the input leads to; the nodes that an output comes from are
 * wired straight to what the instance is wired to. Errors and statuses that nobody inside handles go on outside.
 */
export class SubflowInstance extends Flow {
  override readonly TYPE: string;
  /** The template's item. */
  readonly subflowDef: FlowItem;
  readonly subflowInstance: FlowItem;
  /** Stands for the instance: receives its messages, carries its status. */
  readonly node: Node;
  readonly #outer: Flow;
  readonly #expanded: ExpandedSubflow;
  readonly #statusNode: Node | undefined;
  readonly #moduleType: string | undefined;
  /** Wires of the nodes inside, as the template has them. */
  readonly #within: ReadonlyMap<string, (string | null)[][]>;

  constructor(plan: InstancePlan, outer: Flow, maker: NodeMaker, services: FlowServices) {
    const expanded = expandSubflow(plan.template, plan.item);
    super(expanded.part, outer, maker, services);
    this.TYPE = plan.moduleType === undefined ? 'subflow' : `module:${plan.moduleType}`;
    this.subflowDef = plan.template.item;
    this.subflowInstance = plan.item;
    this.#moduleType = plan.moduleType;
    this.#outer = outer;
    this.#expanded = expanded;
    this.#within = new Map([...expanded.part.nodes].map(([id, item]) => [id, wiresOf(item)]));
    this.#statusNode = expanded.status === undefined ? undefined : this.#makeStatusNode();
    this.node = this.#makeNode();
    this.#wire(wiresOf(plan.item));
  }

  override async start(): Promise<void> {
    for (const id of this.#expanded.unknown)
      this.error(`The subflow names a node that it does not have: ${id}`);
    const status = this.#statusNode;
    if (status !== undefined) this.services.nodes.add(status.id, status);
    await super.start();
  }

  /** Puts the instance's own outputs where the wires of the flow around it lead. */
  #wire(outer: Wires): void {
    const inputs = this.#expanded.inputs.map((ends) => [...ends]) as (string | null)[][];
    const inside = new Map<string, (string | null)[][]>();
    const connect = (taps: readonly Tap[], targets: readonly (string | null)[]) => {
      for (const { from, port } of taps) {
        const outputs = from === undefined ? inputs : this.#ownWires(from, inside);
        while (outputs.length <= port) outputs.push([]);
        outputs[port]?.push(...targets);
      }
    };
    this.#expanded.outputs.forEach((taps, output) => {
      connect(taps, outer[output] ?? []);
    });
    if (this.#statusNode !== undefined) connect(this.#expanded.status ?? [], [this.#statusNode.id]);
    for (const [id, wires] of inside) this.#rewire(id, wires);
    Node.prototype.updateWires.call(this.node, inputs);
  }

  /** A node's wires within the subflow, before those that lead out are added. */
  #ownWires(id: string, inside: Map<string, (string | null)[][]>): (string | null)[][] {
    let wires = inside.get(id);
    if (wires === undefined) {
      wires = (this.#within.get(id) ?? []).map((output) => [...output]);
      inside.set(id, wires);
    }
    return wires;
  }

  #rewire(id: string, wires: Wires): void {
    const item = this.part.nodes.get(id);
    if (item !== undefined) this.part.nodes.set(id, { ...item, wires });
    this.activeNodes.get(id)?.updateWires(wires);
  }

  override template(id: string): FlowPart | undefined {
    return super.template(id) ?? this.#outer.template(id);
  }

  override getSetting(name: string): unknown {
    const item = this.subflowInstance;
    if (name === 'NR_NODE_NAME' || name === 'NR_SUBFLOW_NAME') return item['name'];
    if (name === 'NR_NODE_ID' || name === 'NR_SUBFLOW_ID') return item.id;
    if (name === 'NR_NODE_PATH' || name === 'NR_SUBFLOW_PATH') return this.path;
    return this.lookUp(name, this.#outer.getGroupNode(String(item['g'] ?? '')) ?? this.#outer);
  }

  override handleError(
    node: ReportingNode,
    problem: unknown,
    message?: unknown,
    reporting: ReportingNode = node,
  ): boolean {
    if (super.handleError(node, problem, message, reporting)) return true;
    return this.#outer.handleError(node, problem, message, this.node);
  }

  override handleStatus(
    node: ReportingNode,
    status: unknown,
    reporting: ReportingNode = node,
    mute = false,
  ): boolean {
    if (super.handleStatus(node, status, reporting, mute)) return true;
    // A template with a status output decides itself what is shown outside.
    if (this.#statusNode !== undefined) return false;
    return this.#outer.handleStatus(node, status, this.node, true);
  }

  /** The template's env properties, and the instance's own in their place. */
  protected override evaluateEnv(): Environment | Promise<Environment> {
    const { credentials } = this.services;
    const ofTemplate = credentials.get(this.subflowDef.id);
    const alias = this.subflowInstance['_alias'];
    const ofInstance = credentials.get(typeof alias === 'string' ? alias : this.id);
    const entries = new Map<string, EnvEntry>();
    for (const entry of envOf(this.subflowDef)) {
      entries.set(entry.name, entry.type === 'cred' ? withSecret(entry, ofTemplate) : entry);
    }
    for (const entry of envOf(this.subflowInstance)) {
      const own = ofInstance !== undefined && Object.hasOwn(ofInstance, entry.name);
      const from = own || !entries.has(entry.name) ? ofInstance : ofTemplate;
      entries.set(entry.name, entry.type === 'cred' ? withSecret(entry, from) : entry);
    }
    return this.evaluate([...entries.values()], credentials.get(this.id));
  }

  /** Inside a module's subflow the log speaks of the node that the user sees. */
  override log(record: LogRecord): void {
    if (this.#moduleType !== undefined) {
      if (record['id']) record['id'] = this.id;
      if (record['type']) record['type'] = this.#moduleType;
    }
    super.log(record);
  }

  #makeNode(): Node {
    const item = this.subflowInstance;
    const outer = this.#outer;
    const node = plainNode(
      {
        id: item.id,
        type: item.type,
        z: item.z,
        g: item['g'] as string | undefined,
        name: item['name'] as string | undefined,
        wires: [],
        _flow: this,
      },
      this.services,
    );
    node.on('input', function passOn(this: Node, message: unknown) {
      this.send(message);
    });
    const terminal = terminalOf(node);
    terminal.batchable = true;
    terminal.passOn = node._inputCallback;
    node.on('close', (done: () => void) => {
      node.status({});
      void this.#stopInside().finally(done);
    });
    const own = {
      status: (status: unknown) => outer.handleStatus(node, status),
      updateWires: (wires: Wires) => this.#wire(wires),
    };
    for (const [key, value] of Object.entries(own))
      Object.defineProperty(node, key, { value, writable: true });
    return node;
  }

  /** Receives what reaches the status output, and shows it as the instance's status. */
  #makeStatusNode(): Node {
    const { id } = this.subflowInstance;
    const node = plainNode(
      { id: `${id}:status`, type: 'subflow-status', z: id, _flow: this.#outer },
      this.services,
    );
    node.on('input', (message: { payload?: unknown; status?: unknown }) => {
      const status = statusOf(message);
      if (status !== undefined) this.node.status(status);
    });
    terminalOf(node).batchable = true;
    return node;
  }

  async #stopInside(): Promise<void> {
    const { nodes, events, closeTimeoutMs } = this.services;
    const ids = [...this.activeNodes.keys()];
    const closer = new NodeCloser(closeTimeoutMs);
    this.stop(closer, undefined, new Set());
    if (this.#statusNode !== undefined) nodes.delete(this.#statusNode.id, this.#statusNode);
    await closer.done();
    for (const id of ids) events.emit('node-status', { id });
  }
}

function withSecret(entry: EnvEntry, credentials: NodeCredentials | undefined): EnvEntry {
  return { ...entry, value: credentials?.[entry.name] };
}

/** What a message says about the status: its payload, else its `status`. */
function statusOf({ payload, status }: { payload?: unknown; status?: unknown }): unknown {
  if (payload === undefined) return isObject(status) ? withNamespace(status) : status;
  if (typeof payload === 'string') return { text: payload };
  if (isObject(payload) && looksLikeStatus(payload)) return payload;
  const text = inspect(payload);
  return { text: text.length > 32 ? `${text.slice(0, 32)}...` : text };
}

/** Core nodes name texts of their own catalogue; outside of them the editor needs to know whose it is. */
function withNamespace(status: JsonObject): JsonObject {
  const { text } = status;
  return typeof text === 'string' && text.startsWith('common.')
    ? { ...status, text: `node-red:${text}` }
    : status;
}

function looksLikeStatus(value: JsonObject): boolean {
  // A date, an error or a map has no properties either, but something to show.
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const keys = Object.keys(value);
  return keys.length === 0 || ['text', 'fill', 'shape'].some((key) => Object.hasOwn(value, key));
}
