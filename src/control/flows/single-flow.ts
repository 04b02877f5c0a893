import { AppError } from '../../contract/errors.ts';
import type { FlowConfig, FlowItem } from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';

/** One tab (or `global`) as `/flow/:id` shows it. */
export interface SingleFlow {
  readonly id: string;
  readonly label?: unknown;
  readonly disabled?: unknown;
  readonly info?: unknown;
  readonly env?: unknown;
  /** Groups first, then nodes. Not of `global`. */
  readonly nodes?: readonly JsonObject[];
  readonly configs?: readonly JsonObject[];
  /** Of `global` only. */
  readonly subflows?: readonly JsonObject[];
}

const tabProperties = ['label', 'disabled', 'info', 'env'] as const;

/** Shows one tab, or everything outside of tabs (`global`). Nodes with an unknown `z` form a tab of that id. */
export function readFlow(flows: FlowConfig, id: string): SingleFlow | undefined {
  if (id === 'global') return readGlobal(flows);
  const tab = flows.find((item) => item.id === id && item.type === 'tab');
  const inside = flows.filter((item) => item.z === id);
  if (tab === undefined && (inside.length === 0 || isSubflow(flows, id))) return undefined;
  const configs = inside.filter(isConfig);
  const shown: Record<string, unknown> = { id };
  for (const name of tabProperties) {
    if (tab && Object.hasOwn(tab, name) && (name !== 'label' || tab[name])) shown[name] = tab[name];
  }
  shown['nodes'] = [...inside.filter(isGroup), ...inside.filter(isNode)].map(asShown);
  if (configs.length > 0) shown['configs'] = configs;
  return shown as unknown as SingleFlow;
}

function readGlobal(flows: FlowConfig): SingleFlow {
  const containers = new Set(
    flows.filter((item) => item.type === 'tab' || item.type === 'subflow').map((item) => item.id),
  );
  const configs = flows.filter((item) => isConfig(item) && !containers.has(item.z ?? ''));
  const subflows = flows.filter((item) => item.type === 'subflow');
  const users = usersOf(new Set(configs.map((config) => config.id)), flows);
  return {
    id: 'global',
    ...(configs.length > 0
      ? { configs: configs.map((config) => ({ ...config, _users: users.get(config.id) ?? [] })) }
      : {}),
    ...(subflows.length > 0
      ? {
          subflows: subflows.map((subflow) => {
            const inside = flows.filter((item) => item.z === subflow.id);
            return {
              ...subflow,
              nodes: [...inside.filter(isNode), ...inside.filter(isGroup)].map((item) =>
                item.type.startsWith('subflow:') ? asShown(item) : item,
              ),
              configs: inside.filter(isConfig),
            };
          }),
        }
      : {}),
  };
}

/** Adds a tab with its nodes. */
export function addFlow(flows: FlowConfig, id: string, body: unknown): FlowItem[] {
  if (!isObject(body) || !Object.hasOwn(body, 'nodes')) throw refused('missing nodes property');
  const known = new Set(flows.map((item) => item.id));
  const inside = [...itemsOf(body, 'nodes'), ...itemsOf(body, 'configs')];
  for (const item of inside) {
    if (known.has(String(item['id']))) throw refused('duplicate id');
    if (item['type'] === 'tab' || item['type'] === 'subflow')
      throw refused(`invalid node type: ${item['type']}`);
  }
  return [...flows, tabOf(id, body), ...inside.map((item) => ({ ...item, z: id }) as unknown as FlowItem)];
}

/**
 * Replaces a tab with all its nodes, or everything outside of tabs (`global`).
 * @returns `undefined` where there is no such tab
 */
export function replaceFlow(flows: FlowConfig, id: string, body: unknown): FlowItem[] | undefined {
  if (!isObject(body)) throw refused('the body must be an object');
  if (id === 'global') return replaceGlobal(flows, body);
  if (readFlow(flows, id) === undefined) return undefined;
  const inside = [...itemsOf(body, 'nodes'), ...itemsOf(body, 'configs')];
  return [
    ...withoutFlow(flows, id),
    tabOf(id, body),
    ...inside.map((item) => (item['type'] === 'tab' ? item : { ...item, z: id }) as unknown as FlowItem),
  ];
}

function replaceGlobal(flows: FlowConfig, body: JsonObject): FlowItem[] {
  const subflowIds = new Set(flows.filter((item) => item.type === 'subflow').map((item) => item.id));
  const kept = flows.filter(
    (item) => item.type === 'tab' || (Object.hasOwn(item, 'z') && item.z && !subflowIds.has(item.z)),
  );
  const parts = itemsOf(body, 'subflows').flatMap((subflow) => {
    const { nodes: _nodes, configs: _configs, ...rest } = subflow;
    return [...itemsOf(subflow, 'nodes'), ...itemsOf(subflow, 'configs'), rest];
  });
  return [...kept, ...([...itemsOf(body, 'configs'), ...parts] as unknown as FlowItem[])];
}

/** Removes a tab with all its nodes; `undefined` where there is none. */
export function removeFlow(flows: FlowConfig, id: string): FlowItem[] | undefined {
  if (id === 'global') throw refused('not allowed to remove global');
  return readFlow(flows, id) === undefined ? undefined : withoutFlow(flows, id);
}

function withoutFlow(flows: FlowConfig, id: string): FlowItem[] {
  return flows.filter((item) => item.z !== id && item.id !== id);
}

function tabOf(id: string, body: JsonObject): FlowItem {
  const tab: Record<string, unknown> = { type: 'tab', label: body['label'], id };
  for (const name of ['info', 'disabled', 'env', 'credentials']) {
    if (Object.hasOwn(body, name)) tab[name] = body[name];
  }
  return tab as FlowItem;
}

/** A list of objects in a body; what they hold is checked with the whole configuration. */
function itemsOf(body: JsonObject, name: string): JsonObject[] {
  const list = body[name];
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw refused(`${name} must be an array`);
  return list.map((item: unknown, index) => {
    if (!isObject(item)) throw refused(`${name}[${index}] must be an object`);
    return item;
  });
}

/** A node is a flow node exactly if it has a place on the canvas. */
const isNode = (item: FlowItem): boolean => !isContainer(item) && 'x' in item && 'y' in item;
const isConfig = (item: FlowItem): boolean => !isContainer(item) && !('x' in item && 'y' in item);
const isGroup = (item: FlowItem): boolean => item.type === 'group';
const isContainer = (item: FlowItem): boolean => ['tab', 'subflow', 'group'].includes(item.type);
const isSubflow = (flows: FlowConfig, id: string): boolean =>
  flows.some((item) => item.id === id && item.type === 'subflow');

/** The wires of a `link out` are computed from both ends, so they are not shown; an instance names its subflow. */
function asShown(item: FlowItem): JsonObject {
  if (item.type === 'link out') {
    const { wires: _, ...rest } = item;
    return rest;
  }
  return item.type.startsWith('subflow:') ? { ...item, subflow: item.type.slice('subflow:'.length) } : item;
}

/** Which nodes refer to which of the configuration nodes: any property that equals the id. */
function usersOf(configs: ReadonlySet<string>, flows: FlowConfig): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const item of flows) {
    if (isContainer(item)) continue;
    for (const [name, value] of Object.entries(item)) {
      if (
        name === 'id' ||
        name === 'wires' ||
        name === 'type' ||
        typeof value !== 'string' ||
        !configs.has(value)
      )
        continue;
      const list = users.get(value);
      if (list === undefined) users.set(value, [item.id]);
      else list.push(item.id);
    }
  }
  return users;
}

function refused(detail: string): AppError {
  return new AppError('unexpected_error', { detail });
}
