import { AppError } from '../contract/errors.ts';
import { joinPieces } from '../contract/flows-delta.ts';
import type {
  ControlEvents,
  EngineCalls,
  EngineEvents,
  EngineSettings,
  EngineStart,
  Handlers,
} from '../link/protocol.ts';
import { type ComposeStart, composeEngine, type EngineParts } from './compose.ts';
import type { EngineDeps } from './control-port.ts';
import { runInstallHook } from './registry/install-hooks.ts';

/** What only the process knows. */
export type EngineFigures = Pick<EngineEvents['heartbeat'], 'queued' | 'nodes'>;

/**
 * The data plane: loads node modules, runs flows, and answers what the control plane asks.
 * @remarks Owns nothing of the process, so that several can live in one (tests). Not here: the link (`main.ts`), the
 * figures of the process.
 */
export class Engine {
  /** Answers the calls of the control plane, but for `stats.read`, which is the process's affair. */
  readonly handlers: Omit<Handlers<EngineCalls>, 'stats.read'>;
  readonly #deps: EngineDeps;
  #parts: EngineParts | undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.handlers = {
      'engine.start': (start) => this.start(start),
      'engine.stop': async () => {
        await this.stop();
        return null;
      },
      'module.load': ({ module }) => this.parts.loader.load([module]),
      'module.unload': ({ module }) => {
        this.parts.loader.unload(module);
        return null;
      },
      'install.hook': ({ hook, event }) => runInstallHook(this.parts.hooks, hook, event),
      'set.enable': ({ set }) => this.parts.loader.enable(set),
      'set.disable': ({ id }) => {
        this.parts.loader.disable(id);
        return null;
      },
      'flows.deploy': (deploy) => this.parts.flows.deploy(deploy),
      'flows.patch': ({ delta, ...deploy }) => {
        const { flows, rev } = this.parts.flows.config;
        if (rev !== delta.base) return { is: 'unknown-base' };
        return this.parts.flows.deploy({ ...deploy, flows: joinPieces(flows, delta.pieces) });
      },
      'flows.start': () => this.parts.flows.start(),
      'flows.stop': () => this.parts.flows.stop(),
      'context.read': (asks) => this.parts.contexts.read(asks),
      'context.delete': (asks) => this.parts.contexts.remove(asks),
      'settings.read': () => this.#settings(),
      'library.read': ({ library, type, path }) => this.parts.librarySources.read(library, type, path),
      'library.write': ({ library, type, path, meta, body }) =>
        this.parts.librarySources.write(library, type, path, meta, body),
    };
  }

  /**
   * What the engine is made of, once it has been started.
   * @throws AppError `engine.failed` before.
   */
  get parts(): EngineParts {
    if (this.#parts === undefined) throw new AppError('engine.failed', { message: 'not started yet' });
    return this.#parts;
  }

  get figures(): EngineFigures {
    const flows = this.#parts?.flows;
    return { queued: flows?.queued ?? 0, nodes: flows?.nodeCount ?? 0 };
  }

  /** Loads the modules, then the flows, and starts these where the state says so. Once only. */
  async start(start: EngineStart): Promise<EngineCalls['engine.start']['gives']> {
    const { httpSocket: socket, httpSecret: secret } = start;
    const parts = await this.prepare({ ...start, http: { socket, secret } });
    const sets = await parts.loader.load(start.modules);
    return { sets, flows: await parts.flows.load(start, start.state) };
  }

  /** Makes the parts, without loading anything. Once only. */
  async prepare(start: ComposeStart): Promise<EngineParts> {
    if (this.#parts !== undefined) throw new AppError('engine.failed', { message: 'started already' });
    this.#parts = await composeEngine(this.#deps, start);
    return this.#parts;
  }

  /** Hears an event of the control plane. */
  hear<E extends keyof ControlEvents>(event: E, data: ControlEvents[E]): void {
    const parts = this.#parts;
    if (parts === undefined) return;
    hearing[event](parts, data);
  }

  /** Stops the flows and closes what the engine holds. */
  stop(): Promise<void> {
    if (this.#parts === undefined) return Promise.resolve();
    this.#stopped ??= this.#parts.close();
    return this.#stopped;
  }

  #settings(): EngineSettings {
    const { nodeSettings, plugins, contexts, libraryTypes, librarySources } = this.parts;
    const libraries = librarySources.list();
    const exported = nodeSettings.exportTo({});
    return {
      exported: { ...plugins.exportSettings(this.#deps.settings.raw), ...exported },
      context: contexts.listStores(),
      libraryTypes: [...libraryTypes],
      ...(libraries.length === 0 ? {} : { libraries }),
    };
  }
}

/** What each event of the control plane does. */
const hearing: {
  readonly [E in keyof ControlEvents]: (parts: EngineParts, data: ControlEvents[E]) => void;
} = {
  'comms.message': ({ events }, { session, topic, user, data }) => {
    events.emit(`comms:message:${topic}`, { session, user, data });
  },
  'comms.connection': ({ events }, { session, is }) => {
    events.emit(`comms:connection-${is}`, { session });
  },
  'userSettings.changed': ({ settings }, { user, value }) => settings.userChanged(user, value),
};
