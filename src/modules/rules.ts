import { isInRange } from './versions.ts';

/** One entry of an allow or deny list. */
interface Rule {
  readonly matches: RegExp;
  /** Semver range after the `@`, if there is one. */
  readonly versions?: string;
  /** Characters before the first `*`: how specific the entry is. */
  readonly literal: number;
  readonly length: number;
}

/** What a list says of a module: names with `*`, optionally `@` and a version range. */
export interface ModuleRules {
  readonly allowList: readonly string[];
  readonly denyList: readonly string[];
}

/**
 * Whether the lists allow a module. Where both lists match, the entry with the longer part before its first `*` wins,
 * then the longer entry; what neither mentions is allowed.
 * @param version exact version, where it is known; without it, version ranges in the lists are not looked at.
 */
export function isAllowed(rules: ModuleRules, name: string, version?: string): boolean {
  const allowed = best(rules.allowList, name, version);
  const denied = best(rules.denyList, name, version);
  if (!denied) return true;
  if (!allowed) return false;
  if (allowed.literal !== denied.literal) return allowed.literal > denied.literal;
  return allowed.length > denied.length;
}

/** Whether an entry that could concern this module names versions, so that the version must be known to decide. */
export function versionMatters(rules: ModuleRules, name: string): boolean {
  return [...rules.allowList, ...rules.denyList]
    .map(parse)
    .some((rule) => rule.versions !== undefined && rule.matches.test(name));
}

function best(list: readonly string[], name: string, version: string | undefined): Rule | undefined {
  return list.map(parse).find((rule) => {
    if (!rule.matches.test(name)) return false;
    return version === undefined || rule.versions === undefined || isInRange(version, rule.versions);
  });
}

function parse(entry: string): Rule {
  const at = entry.indexOf('@', 1);
  const name = at === -1 ? entry : entry.slice(0, at);
  const versions = at === -1 ? undefined : entry.slice(at + 1);
  const star = name.indexOf('*');
  const pattern = name.split('*').map(escaped).join('.*');
  return {
    matches: new RegExp(`^${pattern}$`),
    ...(versions ? { versions } : {}),
    literal: star === -1 ? Number.POSITIVE_INFINITY : star,
    length: name.length,
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
