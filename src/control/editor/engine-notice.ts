import type { CommsHub } from '../comms/hub.ts';
import { plainWords } from '../comms/plain-words.ts';
import { describeNode } from '../supervisor/blocked-at.ts';
import type { EngineState } from '../supervisor/state.ts';

/** The topic under which editors hear of the engine. */
export const engineNoticeTopic = 'notification/engine-state';

/** What an editor shows; an empty object takes the notice away. */
type Notice =
  | ({ readonly type: 'warning' | 'error' } & ReturnType<typeof plainWords>)
  | Record<string, never>;

/** What a person should know of an engine in this state, and what can be done. */
export function engineNotice(state: EngineState): Notice {
  switch (state.is) {
    case 'running':
    case 'stopped':
      return {};
    // Safe mode has a notice of its own (`notification/runtime-state`).
    case 'safe':
      return {};
    case 'starting':
      return {};
    case 'unresponsive': {
      const node = state.blocked?.node;
      return {
        type: 'error',
        ...plainWords(
          `The engine does not respond: ${node ? `the ${describeNode(node)}` : 'a flow'} may be in an endless loop. ` +
            'Change it and deploy, and the engine is replaced.',
        ),
      };
    }
    case 'crashed':
      return {
        type: 'warning',
        ...plainWords('The engine stopped and is being restarted. The log says why.'),
      };
    default:
      return state satisfies never;
  }
}

/** Tells every open editor, now and later, when the engine is in trouble and when that is over. */
export function publishEngineNotices(
  hub: Pick<CommsHub, 'publish'>,
  supervisor: { on(event: 'state', listener: (state: EngineState) => void): () => void },
): () => void {
  let shown = '{}';
  return supervisor.on('state', (state) => {
    // A restart goes on from "crashed" to "starting": the notice stays until it runs.
    if (state.is === 'starting') return;
    const notice = engineNotice(state);
    const text = JSON.stringify(notice);
    if (text === shown) return;
    shown = text;
    hub.publish(engineNoticeTopic, notice, { retain: text !== '{}' });
  });
}
