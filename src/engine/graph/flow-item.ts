import type { FlowItem } from '../../contract/flows.ts';

/** Items that hold others or decorate them; everything else is a node and needs a type. */
const containers: ReadonlySet<string> = new Set(['tab', 'subflow', 'group']);

/** Whether the item is a node (a flow node, a config node, a subflow instance). */
export function isNode(item: FlowItem): boolean {
  return !containers.has(item.type);
}

/** A flow node has a place on the canvas; a config node has none. */
export function isFlowNode(item: FlowItem): boolean {
  return Object.hasOwn(item, 'x') && Object.hasOwn(item, 'y');
}

/** Whether a tab is disabled: any truthy value counts, whereas a node's `d` has to be `true`. */
export function isDisabled(tab: FlowItem): boolean {
  return Boolean(tab['disabled']);
}

/** The id of the template that the item is an instance of, if it is one. */
export function templateId(item: FlowItem): string | undefined {
  return item.type.startsWith('subflow:') && item.type.length > 8 ? item.type.slice(8) : undefined;
}

/**
 * The id that a property may refer to: its text, or the text of the only element of an array.
 * @remarks Flows rely on the second form: `scope`, `links` and `nodes` with one element count as references.
 */
export function referenceIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string') return value[0];
  return undefined;
}

/** Ids by output; anything that is not a list of lists of ids reads as no wire. */
export function wiresOf(item: FlowItem): (string | null)[][] {
  const { wires } = item;
  if (!Array.isArray(wires)) return [];
  return wires.map((output: unknown) =>
    Array.isArray(output) ? output.map((id: unknown) => (typeof id === 'string' ? id : null)) : [],
  );
}

/** An entry of an `env` property. */
export interface EnvEntry {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly ui?: unknown;
}

/** The entries of an item's `env` that have a name. */
export function envOf(item: FlowItem): readonly EnvEntry[] {
  const { env } = item;
  if (!Array.isArray(env)) return [];
  return env.filter(
    (entry: unknown): entry is EnvEntry =>
      typeof entry === 'object' && entry !== null && typeof (entry as EnvEntry).name === 'string',
  );
}
