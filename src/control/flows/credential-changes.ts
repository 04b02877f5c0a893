import type { FlowItem, NodeCredentials } from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { CredentialFields } from '../../link/protocol.ts';

/** What is known of node types, as far as their credentials are concerned. */
export interface CredentialTypes {
  /** The declared fields of a type (dashes for spaces), where it declares any. */
  credentialFields(type: string): CredentialFields | undefined;
  /** Whether the engine has the type. One that it has not may turn up later: nothing of its credentials is dropped. */
  isRegistered(type: string): boolean;
}

/** All credentials by node id. A map, as ids are the user's words. */
export type CredentialMap = ReadonlyMap<string, NodeCredentials>;

/** A deploy taken apart. */
export interface TakenCredentials {
  /** The items without `credentials`. */
  readonly flows: readonly FlowItem[];
  /** What is stored from now on: only of ids that the flows still have. */
  readonly credentials: CredentialMap;
  /** Ids that brought credentials along, whether these differ or not. */
  readonly carried: readonly string[];
  /** Types whose credentials were ignored, because they declare none. */
  readonly undeclared: readonly string[];
}

/** Stands for a password that the editor does not know and did not change. */
const unchangedPassword = '__PWRD__';

/**
 * Takes the `credentials` out of deployed items and applies them to the stored ones, by the peer's rules.
 * @remarks Per declared field: absent keeps, `__PWRD__` keeps a password, blank deletes, anything else sets. Subflows, their
 * instances and types that declare nothing have fields of any name; those a subflow (instance) does not name are deleted.
 * `global-config` keeps `{ map: { NAME: value, has_NAME: true } }`. Pure.
 */
export function takeCredentials(
  items: readonly FlowItem[],
  stored: CredentialMap,
  types: CredentialTypes,
): TakenCredentials {
  const credentials = new Map<string, NodeCredentials>();
  const carried: string[] = [];
  const undeclared = new Set<string>();
  const flows = items.map((item) => {
    const old = stored.get(item.id);
    if (old !== undefined) credentials.set(item.id, old);
    if (!('credentials' in item)) return item;
    const { credentials: brought, ...rest } = item;
    if (!isObject(brought)) return rest as FlowItem;
    carried.push(item.id);
    const rule = ruleFor(item.type, types);
    if (rule === 'ignore') undeclared.add(item.type);
    else credentials.set(item.id, rule(old ?? {}, brought));
    return rest as FlowItem;
  });
  return { flows, credentials, carried, undeclared: [...undeclared] };
}

type Rule = (old: NodeCredentials, brought: JsonObject) => NodeCredentials;

function ruleFor(type: string, types: CredentialTypes): Rule | 'ignore' {
  if (/^subflow(:|$)/.test(type)) return anyNames({ deletesAbsent: true });
  if (type === 'global-config') return globalConfig;
  if (['tab', 'group'].includes(type)) return anyNames({ deletesAbsent: false });
  const fields = types.credentialFields(dashed(type));
  if (fields !== undefined) return declaredNames(fields);
  return types.isRegistered(type) ? 'ignore' : anyNames({ deletesAbsent: false });
}

/** A type's name as credential declarations and `GET /credentials` have it. */
export function dashed(type: string): string {
  return type.replaceAll(/\s+/g, '-');
}

function anyNames({ deletesAbsent }: { readonly deletesAbsent: boolean }): Rule {
  return (old, brought) => {
    const next = new Map(Object.entries(old));
    for (const [name, value] of Object.entries(brought)) {
      if (value === unchangedPassword) continue;
      if (isBlank(value)) next.delete(name);
      else next.set(name, value);
    }
    if (deletesAbsent)
      for (const name of Object.keys(old)) if (!Object.hasOwn(brought, name)) next.delete(name);
    return Object.fromEntries(next);
  };
}

function declaredNames(fields: CredentialFields): Rule {
  return (old, brought) => {
    const next = new Map(Object.entries(old));
    for (const [name, { type }] of Object.entries(fields)) {
      const value = Object.hasOwn(brought, name) ? brought[name] : undefined;
      if (value === undefined || (type === 'password' && value === unchangedPassword)) continue;
      if (isBlank(value)) next.delete(name);
      else next.set(name, value);
    }
    return Object.fromEntries(next);
  };
}

const globalConfig: Rule = (old, brought) => {
  const oldMap = isObject(old['map']) ? old['map'] : {};
  const newMap = isObject(brought['map']) ? brought['map'] : {};
  const map = new Map(
    Object.entries(oldMap).filter(([name]) => Object.hasOwn(newMap, name) && Boolean(newMap[name])),
  );
  for (const [name, value] of Object.entries(newMap)) {
    if (name.startsWith('has_') || (map.has(name) && value === unchangedPassword)) continue;
    map.set(name, value);
    map.set(`has_${name}`, newMap[`has_${name}`]);
  }
  return { ...old, map: Object.fromEntries(map) };
};

function isBlank(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Ids whose credentials differ between two maps, those that only one has included. */
export function changedIds(before: CredentialMap, now: CredentialMap): string[] {
  const ids = new Set([...before.keys(), ...now.keys()]);
  return [...ids].filter((id) => {
    const [a, b] = [before.get(id), now.get(id)];
    return a !== b && JSON.stringify(a) !== JSON.stringify(b);
  });
}
