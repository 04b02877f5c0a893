import type { FlowItem } from '../../contract/flows.ts';
import { compareObjects } from '../util/compare.ts';
import { isDisabled } from './flow-item.ts';
import type { FlowModel } from './flow-model.ts';
import { differs } from './item-difference.ts';
import { findInstances, findLinked, findReferences } from './references.ts';

/** What distinguishes two configurations; by ids. Listeners of `flows:starting` and its kin are given it. */
export interface FlowDiff {
  /** New, or on a tab that is enabled again. */
  readonly added: readonly string[];
  /** Other properties, or a reference to what changed; tabs and templates with such nodes; instances of these. */
  readonly changed: readonly string[];
  /** Gone, or disabled from now on. */
  readonly removed: readonly string[];
  /** Other wires. */
  readonly rewired: readonly string[];
  /** Untouched, but connected to any of these by wires, however far. */
  readonly linked: readonly string[];
  /** Tabs with other env properties. */
  readonly flowChanged: readonly string[];
  readonly globalConfigChanged: boolean;
}

/**
 * Compares two configurations.
 * @param changedCredentials Ids that count as changed whatever their properties.
 * @remarks A position on the canvas is nothing. What happens inside a subflow template counts as a change of its
 * instances.
 */
export function diffFlows(
  before: FlowModel | undefined,
  after: FlowModel,
  changedCredentials: ReadonlySet<string> = new Set(),
): FlowDiff {
  const diff = new Difference(before, after, changedCredentials);
  diff.compareTabs();
  diff.compareOldItems();
  diff.compareNewItems();
  diff.followReferences();
  diff.leaveTemplates();
  diff.enterGroups();
  diff.followInstances();
  return diff.result();
}

/** Why something counts as changed: in itself, or as the member of a changed group. */
type Reason = 'itself' | 'member';

const noItems: ReadonlyMap<string, FlowItem> = new Map();

class Difference {
  readonly #before: FlowModel | undefined;
  readonly #after: FlowModel;
  readonly #old: ReadonlyMap<string, FlowItem>;
  readonly #new: ReadonlyMap<string, FlowItem>;
  readonly #credentials: ReadonlySet<string>;
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #rewired = new Set<string>();
  readonly #flowChanged = new Set<string>();
  readonly #changed = new Map<string, Reason>();
  readonly #changedTemplates = new Set<string>();
  #globalConfigChanged = false;
  /** How many ids both have. */
  #common = 0;

  constructor(before: FlowModel | undefined, after: FlowModel, credentials: ReadonlySet<string>) {
    this.#before = before;
    this.#after = after;
    this.#old = before?.items ?? noItems;
    this.#new = after.items;
    this.#credentials = credentials;
  }

  /** Tabs that are gone, disabled or enabled again. */
  compareTabs(): void {
    for (const [id, part] of this.#before?.tabs ?? []) {
      const now = this.#after.tabs.get(id);
      if (now === undefined) {
        this.#removed.add(id);
        continue;
      }
      const before = isDisabled(part.item);
      const after = isDisabled(now.item);
      if (before !== after) (before ? this.#added : this.#removed).add(id);
    }
  }

  compareOldItems(): void {
    for (const [id, item] of this.#old) {
      const now = this.#new.get(id);
      if (now !== undefined) this.#common++;
      if (item.type === 'tab') {
        if (now !== undefined && !this.#removed.has(id)) this.#compareTab(item, now);
      } else if (now === undefined || this.#isRemoved(item.z)) {
        this.#removed.add(id);
        if (!this.#isRemoved(item.z)) this.#changeHolder(item.z);
      } else if (this.#added.has(item.z ?? '')) {
        this.#added.add(id);
      } else {
        this.#compareItem(item, now);
      }
    }
  }

  compareNewItems(): void {
    for (const group of this.#after.groups) if (this.#changed.has(group.id)) this.#changeMembers(group);
    if (this.#common === this.#new.size) return;
    for (const [id, item] of this.#new) {
      if (this.#old.has(id)) continue;
      if (this.#changeHolder(item.z) === 'subflow') this.#added.delete(id);
      else this.#added.add(id);
    }
  }

  /** Whatever names something that changed or went, changes too; and so on. */
  followReferences(): void {
    if (this.#changed.size === 0 && this.#removed.size === 0) return;
    const references = findReferences(
      this.#new.values(),
      (id) => this.#new.has(id) || this.#removed.has(id) || this.#changed.has(id),
    );
    const waiting = [...this.#changed.keys(), ...this.#removed];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const { item, property } of references.get(id) ?? []) {
        if (this.#changed.has(item.id) || this.#isOldMembership(item, property, id)) continue;
        this.#changed.set(item.id, 'itself');
        waiting.push(item.id);
        if (item.z !== undefined && !this.#changed.has(item.z) && this.#new.has(item.z)) waiting.push(item.z);
        this.#changeHolder(item.z);
      }
    }
  }

  /** What is inside a template does not run itself: its instances do. */
  leaveTemplates(): void {
    for (const id of [...this.#changed.keys()]) {
      const holder = this.#new.get(this.#new.get(id)?.z ?? '');
      if (holder?.type === 'subflow') this.#changed.delete(id);
    }
  }

  /** Members of changed groups, and of the groups in them. */
  enterGroups(): void {
    const nested = this.#after.groups.filter((group) => group['g']);
    for (let again = nested.length > 0; again; ) {
      again = false;
      for (const group of nested) {
        if (!this.#changed.has(group.id) && this.#changed.has(String(group['g']))) {
          this.#changed.set(group.id, 'member');
          again = true;
        }
        if (this.#changed.has(group.id) && this.#changeMembers(group)) again = true;
      }
    }
  }

  /** Instances of changed templates, outwards. */
  followInstances(): void {
    if (this.#changedTemplates.size === 0) return;
    const instances = findInstances(this.#new.values());
    const waiting = [...this.#changedTemplates];
    for (let template = waiting.pop(); template !== undefined; template = waiting.pop()) {
      for (const item of instances.get(template) ?? []) {
        if (this.#changed.has(item.id)) continue;
        this.#changed.set(item.id, 'itself');
        const holder = this.#new.get(item.z ?? '');
        if (holder === undefined || this.#changed.has(holder.id)) continue;
        this.#changed.set(holder.id, 'itself');
        if (holder.type !== 'subflow') continue;
        waiting.push(holder.id);
        this.#changed.delete(item.id);
      }
    }
  }

  result(): FlowDiff {
    const added = [...this.#added];
    const changed = [...this.#changed.keys()];
    const removed = [...this.#removed];
    const rewired = [...this.#rewired];
    const models = this.#before === undefined ? [this.#after] : [this.#before, this.#after];
    let linked: readonly string[] | undefined;
    return {
      added,
      changed,
      removed,
      rewired,
      // Only deploys of type `flows` ask for these, and it takes a look at every wire.
      get linked() {
        linked ??= findLinked(models, [...added, ...changed, ...removed, ...rewired]);
        return linked;
      },
      flowChanged: [...this.#flowChanged],
      globalConfigChanged: this.#globalConfigChanged,
    };
  }

  #isRemoved(tab: string | undefined): boolean {
    return tab !== undefined && this.#removed.has(tab) && this.#old.has(tab);
  }

  #compareTab(was: FlowItem, now: FlowItem): void {
    const changed = JSON.stringify(was['env']) !== JSON.stringify(now['env']);
    if (changed || this.#credentials.has(now.id)) this.#flowChanged.add(now.id);
  }

  #compareItem(was: FlowItem, now: FlowItem): void {
    const { id } = now;
    if (was === now && !this.#credentials.has(id)) return;
    if (!was['d'] && now['d']) this.#removed.add(id);
    if (this.#credentials.has(id) || differs(was, now)) {
      this.#changed.set(id, 'itself');
      if (now.type === 'subflow') this.#changedTemplates.add(id);
      if (now.type === 'global-config') this.#globalConfigChanged = true;
      if (this.#changeHolder(now.z) === 'subflow') this.#changed.delete(id);
    }
    if (!compareObjects(was['wires'], now['wires'])) {
      if (this.#changeHolder(now.z) === 'subflow') this.#rewired.delete(id);
      else this.#rewired.add(id);
    }
  }

  /** A tab or template changes with what is in it. */
  #changeHolder(id: string | undefined): string | undefined {
    const holder = id === undefined ? undefined : this.#new.get(id);
    if (holder === undefined) return undefined;
    this.#changed.set(holder.id, 'itself');
    if (holder.type === 'subflow') this.#changedTemplates.add(holder.id);
    return holder.type;
  }

  #changeMembers(group: FlowItem): boolean {
    const members: unknown = group['nodes'];
    if (!Array.isArray(members)) return false;
    let any = false;
    for (const id of members) {
      if (this.#changed.has(id)) continue;
      this.#changed.set(id, 'member');
      any = true;
    }
    return any;
  }

  /** Being in a group that changed was accounted for with the group, unless the node has only just come into it. */
  #isOldMembership(item: FlowItem, property: string, id: string): boolean {
    if (property !== 'g' || this.#changed.get(id) !== 'itself') return false;
    if (this.#new.get(id)?.type !== 'group') return false;
    const was = this.#old.get(item.id);
    return was !== undefined && was['g'] === item['g'];
  }
}
