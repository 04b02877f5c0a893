import type { ContextsInUse } from './dependencies.ts';
import { templateId } from './flow-item.ts';
import type { FlowModel, FlowPart } from './flow-model.ts';

/**
 * Ids whose contexts are to be kept: every item, and what is inside subflow instances (`<instance>-<template id>`).
 * @remarks Expects a configuration without circular subflows. Ten thousand ids are listed for stores that hold something.
 */
export function idsInUse(model: FlowModel): ContextsInUse['ids'] {
  const inside = idsInsideInstances(model);
  return {
    has: (id) => model.items.has(id) || model.tabs.has(id) || inside.has(id),
    [Symbol.iterator]: () =>
      new Set([...model.items.keys(), ...model.tabs.keys(), ...inside])[Symbol.iterator](),
  };
}

function idsInsideInstances(model: FlowModel): ReadonlySet<string> {
  const ids = new Set<string>();
  if (model.templates.size === 0) return ids;
  const enter = (part: FlowPart, prefix: string) => {
    for (const item of part.nodes.values()) {
      const template = model.templates.get(templateId(item) ?? '');
      if (template === undefined) continue;
      const instance = prefix + item.id;
      for (const kind of [template.nodes, template.configs]) {
        for (const id of kind.keys()) ids.add(`${instance}-${id}`);
      }
      enter(template, `${instance}-`);
    }
  };
  for (const part of model.tabs.values()) enter(part, '');
  return ids;
}
