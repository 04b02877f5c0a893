import type { FlowsStatus } from '../../link/protocol.ts';
import type { Announcer } from './announcer.ts';
import type { FlowLog, MissingModule } from './dependencies.ts';

/** Who is told of an outcome. */
export interface OutcomeDeps {
  readonly log: FlowLog;
  readonly announcer: Announcer;
  readonly onStatus?: ((status: FlowsStatus) => void) | undefined;
}

/**
 * What has become of the flows. Where something keeps them from running, that is said in the log, to listeners and to
 * open editors.
 */
export class FlowsOutcome {
  readonly #deps: OutcomeDeps;
  #status: FlowsStatus = { is: 'stopped' };

  constructor(deps: OutcomeDeps) {
    this.#deps = deps;
  }

  get status(): FlowsStatus {
    return this.#status;
  }

  /** Takes what is said elsewhere. */
  become(status: FlowsStatus): FlowsStatus {
    this.#status = status;
    this.#deps.onStatus?.(status);
    return status;
  }

  /** Types are waited for. */
  waitForTypes(types: readonly string[]): FlowsStatus {
    const { log, announcer } = this.#deps;
    log.info('Waiting for missing types to be registered:');
    for (const type of types) log.info(` - ${type}`);
    announcer.problem('stop', 'missing-types', { types });
    return this.become({ is: 'missing-types', types });
  }

  /**
   * A type is there now.
   * @returns whether it was the last that was waited for
   */
  typeArrived(type: string): boolean {
    if (this.#status.is !== 'missing-types' || !this.#status.types.includes(type)) return false;
    this.#deps.log.info(`A missing node type is here now: ${type}`);
    const types = this.#status.types.filter((each) => each !== type);
    this.become({ is: 'missing-types', types });
    return types.length === 0;
  }

  /** Packages could not be had. */
  lackModules(modules: readonly MissingModule[]): FlowsStatus {
    const { log, announcer } = this.#deps;
    log.info('These modules, which the flows need, could not be had:');
    for (const { module, error } of modules) log.info(` - ${module} [${error}]`);
    announcer.problem('stop', 'missing-modules', { modules });
    return this.become({ is: 'missing-modules', modules });
  }

  /** They are left alone, until somebody starts or deploys them. */
  stayForSafety(): FlowsStatus {
    this.#deps.log.info('Safe mode: the flows are loaded but not started');
    this.#deps.announcer.problem('safe', 'safe-mode', {});
    return this.become({ is: 'safe' });
  }

  /** They were stopped before, and stay so. */
  stayStopped(): FlowsStatus {
    this.#deps.log.info('The flows are stopped');
    this.#deps.announcer.state('stop');
    return this.become({ is: 'stopped' });
  }
}
