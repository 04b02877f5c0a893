import type { EngineState } from '../supervisor/state.ts';
import type { CommsHub } from './hub.ts';

/** Takes back what nodes said of themselves, in every open editor, once the process that they were in is gone. */
export function forgetStatuses(hub: Pick<CommsHub, 'retained' | 'publish'>, state: EngineState): void {
  if (state.is !== 'crashed' && state.is !== 'starting') return;
  for (const { topic } of hub.retained()) if (topic.startsWith('status/')) hub.publish(topic, {});
}
