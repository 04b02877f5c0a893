import type { FlowItem } from '../../contract/flows.ts';
import { compareObjects } from '../util/compare.ts';

/** Properties in which an item may differ without being another. */
const ofNoAccount: ReadonlySet<string> = new Set(['x', 'y', 'wires']);
const ofNoAccountInGroup: ReadonlySet<string> = new Set([...ofNoAccount, 'nodes', 'style', 'w', 'h']);

/** Whether an item is another than it was; its place on the canvas and its wires are of no account. */
export function differs(was: FlowItem, now: FlowItem): boolean {
  const ignored = now.type === 'group' ? ofNoAccountInGroup : ofNoAccount;
  let count = 0;
  for (const property in now) {
    if (ignored.has(property)) continue;
    count++;
    const value = now[property];
    if (value !== was[property] && !compareObjects(was[property], value)) return true;
  }
  for (const property in was) if (!ignored.has(property)) count--;
  return count !== 0;
}
