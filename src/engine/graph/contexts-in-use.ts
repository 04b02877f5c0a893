import type { FlowItem } from '../../contract/flows.ts';
import { templateId } from './flow-item.ts';
import type { FlowModel, FlowPart } from './flow-model.ts';

/**
 * Ids whose contexts are to be kept: every item, and what is inside subflow instances (`<instance>-<template id>`).
 * @remarks Expects a configuration without circular subflows.
 */
export function idsInUse(model: FlowModel): Set<string> {
  const ids = new Set(model.items.keys());
  for (const tab of model.tabs.keys()) ids.add(tab);
  const enter = (part: FlowPart, prefix: string) => {
    for (const item of part.nodes.values()) {
      const template = templateOf(item, model);
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

function templateOf(item: FlowItem, model: FlowModel): FlowPart | undefined {
  const id = templateId(item);
  return id === undefined ? undefined : model.templates.get(id);
}
