import type { FlowItem } from '../../contract/flows.ts';
import type { SettingScope } from '../node/node-flow.ts';
import type { ContextLike } from '../node/node-services.ts';
import type { FlowServices } from './dependencies.ts';
import { type Environment, type EnvOwner, evaluateEnv, lookUp } from './environment.ts';
import { envOf } from './flow-item.ts';

/** What a group stands in: another group, or a flow. */
export interface GroupParent extends SettingScope {
  error(text: string): void;
  getContext(scope: 'flow' | 'global'): ContextLike | undefined;
}

/** A group while its flow runs: one level of env properties. */
export class Group implements EnvOwner {
  readonly TYPE = 'group';
  readonly id: string;
  /** The group around this one. */
  readonly g: string | undefined;
  readonly #item: FlowItem;
  readonly #parent: GroupParent;
  #env: Environment = new Map();

  constructor(item: FlowItem, parent: GroupParent) {
    this.id = item.id;
    this.g = item['g'] as string | undefined;
    this.#item = item;
    this.#parent = parent;
  }

  async start(services: FlowServices): Promise<void> {
    const entries = envOf(this.#item);
    if (entries.length === 0) return;
    this.#env = await evaluateEnv(entries, this, services.credentials.get(this.id), services.util);
  }

  getSetting(name: string): unknown {
    if (name === 'NR_GROUP_NAME') return this.#item['name'];
    if (name === 'NR_GROUP_ID') return this.id;
    return lookUp(this.#env, name, this.#parent);
  }

  getContext(scope: 'flow' | 'global'): ContextLike | undefined {
    return this.#parent.getContext(scope);
  }

  error(text: string): void {
    this.#parent.error(text);
  }
}

/**
 * The groups of a flow, outer ones first.
 * @remarks A group whose surrounding group is missing, or is itself, counts as standing in the flow.
 */
export function makeGroups(items: ReadonlyMap<string, FlowItem>, flow: GroupParent): Map<string, Group> {
  const groups = new Map<string, Group>();
  const make = (item: FlowItem, inside: ReadonlySet<string>): Group => {
    const made = groups.get(item.id);
    if (made !== undefined) return made;
    const around = items.get(String(item['g'] ?? ''));
    const parent =
      around === undefined || inside.has(around.id) ? flow : make(around, new Set([...inside, around.id]));
    const group = new Group(item, parent);
    groups.set(item.id, group);
    return group;
  };
  for (const item of items.values()) make(item, new Set([item.id]));
  return groups;
}
