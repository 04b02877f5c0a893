import { type Static, Type } from './schema.ts';

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

/** Version of the `/flows` bodies: the array alone, or with its revision. Header `Node-RED-API-Version`. */
export const flowsVersions = ['v1', 'v2'] as const;
export type FlowsVersion = (typeof flowsVersions)[number];

/** Headers of `GET /flows`. */
export const FlowsHeaders = Type.Object({
  'node-red-api-version': Type.Optional(
    Type.Union([Type.Literal('v1'), Type.Literal('v2')], {
      description: 'v1 (default): the array; v2: an object',
    }),
  ),
});

/** Headers of `POST /flows`. */
export const DeployHeaders = Type.Object({
  ...FlowsHeaders.properties,
  'node-red-deployment-type': Type.Optional(
    Type.Union([Type.Literal('full'), Type.Literal('flows'), Type.Literal('nodes'), Type.Literal('reload')], {
      description:
        'What restarts: everything (default), changed flows, changed nodes; reload reads the file again',
    }),
  ),
});

const RevisionField = Type.String({ description: "SHA-256, in hex, of the flows' JSON" });

/** The flows with their revision. */
export const FlowsBody = Type.Object({ flows: Type.Array(FlowItem), rev: RevisionField });

/** A deploy, version 2. */
export const DeployBody = Type.Object({
  flows: Type.Array(FlowItem),
  rev: Type.Optional(
    Type.String({ description: 'What the client started from; without it the deploy is forced' }),
  ),
  credentials: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'By node id; or all of them, encrypted, as { "$" }' },
    ),
  ),
});

/** What a deploy (version 2) answers. */
export const DeployAnswer = Type.Object({ rev: RevisionField });

/** Whether the flows run. */
export const FlowStateBody = Type.Object({
  state: Type.Union([Type.Literal('start'), Type.Literal('stop'), Type.Literal('safe')]),
});

/** One tab with its nodes, as `/flow` takes and gives it; `global` has `configs` and `subflows` instead of nodes. */
export const SingleFlowBody = Type.Object(
  {
    id: Type.Optional(Type.String()),
    label: Type.Optional(Type.String()),
    disabled: Type.Optional(Type.Boolean()),
    info: Type.Optional(Type.String()),
    env: Type.Optional(Type.Array(Type.Unknown())),
    nodes: Type.Optional(Type.Array(FlowItem)),
    configs: Type.Optional(Type.Array(FlowItem)),
    subflows: Type.Optional(Type.Array(FlowItem)),
  },
  { additionalProperties: true },
);

/** The id of a tab. */
export const FlowIdBody = Type.Object({ id: Type.String() });
