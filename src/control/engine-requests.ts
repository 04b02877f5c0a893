import { AppError } from '../contract/errors.ts';
import type { NodeCredentials } from '../contract/flows.ts';
import type { JsonObject } from '../contract/json.ts';
import type { ControlCalls, Handlers } from '../link/protocol.ts';
import type { ConfigFile } from '../storage/config-file.ts';

/** Keys of the runtime configuration that are ours; the engine is neither shown them nor may it change them. */
const reserved: readonly string[] = ['instanceId', '_credentialSecret', 'runtimeFlowState'];

/** What answers to the engine need. */
export interface EngineRequestsDeps {
  /** `.config.runtime.json` */
  readonly runtime: ConfigFile<JsonObject>;
  /** `.config.users.json` */
  readonly users: ConfigFile<JsonObject>;
  setCredentials(id: string, credentials: NodeCredentials | null): Promise<void>;
  installExternal(module: string, args: readonly string[]): Promise<{ readonly version: string }>;
}

/** Answers what the engine asks of the control plane, which owns what must last. */
export function engineRequests(deps: EngineRequestsDeps): Handlers<ControlCalls> {
  return {
    'settings.set': async ({ key, value }) => {
      if (reserved.includes(key))
        throw new AppError('forbidden', { detail: `The setting ${key} is reserved` });
      await store(deps.runtime, key, value);
      return null;
    },
    'userSettings.set': async ({ user, value }) => {
      await store(deps.users, user, value);
      return null;
    },
    'credentials.set': async ({ id, credentials }) => {
      await deps.setCredentials(id, credentials);
      return null;
    },
    'external.install': ({ module, args }) => deps.installExternal(module, args),
  };
}

/** What the engine is shown of the runtime configuration, for `RED.settings.get`. */
export function shownToEngine(runtime: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(runtime).filter(([key]) => !reserved.includes(key)));
}

async function store(file: ConfigFile<JsonObject>, key: string, value: unknown): Promise<void> {
  try {
    await file.update((old) => {
      const { [key]: _, ...others } = old;
      return value === undefined ? others : { ...others, [key]: value };
    });
  } catch (cause) {
    throw new AppError('storage.failed', { message: `${key} could not be stored: ${String(cause)}`, cause });
  }
}
