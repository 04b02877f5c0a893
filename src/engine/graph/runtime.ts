import type { FlowConfig, FlowItem, FlowState } from '../../contract/flows.ts';
import type { FlowsDeploy, FlowsStatus } from '../../link/protocol.ts';
import { Router } from '../messaging/router.ts';
import { initialise, type Node, type NodeConfig, terminalOf } from '../node/node.ts';
import { Announcer } from './announcer.ts';
import { idsInUse } from './contexts-in-use.ts';
import type { FlowRuntimeDeps, FlowServices } from './dependencies.ts';
import { diffFlows, type FlowDiff } from './diff.ts';
import { findFaults } from './faults.ts';
import type { FlowParent } from './flow.ts';
import { type FlowModel, missingTypes, readFlows } from './flow-model.ts';
import { FlowsOutcome } from './flows-outcome.ts';
import { LinkCallTargets } from './link-call-targets.ts';
import { type Extent, type Rewired, RunningFlows } from './running-flows.ts';
import { RunningNodes } from './running-nodes.ts';
import { StatusBoard } from './status-board.ts';
import { substitute } from './substitute.ts';

/** A flow configuration as events name it. */
export interface ActiveConfig {
  readonly flows: FlowConfig;
  readonly rev: string;
}

/** What is being started or stopped, and why. */
interface Move {
  readonly extent: Extent;
  readonly diff?: FlowDiff;
  /** Nodes that may run on with other wires. */
  readonly rewired?: Rewired;
  /** Part of a deploy, rather than a start or stop by itself. */
  readonly isDeploy?: boolean;
}

/**
 * The flows of an engine: takes a configuration, builds its nodes, and moves from one configuration to the next.
 * @remarks Moves run one after the other. What goes wrong in a node is logged and keeps no other node from running; a
 * configuration that cannot be built is refused as a whole, and what runs goes on running. Not here: where
 * configurations are kept (the control plane), how messages travel (`messaging/router.ts`).
 */
export class FlowRuntime {
  /** `RED.nodes.linkcallTargets`. */
  readonly linkCallTargets: LinkCallTargets = new LinkCallTargets((id) => this.getNode(id));
  readonly #deps: FlowRuntimeDeps;
  readonly #services: FlowServices;
  readonly #router: Router;
  readonly #flows: RunningFlows;
  readonly #statusBoard: StatusBoard;
  readonly #announcer: Announcer;
  readonly #outcome: FlowsOutcome;
  #config: ActiveConfig = { flows: [], rev: '' };
  #model: FlowModel = readFlows([]);
  /** Why the last configuration that was given was not taken over. */
  #refused: FlowsStatus | undefined;
  /** The flows are to run, whether or not something keeps them from it. */
  #wanted = false;
  /** The last move; the next one waits for it. */
  #moving: Promise<unknown> = Promise.resolve();

  constructor(deps: FlowRuntimeDeps) {
    this.#deps = deps;
    const { hooks, log, settings } = deps;
    this.#router = new Router({
      hooks,
      log,
      terminalOf,
      synchronous: settings.runtimeSyncDelivery === true,
      ...(deps.queueLimit === undefined ? {} : { queueLimit: deps.queueLimit }),
    });
    this.#services = {
      ...deps,
      router: this.#router,
      nodes: new RunningNodes(() => this.#router.invalidate()),
      closeTimeoutMs: settings.nodeCloseTimeout || 15_000,
    };
    this.#flows = new RunningFlows(this.#services, this.#root());
    this.#statusBoard = new StatusBoard(deps.events, deps.comms);
    this.#announcer = new Announcer(deps.events);
    this.#outcome = new FlowsOutcome({ log, announcer: this.#announcer, onStatus: deps.onStatus });
  }

  /** The configuration that runs, or would run. */
  get config(): ActiveConfig {
    return this.#config;
  }

  get status(): FlowsStatus {
    return this.#outcome.status;
  }

  /** Nodes that run, those inside subflow instances included. */
  get nodeCount(): number {
    return this.#services.nodes.size;
  }

  /** Messages that wait for delivery. */
  get queued(): number {
    return this.#router.queued;
  }

  /** Takes the first configuration of this engine, and starts it where the state says so. */
  load(first: Pick<FlowsDeploy, 'flows' | 'rev' | 'credentials'>, state: FlowState): Promise<FlowsStatus> {
    return this.#next(async () => {
      const refused = this.#accept(first, readFlows(first.flows));
      if (refused !== undefined) {
        this.#wanted = state !== 'stop';
        return refused;
      }
      this.#announcer.clear();
      this.#announcer.deployed(first.rev);
      if (state === 'start') return this.#start({ extent: 'full' });
      if (state !== 'safe') return this.#outcome.stayStopped();
      this.#wanted = true;
      return this.#outcome.stayForSafety();
    });
  }

  /**
   * Moves to a new configuration.
   * @returns What became of it once the flows have started; `invalid` where it was refused and nothing was touched.
   */
  deploy(deploy: FlowsDeploy): Promise<FlowsStatus> {
    return this.#next(async () => {
      const model = readFlows(deploy.flows);
      const before = this.#model;
      const refused = this.#accept(deploy, model);
      if (refused !== undefined) return refused;
      const announceDeploy = () => this.#announcer.deployed(deploy.rev);
      if (!this.#wanted) {
        this.#deps.log.info('Updated flows');
        announceDeploy();
        return this.status;
      }
      const diff = diffFlows(before, model, new Set(deploy.changedCredentials));
      const whole = this.status.is === 'safe' || diff.globalConfigChanged;
      const move: Move = {
        extent: whole ? 'full' : deploy.mode,
        diff,
        isDeploy: true,
        // The configuration before may have stopped halfway, for want of a type.
        rewired: this.status.is === 'running' ? diff.rewired : 'all',
      };
      await this.#stop(move);
      await this.#cleanContexts();
      this.#deps.log.info('Updated flows');
      const status = await this.#start(move);
      announceDeploy();
      return status;
    });
  }

  /** Starts the flows; ends safe mode. */
  start(): Promise<FlowsStatus> {
    return this.#next(() => {
      if (this.status.is === 'running') return this.status;
      return this.#refused ?? this.#start({ extent: 'full' });
    });
  }

  stop(): Promise<FlowsStatus> {
    return this.#next(async () => {
      await this.#stop({ extent: 'full' });
      this.#wanted = false;
      return this.#outcome.become({ is: 'stopped' });
    });
  }

  /** Flows that wait for the type start when it was the last. */
  onTypeRegistered(type: string): void {
    if (!this.#outcome.typeArrived(type)) return;
    void this.#next(() => {
      if (this.status.is !== 'missing-types' || !this.#wanted) return this.status;
      this.#announcer.clear();
      return this.#start({ extent: 'full' });
    });
  }

  /** `RED.nodes.createNode`: makes what a type's constructor was called for a node. */
  createNode(node: object, config: object): void {
    const made = node as Node;
    const { _alias } = config as NodeConfig;
    initialise(made, config as NodeConfig, this.#services);
    const stored = this.#deps.credentials.get(_alias || made.id);
    if (stored !== undefined) {
      made.credentials = substitute(stored, { owner: made as never, flow: made._flow });
    } else if (this.#deps.types.credentialFields(made.type) !== undefined) {
      made.credentials = {};
    }
  }

  /** `RED.nodes.getNode`: the running node, or null. */
  getNode(id: string): Node | null {
    return this.#services.nodes.get(id) ?? null;
  }

  /** `RED.nodes.eachNode`: every item of the configuration, tabs and subflows included. */
  eachNode(visit: (item: FlowItem) => void): void {
    for (const item of this.#model.items.values()) visit(item);
  }

  /** Stops everything for good. */
  async close(): Promise<void> {
    await this.stop();
    this.#statusBoard.close();
  }

  /** Runs a move after those before it, whatever became of them. */
  #next(move: () => FlowsStatus | Promise<FlowsStatus>): Promise<FlowsStatus> {
    const result = this.#moving.then(move);
    this.#moving = result.catch(() => undefined);
    return result;
  }

  /** Takes a configuration over, unless it cannot be built. */
  #accept(
    given: Pick<FlowsDeploy, 'flows' | 'rev' | 'credentials'>,
    model: FlowModel,
  ): FlowsStatus | undefined {
    const message = findFaults(given.flows, model);
    if (message !== undefined) {
      this.#deps.log.error(`The flows cannot be started. ${message}`);
      this.#refused = { is: 'invalid', message };
      return this.#refused;
    }
    this.#refused = undefined;
    this.#config = { flows: given.flows, rev: given.rev };
    this.#model = model;
    this.#deps.credentials.replace(given.credentials);
    return undefined;
  }

  async #start(move: Move): Promise<FlowsStatus> {
    const { log, types, events } = this.#deps;
    this.#wanted = true;
    const missing = missingTypes(this.#model, (type) => types.get(type) !== undefined);
    if (missing.length > 0) return this.#outcome.waitForTypes(missing);
    const modules = (await this.#deps.ensureModules?.(this.#config.flows)) ?? [];
    if (modules.length > 0) return this.#outcome.lackModules(modules);
    const what = describe(move.extent);
    const event = { config: this.#config, type: move.extent, diff: move.diff };
    log.info(`Starting ${what}`);
    events.emit('flows:starting', event);
    await this.#flows.start(this.#model, move.rewired ?? 'all');
    const status = this.#outcome.become({ is: 'running' });
    events.emit('flows:started', event);
    events.emit('nodes-started');
    this.#announcer.state('start', move.isDeploy);
    log.info(`Started ${what}`);
    return status;
  }

  async #stop(move: Move): Promise<void> {
    const { log, events } = this.#deps;
    if (!this.#wanted) return;
    const what = describe(move.extent);
    const event = { config: this.#config, type: move.extent, diff: move.diff ?? noDifference };
    log.info(`Stopping ${what}`);
    events.emit('flows:stopping', event);
    await this.#flows.stop(move.extent, move.diff);
    log.info(`Stopped ${what}`);
    events.emit('flows:stopped', event);
    this.#announcer.state('stop', move.isDeploy);
    events.emit('nodes-stopped');
  }

  async #cleanContexts(): Promise<void> {
    try {
      await this.#deps.contexts.clean({ ids: idsInUse(this.#model) });
    } catch (error) {
      this.#deps.log.error(`Contexts that are no longer in use could not be removed: ${String(error)}`);
    }
  }

  /** What lies around the global flow: the process. */
  #root(): FlowParent {
    const hidden = new Set(this.#deps.settings.envVarExcludes);
    return {
      path: '',
      getSetting: (name) =>
        hidden.has(name) || !Object.hasOwn(process.env, name) ? undefined : process.env[name],
      log: (record) => this.#deps.log.log(record),
    };
  }
}

/** What listeners are told where the flows stop without a deploy. */
const noDifference = {
  added: [],
  changed: [],
  removed: [],
  rewired: [],
  linked: [],
  flowChanged: [],
} as const;

function describe(extent: Extent): string {
  return extent === 'full' ? 'flows' : `modified ${extent}`;
}
