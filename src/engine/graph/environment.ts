import type { NodeCredentials } from '../../contract/flows.ts';
import { cloneValue } from '../messaging/clone.ts';
import type { SettingScope } from '../node/node-flow.ts';
import type { ContextLike } from '../node/node-services.ts';
import type { EvaluationUtil } from './dependencies.ts';
import type { EnvEntry } from './flow-item.ts';

/** Whose env properties are evaluated: a flow, a subflow instance, a group. */
export interface EnvOwner extends SettingScope {
  getContext(scope: 'flow' | 'global'): ContextLike | undefined;
  /** Writes to the log. */
  error(text: string): void;
}

/** The values of env properties by name. */
export type Environment = ReadonlyMap<string, unknown>;

/** The prefix of a name that is to be looked up one level further out. */
const parentPrefix = '$parent.';

/** Looks a name up in one level's values, or asks the next one. */
export function lookUp(own: Environment, name: string, next: SettingScope | undefined): unknown {
  if (name.startsWith(parentPrefix)) return next?.getSetting(name.slice(parentPrefix.length));
  // A fresh copy: whoever is given an object may change it.
  if (own.has(name)) return cloneValue(own.get(name));
  return next?.getSetting(name);
}

/**
 * Evaluates the entries of an `env` property.
 * @returns A promise only where an entry is a JSONata expression.
 * @remarks Entries of type `env` come last, since they may name other entries; one that names itself means the next
 * level's. An entry that cannot be evaluated is logged and has no value.
 */
export function evaluateEnv(
  entries: readonly EnvEntry[],
  owner: EnvOwner,
  credentials: NodeCredentials | undefined,
  util: EvaluationUtil,
): Environment | Promise<Environment> {
  const values = new Map<string, unknown>();
  const waiting: Promise<void>[] = [];
  for (const entry of entries) {
    if (entry.type === 'jsonata') {
      values.set(entry.name, entry.value);
      waiting.push(
        evaluateJsonata(entry, owner, util).then((value) => {
          values.set(entry.name, value);
        }),
      );
    } else {
      values.set(entry.name, evaluateEntry(entry, owner, credentials, util));
    }
  }
  const finish = () => {
    for (const entry of entries) {
      if (entry.type === 'env') values.set(entry.name, resolveEnv(entry, values, owner, util));
    }
    return values;
  };
  return waiting.length === 0 ? finish() : Promise.all(waiting).then(finish);
}

function evaluateEntry(
  { name, type, value }: EnvEntry,
  owner: EnvOwner,
  credentials: NodeCredentials | undefined,
  util: EvaluationUtil,
): unknown {
  switch (type) {
    case 'env':
      return value;
    case 'bool':
      return value === 'true' || value === true;
    case 'cred':
      return credentials !== undefined && Object.hasOwn(credentials, name) ? credentials[name] : value;
    case 'conf-type':
      // The config node is chosen by a property of the subflow around this one.
      if (typeof value === 'string' && /^\$\{[^}]+\}$/.test(value))
        return owner.getSetting(value.slice(2, -1));
      break;
  }
  try {
    return util.evaluateNodeProperty(value, type, { _flow: owner }, null);
  } catch (error) {
    owner.error(cannotEvaluate(name, error));
    return undefined;
  }
}

function evaluateJsonata({ name, value }: EnvEntry, owner: EnvOwner, util: EvaluationUtil): Promise<unknown> {
  const node = {
    _flow: owner,
    context: () => ({ flow: owner.getContext('flow'), global: owner.getContext('global') }),
  };
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      owner.error(cannotEvaluate(name, error));
      resolve(undefined);
    };
    try {
      util.evaluateNodeProperty(value, 'jsonata', node, null, (error, result) => {
        if (error) fail(error);
        else resolve(result);
      });
    } catch (error) {
      fail(error);
    }
  });
}

function resolveEnv(entry: EnvEntry, values: Environment, owner: EnvOwner, util: EvaluationUtil): unknown {
  const text = String(entry.value);
  const name = text === entry.name ? parentPrefix + text : text;
  if (values.has(name)) return values.get(name);
  const scope: SettingScope = {
    getSetting: (each) => (values.has(each) ? cloneValue(values.get(each)) : owner.getSetting(each)),
  };
  try {
    return util.evaluateNodeProperty(name, 'env', { _flow: scope }, null);
  } catch (error) {
    owner.error(cannotEvaluate(entry.name, error));
    return undefined;
  }
}

/** What JSONata throws is no Error, and says nothing as a text. */
function cannotEvaluate(name: string, error: unknown): string {
  const said = error instanceof Error || typeof error !== 'object' ? error : (error as Error | null)?.message;
  return `Error evaluating env property '${name}': ${String(said)}`;
}
