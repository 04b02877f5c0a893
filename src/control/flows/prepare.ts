import { AppError } from '../../contract/errors.ts';
import { findFlowProblem } from '../../contract/flow-problem.ts';
import type { FlowConfig, FlowItem, NodeCredentials } from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Logger } from '../../logging/logger.ts';
import { isSealed } from '../../storage/credential-cipher.ts';
import { type CredentialMap, type CredentialTypes, takeCredentials } from './credential-changes.ts';
import type { FlowStore, NextFlows } from './store.ts';
import { findSubflowCycle } from './subflow-cycle.ts';

/**
 * Checks the shape of deployed flows: items, ids, subflows that contain themselves. `invalid_flow` names what is wrong.
 * @param sound flows that passed this check: what they share with these is not looked at again
 */
export function checkFlows(flows: unknown, sound?: FlowConfig): readonly FlowItem[] {
  const problem = findFlowProblem(flows, { duplicates: 'refused', sound });
  if (problem !== undefined) throw invalid(problem);
  const items = flows as readonly FlowItem[];
  const cycle = findSubflowCycle(items);
  if (cycle !== undefined) throw invalid(`subflows contain each other: ${cycle.join(' → ')}`);
  return items;
}

/** What a deploy makes of the credentials that are stored. */
export interface CredentialsOfDeploy {
  readonly store: Pick<FlowStore, 'unseal'>;
  readonly types: CredentialTypes;
  readonly log: Logger;
}

/**
 * Takes a deploy apart into flows and credentials.
 * @param brought credentials beside the flows: all of them encrypted (`{ $ }`), or by id
 */
export async function prepareDeploy(
  items: readonly FlowItem[],
  brought: unknown,
  stored: CredentialMap,
  deps: CredentialsOfDeploy,
): Promise<NextFlows & { readonly carried: readonly string[] }> {
  if (brought !== undefined && brought !== null && !isObject(brought))
    throw invalid('credentials: must be an object');
  const base = isSealed(brought) ? await unseal(brought.$, deps) : stored;
  const taken = takeCredentials(items, base, deps.types);
  for (const type of taken.undeclared) {
    deps.log.warn(`Credentials of type ${JSON.stringify(type)} are ignored: the type declares none`);
  }
  if (!isObject(brought) || isSealed(brought)) return taken;
  const ids = new Set(items.map((item) => item.id));
  return { ...taken, credentials: new Map([...taken.credentials, ...entriesOf(brought, ids)]) };
}

async function unseal($: string, { store }: CredentialsOfDeploy): Promise<CredentialMap> {
  const opened = await store.unseal({ $ });
  if (opened === undefined) throw new AppError('credentials_load_failed');
  return new Map(Object.entries(opened));
}

function entriesOf(brought: JsonObject, ids: ReadonlySet<string>): [string, NodeCredentials][] {
  return Object.entries(brought).flatMap(([id, credentials]) => {
    if (!isObject(credentials)) throw invalid(`credentials: ${JSON.stringify(id)} must be an object`);
    return ids.has(id) ? [[id, credentials] as [string, NodeCredentials]] : [];
  });
}

function invalid(problem: string): AppError {
  return new AppError('invalid_flow', { detail: `Invalid flows: ${problem}` });
}
