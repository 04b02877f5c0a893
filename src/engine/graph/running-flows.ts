import type { FlowsDeploy } from '../../link/protocol.ts';
import { logLevel } from '../node/node-services.ts';
import type { FlowServices } from './dependencies.ts';
import type { FlowDiff } from './diff.ts';
import { Flow, type FlowParent, type Rewired } from './flow.ts';
import { isDisabled } from './flow-item.ts';
import type { FlowModel, FlowPart } from './flow-model.ts';
import { GlobalFlow } from './global-flow.ts';
import { NodeCloser } from './node-closer.ts';
import { NodeFactory } from './node-factory.ts';

export type { Rewired } from './flow.ts';

/** How much of the flows a start or a stop touches. */
export type Extent = FlowsDeploy['mode'];

/** The flows that run: the global one, and a flow for every tab that is enabled. */
export class RunningFlows {
  readonly #services: FlowServices;
  readonly #root: FlowParent;
  readonly #factory: NodeFactory;
  readonly #flows = new Map<string, Flow>();
  #global: GlobalFlow | undefined;
  #templates: ReadonlyMap<string, FlowPart> = new Map();

  constructor(services: FlowServices, root: FlowParent) {
    this.#services = services;
    this.#root = root;
    this.#factory = new NodeFactory(services, (id) => this.#templates.get(id));
  }

  /** Starts what a configuration has and what does not run; what runs gets its new wires. */
  async start(model: FlowModel, rewired: Rewired): Promise<void> {
    this.#templates = model.templates;
    this.#global = this.#prepare(this.#global, model.global, this.#root, GlobalFlow);
    for (const [id, part] of model.tabs) {
      if (isDisabled(part.item)) continue;
      this.#flows.set(id, this.#prepare(this.#flows.get(id), part, this.#global, Flow));
    }
    for (const flow of [this.#global, ...this.#flows.values()]) {
      try {
        await flow.start(rewired);
      } catch (error) {
        // One flow that cannot start keeps no other from starting.
        this.#services.log.log({ level: logLevel.error, id: flow.id, type: flow.TYPE, msg: error });
      }
    }
  }

  /**
   * Stops what a deploy of this extent restarts or removes, and waits for it to close. Config nodes outside of tabs
   * close last.
   */
  async stop(extent: Extent, diff: FlowDiff | undefined): Promise<void> {
    const ids = extent === 'full' || diff === undefined ? undefined : idsToStop(extent, diff);
    const removed = new Set(diff?.removed);
    const whole = new Set([...(diff?.flowChanged ?? []), ...(diff?.added ?? []), ...removed]);
    const closer = new NodeCloser(this.#services.closeTimeoutMs);
    for (const [id, flow] of [...this.#flows]) {
      const all = ids === undefined || whole.has(id);
      flow.stop(closer, all ? undefined : ids, removed);
      if (all) this.#flows.delete(id);
    }
    this.#global?.stop(closer, ids, removed);
    if (ids === undefined) this.#global = undefined;
    await closer.done();
  }

  #prepare<F extends Flow>(
    running: F | undefined,
    part: FlowPart,
    parent: FlowParent,
    Kind: new (...parameters: ConstructorParameters<typeof Flow>) => F,
  ): F {
    if (running === undefined) return new Kind(part, parent, this.#factory, this.#services);
    running.update(part);
    return running;
  }
}

function idsToStop(extent: Exclude<Extent, 'full'>, diff: FlowDiff): readonly string[] {
  const touched = [...diff.changed, ...diff.removed];
  return extent === 'nodes' ? touched : [...touched, ...diff.linked, ...diff.rewired];
}
