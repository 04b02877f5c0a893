import { type Static, Type } from 'typebox';

/** A node set as the API shows it (specification, Node Set object). */
export const NodeSetBody = Type.Object(
  {
    id: Type.String({ description: 'Module name, a slash, set name' }),
    name: Type.String(),
    types: Type.Array(Type.String()),
    enabled: Type.Boolean(),
    loaded: Type.Boolean({ description: "The set's code ran without error in the engine" }),
    module: Type.String(),
    version: Type.Optional(Type.String()),
    local: Type.Optional(Type.Boolean()),
    user: Type.Optional(Type.Boolean()),
    err: Type.Optional(Type.String({ description: 'Why the set is not loaded' })),
  },
  { $id: 'NodeSet' },
);
export type NodeSetBody = Static<typeof NodeSetBody>;

/** A plugin set as the API shows it. */
export const PluginSetBody = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    enabled: Type.Boolean(),
    local: Type.Boolean(),
    user: Type.Boolean(),
    module: Type.String(),
    plugins: Type.Array(
      Type.Object(
        { id: Type.String(), type: Type.Optional(Type.String()), module: Type.String() },
        { additionalProperties: true },
      ),
    ),
    editor: Type.Optional(Type.Boolean()),
    runtime: Type.Optional(Type.Boolean()),
    version: Type.String(),
    err: Type.Optional(Type.String()),
  },
  { $id: 'PluginSet' },
);
export type PluginSetBody = Static<typeof PluginSetBody>;

/** A node module as the API shows it (specification, Node Module object). */
export const NodeModuleBody = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    local: Type.Optional(Type.Boolean()),
    user: Type.Optional(Type.Boolean()),
    path: Type.Optional(Type.String()),
    pending_version: Type.Optional(Type.String()),
    dependencies: Type.Optional(Type.Array(Type.String())),
    nodes: Type.Array(NodeSetBody),
    plugins: Type.Array(PluginSetBody),
  },
  { $id: 'NodeModule' },
);
export type NodeModuleBody = Static<typeof NodeModuleBody>;
