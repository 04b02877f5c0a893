import type { FlowConfig } from '../../contract/flows.ts';
import { templateId } from './flow-item.ts';
import type { FlowModel } from './flow-model.ts';

/**
 * What makes a configuration impossible to build: ids that occur twice, subflows that contain themselves.
 * @returns A text that names them, or `undefined` where there is nothing wrong.
 */
export function findFaults(flows: FlowConfig, model: FlowModel): string | undefined {
  const twice = model.items.size === flows.length ? [] : repeatedIds(flows);
  if (twice.length > 0) return `These ids occur more than once: ${twice.join(', ')}`;
  const circle = circularSubflow(model);
  if (circle !== undefined) return `A subflow contains itself: ${circle.join(' → ')}`;
  return undefined;
}

function repeatedIds(flows: FlowConfig): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of flows) {
    if (seen.has(id)) twice.add(id);
    seen.add(id);
  }
  return [...twice];
}

/** The way from a template back to itself, by name (or id). */
function circularSubflow(model: FlowModel): string[] | undefined {
  const inside = new Map<string, string[]>();
  for (const [id, part] of model.templates) {
    const used = [...part.nodes.values()].map(templateId).filter((each) => each !== undefined);
    inside.set(id, used);
  }
  const finished = new Set<string>();
  const way: string[] = [];
  const visit = (id: string): string[] | undefined => {
    if (finished.has(id)) return undefined;
    const before = way.indexOf(id);
    if (before >= 0) return [...way.slice(before), id];
    way.push(id);
    for (const each of inside.get(id) ?? []) {
      const circle = visit(each);
      if (circle !== undefined) return circle;
    }
    way.pop();
    finished.add(id);
    return undefined;
  };
  for (const id of inside.keys()) {
    const circle = visit(id);
    if (circle !== undefined) return circle.map((each) => nameOf(model, each));
  }
  return undefined;
}

function nameOf(model: FlowModel, id: string): string {
  const name = model.templates.get(id)?.item['name'];
  return typeof name === 'string' && name !== '' ? `${name} (${id})` : id;
}
