import { type Static, Type } from 'typebox';

/**
 * One item of a flow file: a tab, a group, a subflow, a configuration node or a node. Its other properties depend on
 * its type and are kept as they are.
 */
export const FlowItem = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Unique within the flow file' }),
    type: Type.String({ minLength: 1, description: 'tab, group, subflow, subflow:<id>, or a node type' }),
    z: Type.Optional(Type.String({ description: 'The tab or subflow that holds it' })),
  },
  { additionalProperties: true },
);

/** One item of a flow file, as parsed. */
export type FlowItem = Static<typeof FlowItem> & { readonly [property: string]: unknown };

/** The whole flow file: an array of items, without credentials. */
export type FlowConfig = readonly FlowItem[];

/** The credentials of one node, tab, group or subflow, by field name. */
export type NodeCredentials = { readonly [field: string]: unknown };

/** All credentials in clear, by node id. Exists in memory only. */
export type Credentials = { readonly [id: string]: NodeCredentials };

/** How much a deploy restarts. */
export const deployModes = ['full', 'flows', 'nodes', 'reload'] as const;
export type DeployMode = (typeof deployModes)[number];

/** What `GET /flows/state` and the diagnostics report say. */
export const flowStates = ['start', 'stop', 'safe'] as const;
export type FlowState = (typeof flowStates)[number];

/** SHA-256, in hex, of the flow configuration's JSON. */
export type Revision = string;
