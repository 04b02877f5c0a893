import type { ControlCalls, EngineEvents } from '../link/protocol.ts';
import type { Log } from '../logging/create-logger.ts';
import type { Settings } from '../settings/settings.ts';
import type { RedUtil } from './util/create-util.ts';

/** How the engine reaches whoever runs it: the control plane, or a test. */
export interface ControlPort {
  call<M extends keyof ControlCalls>(
    method: M,
    asks: ControlCalls[M]['asks'],
    options?: { readonly timeoutMs?: number },
  ): Promise<ControlCalls[M]['gives']>;
  /** An event that is `droppable` may be lost where much waits already. */
  send<E extends keyof EngineEvents>(
    event: E,
    data: EngineEvents[E],
    options?: { readonly droppable?: boolean },
  ): unknown;
}

/** What an `Engine` is built from. */
export interface EngineDeps {
  readonly settings: Settings;
  readonly log: Log;
  readonly control: ControlPort;
  /** `RED.util`, where it is to outlive the engine. */
  readonly util?: RedUtil;
  /** Called after each node that starts; the event loop may not turn between two. */
  readonly onNodeStarted?: () => void;
}
