import type { FlowConfig, FlowItem } from '../../contract/flows.ts';
import { isFlowNode, isNode, referenceIn, templateId } from './flow-item.ts';
import { type Links, linksOf } from './links.ts';

/** What a tab, a subflow template or a subflow instance holds, by id and in the order of the file. */
export interface FlowPart {
  /** The tab or subflow; for the global part an item that stands for it. */
  readonly item: FlowItem;
  readonly nodes: Map<string, FlowItem>;
  readonly configs: Map<string, FlowItem>;
  readonly groups: Map<string, FlowItem>;
  /** Subflow templates that only this part knows; those of a subflow module. */
  readonly templates: ReadonlyMap<string, FlowPart>;
}

/** A flow configuration, taken apart. */
export interface FlowModel {
  /** Every item by id, as deployed. */
  readonly items: ReadonlyMap<string, FlowItem>;
  /** Config nodes that belong to no tab or subflow. */
  readonly global: FlowPart;
  readonly tabs: ReadonlyMap<string, FlowPart>;
  readonly templates: ReadonlyMap<string, FlowPart>;
  /** Every group, wherever it is. */
  readonly groups: readonly FlowItem[];
  /** Types of all nodes, in order of first use; disabled nodes count. */
  readonly types: ReadonlySet<string>;
  /** Every wire, in both directions; worked out when first asked for. */
  readonly links: () => Links;
}

/** An empty part. */
export function flowPart(item: FlowItem, templates: ReadonlyMap<string, FlowPart> = new Map()): FlowPart {
  return { item, nodes: new Map(), configs: new Map(), groups: new Map(), templates };
}

/**
 * Takes a flow configuration apart: which node belongs where, and which `link in` each `link out` leads to.
 * @remarks A node whose `z` nobody knows makes a tab of that id. Where an id occurs twice the later item wins here;
 * `findFaults` refuses such flows before.
 */
export function readFlows(flows: FlowConfig): FlowModel {
  const items = new Map<string, FlowItem>();
  const tabs = new Map<string, FlowPart>();
  const templates = new Map<string, FlowPart>();
  for (const item of flows) {
    items.set(item.id, item);
    if (item.type === 'tab') tabs.set(item.id, flowPart(item));
    else if (item.type === 'subflow') templates.set(item.id, flowPart(item));
  }
  const global = flowPart({ id: 'global', type: 'global' });
  const groups: FlowItem[] = [];
  const types = new Set<string>();
  const links = linkWires(flows);
  for (const item of flows) {
    if (item.type === 'tab' || item.type === 'subflow') continue;
    const holder = tabs.get(item.z ?? '') ?? templates.get(item.z ?? '');
    if (item.type === 'group') {
      holder?.groups.set(item.id, item);
      groups.push(item);
      continue;
    }
    types.add(item.type);
    if (isFlowNode(item)) {
      const part = holder ?? impliedTab(item, tabs);
      part?.nodes.set(item.id, withLinkWires(item, links));
    } else {
      (holder ?? global).configs.set(item.id, withLinkWires(item, links));
    }
  }
  noteUsers(flows, global.configs);
  let known: Links | undefined;
  const wired = () => {
    known ??= linksOf(items);
    return known;
  };
  return { items, global, tabs, templates, groups, types, links: wired };
}

/** The types that nobody has registered, in order of first use; a missing template is a missing type. */
export function missingTypes(model: FlowModel, isKnown: (type: string) => boolean): string[] {
  return [...model.types].filter((type) => {
    const template = templateId({ id: '', type });
    return template === undefined ? !isKnown(type) : !model.templates.has(template);
  });
}

/** A node outside of every flow and without `z` runs nowhere. */
function impliedTab(item: FlowItem, tabs: Map<string, FlowPart>): FlowPart | undefined {
  if (!item.z) return undefined;
  const part = flowPart({ id: item.z, type: 'tab' });
  tabs.set(item.z, part);
  return part;
}

/** Where each `link out` leads: what either end says, `link in`s and `link out`s in the order of the file. */
function linkWires(flows: FlowConfig): Map<string, Set<string>> {
  const wires = new Map<string, Set<string>>();
  const connect = (from: unknown, to: unknown) => {
    if (typeof from !== 'string' || typeof to !== 'string') return;
    const ends = wires.get(from);
    if (ends === undefined) wires.set(from, new Set([to]));
    else ends.add(to);
  };
  for (const item of flows) {
    if (!Array.isArray(item['links'])) continue;
    if (item.type === 'link in') for (const from of item['links']) connect(from, item.id);
    else if (item.type === 'link out') for (const to of item['links']) connect(item.id, to);
  }
  return wires;
}

function withLinkWires(item: FlowItem, links: ReadonlyMap<string, Set<string>>): FlowItem {
  if (item.type !== 'link out' || !Array.isArray(item['links'])) return item;
  return { ...item, wires: [[...(links.get(item.id) ?? [])]] };
}

/** Gives every global config node the ids of the nodes that refer to it: `_users`, which constructors read. */
function noteUsers(flows: FlowConfig, configs: Map<string, FlowItem>): void {
  if (configs.size === 0) return;
  const users = new Map<string, string[]>([...configs.keys()].map((id) => [id, []]));
  for (const item of flows) {
    if (!isNode(item)) continue;
    for (const property in item) {
      if (property === 'id' || property === 'wires' || property === 'type') continue;
      const referred = referenceIn(item[property]);
      if (referred !== undefined) users.get(referred)?.push(item.id);
    }
  }
  for (const [id, item] of configs) configs.set(id, { ...item, _users: users.get(id) ?? [] });
}
