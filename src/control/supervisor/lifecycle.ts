import { AppError } from '../../contract/errors.ts';
import { type EngineChange, type EngineState, stateAfter } from './state.ts';

/** Who is told of every new state, and tells others. */
interface StateListeners {
  on(event: 'state', listener: (state: EngineState) => void): () => void;
  emit(event: 'state', state: EngineState): void;
}

/** Whether a state is the one waited for, may become it, or (the error) will not. */
type Verdict = 'there' | 'wait' | AppError;

/** The engine's state, as it goes from change to change, and the wait for it to become another. */
export class Lifecycle {
  readonly #listeners: StateListeners;
  #state: EngineState = { is: 'stopped' };

  constructor(listeners: StateListeners) {
    this.#listeners = listeners;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Takes a change in, and tells of the state that it led to. */
  become(change: EngineChange): void {
    const before = this.#state;
    this.#state = stateAfter(before, change);
    if (this.#state !== before) this.#listeners.emit('state', this.#state);
  }

  /**
   * Resolves when the engine is ready, however many attempts that takes.
   * @throws AppError `engine.gone` when nobody wants an engine any more; the signal's reason
   */
  ready(signal?: AbortSignal): Promise<void> {
    return this.#until(isReady, signal);
  }

  /**
   * Resolves when the engine can be called.
   * @throws AppError `engine.gone`, `engine.unresponsive`; the signal's reason
   */
  answers(signal?: AbortSignal): Promise<void> {
    return this.#until(canAnswer, signal);
  }

  #until(judge: (state: EngineState) => Verdict, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (verdict: Verdict): void => {
        if (verdict === 'wait') return;
        stop();
        signal?.removeEventListener('abort', aborted);
        if (verdict === 'there') resolve();
        else reject(verdict);
      };
      const stop = this.#listeners.on('state', (state) => settle(judge(state)));
      const aborted = (): void => settle(signal?.reason);
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });
      settle(judge(this.#state));
    });
  }
}

function isReady(state: EngineState): Verdict {
  switch (state.is) {
    case 'running':
    case 'safe':
      return 'there';
    case 'starting':
    case 'unresponsive':
    case 'crashed':
      return 'wait';
    case 'stopped':
      return new AppError('engine.gone');
    default:
      return state satisfies never;
  }
}

function canAnswer(state: EngineState): Verdict {
  switch (state.is) {
    case 'running':
    case 'safe':
      return 'there';
    case 'starting':
      return 'wait';
    case 'unresponsive':
      return new AppError('engine.unresponsive');
    case 'stopped':
    case 'crashed':
      return new AppError('engine.gone');
    default:
      return state satisfies never;
  }
}
