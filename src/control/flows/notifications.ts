import type { JsonObject } from '../../contract/json.ts';
import type { FlowsStatus } from '../../link/protocol.ts';
import { plainWords } from '../comms/plain-words.ts';

/** Topic under which open editors hear what the flows do. */
export const runtimeStateTopic = 'notification/runtime-state';
/** Topic of the revision that was deployed last. */
export const runtimeDeployTopic = 'notification/runtime-deploy';

/**
 * What became of the flows, as the editor understands it.
 * @param deploy whether this is the outcome of a deploy
 */
export function runtimeState(status: FlowsStatus, deploy: boolean): JsonObject {
  const because = deploy ? { deploy: true } : {};
  switch (status.is) {
    case 'running':
      return { state: 'start', ...because };
    case 'stopped':
      return { state: 'stop', ...because };
    case 'safe':
      return { state: 'safe', ...warning('safe-mode') };
    case 'missing-types':
      // The last one has come: all clear, the flows start.
      if (status.types.length === 0) return {};
      return { state: 'stop', ...warning('missing-types'), types: status.types };
    case 'missing-modules':
      return { state: 'stop', ...warning('missing-modules'), modules: status.modules };
    case 'invalid':
      return { state: 'stop', error: 'invalid-flows', type: 'error', ...plainWords(status.message) };
    default:
      return status satisfies never;
  }
}

/** The credential file could not be decrypted. */
export const credentialsLocked: JsonObject = {
  type: 'warning',
  error: 'credentials_load_failed',
  text: 'notification.warnings.credentials_load_failed_reset',
};

/** The flow file could not be used: no flows run until somebody deploys some. */
export function flowFileBroken(name: string, reason: string): JsonObject {
  return {
    state: 'stop',
    error: 'flow-file-broken',
    type: 'error',
    ...plainWords(
      `No flows were started: ${name} is broken (${reason}). It stays as it is until the next deploy, which keeps a copy.`,
    ),
  };
}

function warning(error: string): JsonObject {
  return { error, type: 'warning', text: `notification.warnings.${error}` };
}
