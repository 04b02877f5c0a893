import type { FlowConfig, FlowItem, FlowState } from '../../contract/flows.ts';
import type { FlowsDeploy, FlowsStatus } from '../../link/protocol.ts';
import type { Node } from '../node/node.ts';
import type { FlowRuntimeDeps } from './dependencies.ts';
import { LinkCallTargets } from './link-call-targets.ts';

/**
 * The flows that run: takes a configuration, builds its nodes, and moves from one configuration to the next.
 * @remarks Work in progress: the signatures stand.
 */
export class FlowRuntime {
  /** `RED.nodes.linkcallTargets`. */
  readonly linkCallTargets: LinkCallTargets = new LinkCallTargets((id) => this.getNode(id));
  readonly #deps: FlowRuntimeDeps;

  constructor(deps: FlowRuntimeDeps) {
    this.#deps = deps;
  }

  /** The configuration that runs, or would: `RED.nodes`' flows and its revision. */
  get config(): { readonly flows: FlowConfig; readonly rev: string } {
    throw new Error('not yet');
  }
  get status(): FlowsStatus {
    throw new Error('not yet');
  }
  /** Nodes that run, those inside subflow instances included. */
  get nodeCount(): number {
    return 0;
  }
  /** Messages that wait for delivery. */
  get queued(): number {
    return 0;
  }

  /** Takes the first configuration of this engine; starts it where the state says so. */
  load(_first: Omit<FlowsDeploy, 'mode' | 'changedCredentials'>, _state: FlowState): Promise<FlowsStatus> {
    throw new Error('not yet');
  }
  /** Moves to a new configuration; one after the other. Gives what became of it once the flows have started. */
  deploy(_deploy: FlowsDeploy): Promise<FlowsStatus> {
    throw new Error('not yet');
  }
  start(): Promise<FlowsStatus> {
    throw new Error('not yet');
  }
  stop(): Promise<FlowsStatus> {
    throw new Error('not yet');
  }
  /** Flows that wait for the type start when it was the last. */
  onTypeRegistered(_type: string): void {}

  /** `RED.nodes.createNode`: makes what a type's constructor was called for a node. */
  createNode(_node: object, _config: object): void {}
  /** `RED.nodes.getNode`: the running node, or null. */
  getNode(_id: string): Node | null {
    return null;
  }
  /** `RED.nodes.eachNode`: every item of the configuration, tabs and subflows included. */
  eachNode(_visit: (item: FlowItem) => void): void {}
  /** Stops everything for good. */
  async close(): Promise<void> {
    void this.#deps;
  }
}
