import { isObject, type JsonObject } from '../contract/json.ts';
import { withValueAt } from './with-value.ts';

/** Lists of what is allowed, each with the list beside it of what is not. */
const lists = [
  { group: 'palette', allows: 'allowList', denies: 'denyList' },
  { group: 'palette', allows: 'allowUpdateList', denies: 'denyUpdateList' },
  { group: 'modules', allows: 'allowList', denies: 'denyList' },
] as const;

/** The settings with everything else denied where only what is allowed is listed: whoever lists some means no others. */
export function closedLists(given: JsonObject): JsonObject {
  return lists.reduce<JsonObject>((settings, { group, allows, denies }) => {
    const outer = settings['externalModules'];
    const rules = isObject(outer) ? outer[group] : undefined;
    if (!isObject(rules) || !Array.isArray(rules[allows]) || rules[denies] != null) return settings;
    if (rules[allows].includes('*')) return settings;
    return withValueAt(settings, ['externalModules', group, denies], ['*']);
  }, given);
}
