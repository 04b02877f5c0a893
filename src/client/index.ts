/** `sluice/client`: the admin API from TypeScript and JavaScript. */
export type { DiagnosticsReport } from '../contract/diagnostics.ts';
export type { DeployMode, FlowConfig, FlowItem, FlowState, Revision } from '../contract/flows.ts';
export type { NodeModuleBody, NodeSetBody } from '../contract/nodes.ts';
export { AdminClient, type AdminClientOptions, type Login } from './admin-client.ts';
export { ApiError } from './api-error.ts';
