import { type Static, Type } from './schema.ts';

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

/** What is to be installed (specification, POST /nodes, JSON). */
export const InstallBody = Type.Object({
  module: Type.Optional(
    Type.String({ description: 'Name in the registry, or absolute path of a directory with a node module' }),
  ),
  version: Type.Optional(
    Type.String({ description: 'An exact version; an installed module is changed to it' }),
  ),
  url: Type.Optional(Type.String({ description: 'Where to get the module from, instead of the registry' })),
});
export type InstallBody = Static<typeof InstallBody>;

/** A package that is uploaded (specification, POST /nodes, multipart). The part may have any name. */
export const UploadBody = Type.Object({
  tarball: Type.Optional(
    Type.String({
      contentMediaType: 'application/x-compressed-tar',
      description: 'A package as `npm pack` makes it; its file name ends in .tgz',
    }),
  ),
});

/** Enables or disables a node set, or all of a module. */
export const EnableBody = Type.Object({ enabled: Type.Optional(Type.Boolean()) });
export type EnableBody = Static<typeof EnableBody>;

/** Names in the path: a module. */
export const ModuleParams = Type.Object({ module: Type.String() });
/** A module and a set of it. */
export const SetParams = Type.Object({ module: Type.String(), set: Type.String() });
/** The same of a scoped module, whose name takes two steps of a path. */
export const ScopedSetParams = Type.Object({
  scope: Type.String({ pattern: '^@' }),
  module: Type.String(),
  set: Type.String(),
});

/** The language of texts. */
export const LanguageQuery = Type.Object({
  lng: Type.Optional(Type.String({ description: 'Language tag, such as de' })),
});

/** Texts of a node set: nested objects of strings. */
export const TextsBody = Type.Object({}, { additionalProperties: true });

/** Icons by module. */
export const IconsBody = Type.Record(Type.String(), Type.Array(Type.String()));
