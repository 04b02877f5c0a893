import type { FlowItem } from '../../contract/flows.ts';
import type { Node } from '../node/node.ts';
import type { Flow } from './flow.ts';

/** Builds the nodes of a flow. */
export interface NodeMaker {
  /**
   * Builds one node; a failure is logged.
   * @param templateId The subflow, where the node is an instance of one.
   * @returns A promise where a subflow instance has to start; `undefined` where nothing could be built.
   */
  make(
    flow: Flow,
    item: FlowItem,
    templateId: string | undefined,
  ): Node | undefined | Promise<Node | undefined>;
}
