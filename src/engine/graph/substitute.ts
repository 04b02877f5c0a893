import type { SettingScope } from '../node/node-flow.ts';
import { getSetting, type SettingOwner } from '../util/setting.ts';

/** Where the names in a value are looked up. */
export interface Substitution {
  /** Whose special names (`NR_NODE_ID` …) and group count. */
  readonly owner: SettingOwner;
  readonly flow: SettingScope & { getGroupNode(id: string): SettingScope | undefined };
}

/**
 * A deep copy of a value out of a flow file, in which every text that is entirely `${NAME}` or `$(NAME)` has become
 * what the name stands for, of whatever type. An unknown name stays as it is written.
 */
export function substitute(value: unknown, at: Substitution): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === dollar ? substituteText(value, at) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => substitute(each, at));
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  const copy: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) copy[key] = substitute(each, at);
  return copy;
}

const dollar = 36;
const wholeName = /^\$(?:\{(\S+)\}|\((\S+)\))$/;

function substituteText(text: string, { owner, flow }: Substitution): unknown {
  const name = wholeName.exec(text);
  if (name === null) return text;
  const value = getSetting(owner, name[1] ?? name[2] ?? '', flow);
  return value === undefined ? text : value;
}
