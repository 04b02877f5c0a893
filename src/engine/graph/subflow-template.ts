import type { FlowItem } from '../../contract/flows.ts';
import { isObject } from '../../contract/json.ts';
import { cloneValue } from '../messaging/clone.ts';
import { referenceIn, wiresOf } from './flow-item.ts';
import { type FlowPart, flowPart } from './flow-model.ts';

/** A wire that leaves a subflow: from an output of a node inside, or from the instance's own input. */
export interface Tap {
  /** Id of the copied node inside; `undefined` where the subflow's input leads straight out. */
  readonly from: string | undefined;
  readonly port: number;
}

/** A subflow template, copied for one instance. */
export interface ExpandedSubflow {
  readonly part: FlowPart;
  /** By input of the subflow, the nodes inside that it leads to. */
  readonly inputs: string[][];
  /** By output of the subflow, where it comes from. */
  readonly outputs: readonly (readonly Tap[])[];
  /** What the status output comes from; `undefined` where the template has none. */
  readonly status: readonly Tap[] | undefined;
  /** Ids that wires of the template name and that are not in it. */
  readonly unknown: readonly string[];
}

/**
 * Copies a template for an instance: ids become `<instance>-<id>`, `_alias` keeps the old one, and wires, references
 * to nodes of the template and scopes name the copies.
 */
export function expandSubflow(template: FlowPart, instance: FlowItem): ExpandedSubflow {
  const idOf = (id: string) => `${instance.id}-${id}`;
  const inside = new Set([...template.groups.keys(), ...template.configs.keys(), ...template.nodes.keys()]);
  const rename = (id: string) => (inside.has(id) ? idOf(id) : undefined);
  const alias = instance['_alias'] === undefined ? {} : { _alias: instance['_alias'] };
  const part = flowPart({ id: instance.id, type: 'subflow-instance', ...alias }, template.templates);
  for (const kind of ['groups', 'configs', 'nodes'] as const) {
    for (const item of template[kind].values()) {
      const copy = copyItem(item, instance.id, rename);
      part[kind].set(copy.id, copy);
    }
  }
  const unknown: string[] = [];
  const readTap = (end: unknown): Tap[] => {
    if (!isObject(end) || typeof end['id'] !== 'string') return [];
    // Without a number there is no output to come from, not the first one.
    const port = Number(end['port'] ?? Number.NaN);
    if (!(port >= 0 && port <= mostPorts)) return [];
    if (end['id'] === template.item.id) return [{ from: undefined, port }];
    const from = rename(end['id']);
    if (from === undefined) unknown.push(end['id']);
    return from === undefined ? [] : [{ from, port }];
  };
  const { status } = template.item;
  return {
    part,
    inputs: portsOf(template.item['in']).map((port) =>
      endsOf(port).flatMap((end) => (isObject(end) ? (rename(String(end['id'])) ?? []) : [])),
    ),
    outputs: portsOf(template.item['out']).map((port) => endsOf(port).flatMap(readTap)),
    status: isObject(status) ? endsOf(status).flatMap(readTap) : undefined,
    unknown,
  };
}

/** More outputs than any node has; a number beyond is a mistake. */
const mostPorts = 10_000;

/** Types whose `scope` lists nodes. */
const watching: ReadonlySet<string> = new Set(['catch', 'status', 'complete']);

/** Properties that never are references. */
const ownProperties: ReadonlySet<string> = new Set(['id', 'type', 'z', '_alias', 'wires']);

function copyItem(item: FlowItem, instanceId: string, rename: (id: string) => string | undefined): FlowItem {
  const copy: Record<string, unknown> = { ...cloneValue(item) };
  if (Array.isArray(item['wires'])) {
    copy['wires'] = wiresOf(item).map((output) =>
      output.map((id) => (id === null ? null : (rename(id) ?? null))),
    );
  }
  for (const property in copy) {
    if (ownProperties.has(property)) continue;
    const value = copy[property];
    if (property === 'scope' && watching.has(item.type) && Array.isArray(value)) {
      copy['scope'] = value.map((id) => rename(String(id)) ?? '');
      continue;
    }
    const referred = referenceIn(value);
    const renamed = referred === undefined ? undefined : rename(referred);
    // A list with one element becomes the id itself: the nodes that have such lists expect it.
    if (renamed !== undefined) copy[property] = renamed;
  }
  return { ...copy, _alias: item.id, id: `${instanceId}-${item.id}`, z: instanceId, type: item.type };
}

function portsOf(ports: unknown): readonly unknown[] {
  return Array.isArray(ports) ? ports : [];
}

function endsOf(port: unknown): readonly unknown[] {
  return isObject(port) && Array.isArray(port['wires']) ? port['wires'] : [];
}
