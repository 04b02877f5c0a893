import type { FlowItem } from '../../contract/flows.ts';
import { isObject } from '../../contract/json.ts';
import { batchable } from '../messaging/terminal.ts';
import { type Node, terminalOf } from '../node/node.ts';
import { logLevel } from '../node/node-services.ts';
import type { BuildableType, FlowServices } from './dependencies.ts';
import type { Flow } from './flow.ts';
import { type EnvEntry, envOf } from './flow-item.ts';
import { type FlowPart, readFlows } from './flow-model.ts';
import type { NodeMaker } from './node-maker.ts';
import { type InstancePlan, SubflowInstance } from './subflow-instance.ts';
import { substitute } from './substitute.ts';

/** Core types whose input handler only sends on what it was given and says that it has done. */
const passingOn: ReadonlySet<string> = new Set(['junction', 'link in', 'catch', 'status', 'complete']);
/** Core types besides these that finish within their input handler. */
const synchronous: ReadonlySet<string> = new Set(['link out', 'link call']);

/** Builds nodes: constructs those of a class, expands those that are subflows. */
export class NodeFactory implements NodeMaker {
  readonly #services: FlowServices;
  readonly #templates: (id: string) => FlowPart | undefined;

  /** @param templates The subflow templates of the configuration that is being built. */
  constructor(services: FlowServices, templates: (id: string) => FlowPart | undefined) {
    this.#services = services;
    this.#templates = templates;
  }

  make(
    flow: Flow,
    item: FlowItem,
    templateId: string | undefined,
  ): Node | undefined | Promise<Node | undefined> {
    try {
      if (templateId !== undefined) {
        const template = flow.template(templateId) ?? this.#templates(templateId);
        return template === undefined ? undefined : this.#instance({ template, item }, flow);
      }
      const type = this.#services.types.get(item.type);
      switch (type?.is) {
        case undefined:
          return undefined;
        case 'class':
          return this.#construct(type, item, flow);
        case 'subflow':
          return this.#moduleInstance(type.subflow, item, flow);
        default:
          return type satisfies never;
      }
    } catch (error) {
      this.#report(item, error);
      return undefined;
    }
  }

  #construct(type: BuildableType & { is: 'class' }, item: FlowItem, flow: Flow): Node {
    const node = new type.nodeClass(configOf(item, flow, type.set) as never) as Node;
    const terminal = terminalOf(node);
    const core = type.set.module === 'node-red';
    if (core && passingOn.has(item.type)) {
      terminal.passOn = node._inputCallback;
      terminal.passOnCompletes = true;
    }
    terminal.batchable =
      (node as { [batchable]?: unknown })[batchable] === true ||
      (core && (passingOn.has(item.type) || synchronous.has(item.type)));
    return node;
  }

  async #instance(plan: InstancePlan, flow: Flow): Promise<Node | undefined> {
    try {
      const instance = new SubflowInstance(plan, flow, this, this.#services);
      await instance.start();
      return instance.node;
    } catch (error) {
      this.#report(plan.item, error);
      return undefined;
    }
  }

  /** The subflow of a module: its properties are the env properties of the instance. */
  #moduleInstance(
    subflow: (BuildableType & { is: 'subflow' })['subflow'],
    item: FlowItem,
    flow: Flow,
  ): Promise<Node | undefined> {
    const { definition } = subflow;
    const { templates } = readFlows([definition, ...subflow.flow]);
    const own = templates.get(definition.id);
    if (own === undefined) return Promise.resolve(undefined);
    const template: FlowPart = { ...own, templates };
    const env = envOf(definition).flatMap((entry) => instanceEntry(entry, item, flow));
    return this.#instance({ template, item: { ...item, env }, moduleType: subflow.type }, flow);
  }

  #report(item: FlowItem, error: unknown): void {
    this.#services.log.log({ level: logLevel.error, id: item.id, type: item.type, msg: error });
  }
}

/** What a constructor is given: a copy without credentials, env names replaced, with hidden references. */
function configOf(item: FlowItem, flow: Flow, set: object): object {
  const config: Record<string, unknown> = { ...item };
  if ('credentials' in config) delete config['credentials'];
  hide(config, '_module', set);
  hide(config, '_flow', flow);
  hide(config, '_path', `${flow.path}/${item['_alias'] ?? item.id}`);
  const at = { owner: config, flow };
  for (const key in config) {
    const value = config[key];
    const substituted = substitute(value, at);
    if (substituted !== value) config[key] = substituted;
  }
  return config;
}

function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, writable: true, configurable: true });
}

/** The value that the node's own property gives to an env property of its subflow. */
function instanceEntry(entry: EnvEntry, item: FlowItem, flow: Flow): EnvEntry[] {
  const { name } = entry;
  const value = item[name];
  const ofConfigNode = isObject(entry.ui) && entry.ui['type'] === 'conf-types';
  if (ofConfigNode && typeof value === 'string' && /^\$\{[^}]+\}$/.test(value)) {
    return [{ name, type: 'conf-type', value: flow.getSetting(value.slice(2, -1)) }];
  }
  if (entry.type === 'cred') return [{ name, type: 'cred', value }];
  switch (typeof value) {
    case 'string':
      return [{ name, type: 'str', value }];
    case 'number':
      return [{ name, type: 'num', value }];
    case 'boolean':
      return [{ name, type: 'bool', value }];
    default:
      return isObject(value) ? [{ name, type: String(value['type']), value: value['value'] }] : [];
  }
}
