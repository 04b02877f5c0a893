import type { NodeModuleBody, NodeSetBody, PluginSetBody } from '../../contract/nodes.ts';
import type { NodeModule, NodeSet } from '../../modules/node-module.ts';
import type { NodeCatalogue } from './catalogue.ts';

/** What bodies are made of. */
export type BodySource = Pick<NodeCatalogue, 'status' | 'isLoaded' | 'errorOf'>;

/** A node set as the API shows it. Its own `user` is always false, as in the peer. */
export function nodeSetBody(set: NodeSet, source: BodySource): NodeSetBody {
  const err = source.errorOf(set);
  return {
    id: set.id,
    name: set.name,
    types: [...(source.status(set.id)?.types ?? set.types)],
    enabled: set.enabled,
    local: set.local,
    user: false,
    module: set.module,
    loaded: source.isLoaded(set),
    ...(err === undefined ? {} : { err }),
    version: set.version,
  };
}

/** A plugin set as the API shows it. */
export function pluginSetBody(set: NodeSet, source: BodySource): PluginSetBody {
  const err = source.errorOf(set);
  return {
    id: set.id,
    name: set.name,
    enabled: set.enabled,
    local: set.local,
    user: false,
    module: set.module,
    plugins: (source.status(set.id)?.plugins ?? []).map(({ id, type }) => ({
      id,
      ...(type === undefined ? {} : { type }),
      module: set.module,
    })),
    editor: set.template !== undefined,
    runtime: set.file !== undefined,
    ...(err === undefined ? {} : { err }),
    version: set.version,
  };
}

/** A module as the API shows it. The core module is nobody's, and its place is not shown. */
export function moduleBody(module: NodeModule, source: BodySource, isCore: boolean): NodeModuleBody {
  return {
    name: module.name,
    version: module.version,
    ...(isCore ? {} : { local: module.local, user: module.user, path: module.path }),
    ...(module.dependencies.length === 0 ? {} : { dependencies: [...module.dependencies] }),
    nodes: module.nodes.map((set) => nodeSetBody(set, source)),
    plugins: module.plugins.map((set) => pluginSetBody(set, source)),
  };
}
