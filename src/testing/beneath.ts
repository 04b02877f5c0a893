import type { JsonObject } from '../contract/json.ts';
import type { Engine } from '../engine/engine.ts';
import type { NodeSet } from '../modules/node-module.ts';
import type { SpecEvents } from './spec-events.ts';

type Parts = Engine['parts'];

/** What published specs call of `helper._redNodes`. */
export interface FlowControls {
  stopFlows(): Promise<unknown>;
  startFlows(): Promise<unknown>;
  getFlows(): { readonly flows: readonly object[]; readonly rev: string };
  getNode(id: string): unknown;
  /** The sets that are loaded; all nodes under test are one. */
  getNodeList(): readonly object[];
}

/**
 * `helper._redNodes`: stops and starts the flow that is loaded, and tells what it is.
 * @param parts throws where nothing is loaded.
 */
export function flowControls(parts: () => Parts, set: NodeSet): FlowControls {
  return {
    stopFlows: () => parts().flows.stop(),
    startFlows: () => parts().flows.start(),
    getFlows: () => ({ flows: parts().flows.config.flows, rev: parts().flows.config.rev }),
    getNode: (id) => parts().flows.getNode(id),
    getNodeList: () => [
      {
        ...set,
        types: parts()
          .types.ofSet(set.id)
          .map(({ type }) => type),
      },
    ],
  };
}

/**
 * `helper._RED`: the `RED` of what is loaded. Its `util` and `events` are the same before and after `load`, and its
 * `settings` are those that the next `load` will use, so that specs can stub and set them before.
 */
export function redOf(
  loaded: JsonObject | undefined,
  lasting: { readonly util: object; readonly events: SpecEvents; readonly settings: object },
): JsonObject {
  return { ...loaded, ...lasting };
}
