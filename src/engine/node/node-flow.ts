import type { SendEvent } from '../messaging/message.ts';
import type { ContextLike, LogRecord } from './node-services.ts';

/** What a flow is told about a node that reports something. */
export interface ReportingNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string | undefined;
  readonly g?: string | undefined;
}

/** Where names are looked up: a flow, a subflow instance or a group. */
export interface SettingScope {
  /** An env property or special name, here or further out; `undefined` where nobody knows it. */
  getSetting(name: string): unknown;
}

/** `node._flow`: the flow (tab, subflow instance, or the global one) that a node runs in, as node modules use it. */
export interface NodeFlow extends SettingScope {
  readonly id: string;
  /** `<tab>/<subflow instance>/…`. */
  readonly path: string;
  /** `flow`, `subflow`, or `module:<type>`. */
  readonly TYPE: string;
  /** The tab, or what stands for it in a subflow instance. */
  readonly flow: { readonly id?: string; readonly label?: unknown; readonly [member: string]: unknown };
  /** A running node, of this flow or any other. */
  getNode(id: string): object | undefined;
  /** A group of this flow. */
  getGroupNode(id: string): SettingScope | undefined;
  getContext(scope: 'flow' | 'global'): ContextLike | undefined;
  /** Gives an error to the Catch nodes that want it. */
  handleError(node: ReportingNode, problem: unknown, message?: unknown, reporting?: ReportingNode): boolean;
  /** Shows a status, and gives it to the Status nodes that want it. */
  handleStatus(node: ReportingNode, status: unknown, reporting?: ReportingNode, mute?: boolean): boolean;
  /** Gives a message that a node has done with to its Complete nodes. */
  handleComplete(node: object, message: unknown): void;
  send(events: readonly SendEvent[]): void;
  log(record: LogRecord): void;
}
