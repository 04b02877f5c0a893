import type { Node } from '../node/node.ts';
import type { ReportingNode } from '../node/node-flow.ts';
import type { Environment } from './environment.ts';
import { Flow } from './flow.ts';
import { envOf } from './flow-item.ts';

/** The flow of the config nodes that belong to no tab: the parent of every tab. */
export class GlobalFlow extends Flow {
  override getSetting(name: string): unknown {
    return name === 'NR_FLOW_NAME' || name === 'NR_FLOW_ID' ? undefined : super.getSetting(name);
  }

  /** A config node that counts its users has the Catch nodes of their flows. */
  override handleError(node: ReportingNode, problem: unknown, message?: unknown): boolean {
    const users = usersOf(node);
    if (users === undefined) return super.handleError(node, problem, message);
    return anyOf(users.map((user) => user._flow.handleError(node, problem, message, user)));
  }

  override handleStatus(
    node: ReportingNode,
    status: unknown,
    reporting: ReportingNode = node,
    mute = false,
  ): boolean {
    const shown = super.handleStatus(node, status, reporting, mute);
    const users = usersOf(node) ?? [];
    return anyOf([shown, ...users.map((user) => user._flow.handleStatus(node, status, user, true))]);
  }

  /** The env properties of all `global-config` nodes. */
  protected override evaluateEnv(): Environment | Promise<Environment> {
    const configs = [...this.part.configs.values()].filter((item) => item.type === 'global-config');
    const evaluated = configs.map((item) => {
      const map = this.services.credentials.get(item.id)?.['map'];
      return this.evaluate(envOf(item), typeof map === 'object' && map !== null ? { ...map } : {});
    });
    const merge = (all: readonly Environment[]) => new Map(all.flatMap((each) => [...each]));
    return evaluated.some((each) => each instanceof Promise)
      ? Promise.all(evaluated).then(merge)
      : merge(evaluated as Environment[]);
  }
}

function usersOf(node: ReportingNode): readonly Node[] | undefined {
  const { users } = node as Node;
  return users ? Object.values(users).filter((user) => user?._flow !== undefined) : undefined;
}

/** All of them have been asked already; this only sums up. */
function anyOf(answers: readonly boolean[]): boolean {
  return answers.some((answer) => answer);
}
