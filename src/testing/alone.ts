import { AppError } from '../contract/errors.ts';
import type { ControlPort } from '../engine/control-port.ts';
import type { ControlCalls, EngineEvents, Handlers } from '../link/protocol.ts';

/** Stands for the control plane where there is none: nothing lasts, nothing is installed. */
export function alone(publish: (topic: string, data: unknown) => void): ControlPort {
  const handlers: Handlers<ControlCalls> = {
    'settings.set': () => null,
    'userSettings.set': () => null,
    'credentials.set': () => null,
    'external.install': ({ module }) => {
      throw new AppError('install_not_allowed', { detail: `Nothing is installed in a test: ${module}` });
    },
  };
  return {
    call: async (method, asks) => handlers[method](asks as never) as never,
    send(event, data) {
      if (event !== 'comms') return;
      const { topic, data: value } = data as EngineEvents['comms'];
      publish(topic, value);
    },
  };
}
