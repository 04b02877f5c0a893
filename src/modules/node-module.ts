/** What kind of thing a set holds: node types, or editor/runtime plugins. */
export type SetKind = 'nodes' | 'plugins';

/** A node set (or plugin set) as found on disk: one entry of a module's `node-red.nodes` or `node-red.plugins`. */
export interface NodeSet {
  /** `<module>/<set name>`. */
  readonly id: string;
  readonly name: string;
  readonly module: string;
  readonly version: string;
  readonly kind: SetKind;
  /** Absolute path of the code; absent for an html-only set. */
  readonly file?: string;
  /** Absolute path of the editor's part; absent for a runtime-only set. */
  readonly template?: string;
  /** Node types that the html declares (`data-template-name`), in order. The engine may register more. */
  readonly types: readonly string[];
  readonly enabled: boolean;
  /** The module lies in the user directory. */
  readonly local: boolean;
  /** Locale namespace: `node-red` for core, `<module>/<set>` where a `locales` folder stands beside, else the module. */
  readonly namespace: string;
  /** Absolute path of the `locales` folder that serves the namespace, where there is one. */
  readonly locales?: string;
  /** Why it must not be loaded, where discovery knows it (a missing file, a denied module, a crash while loading). */
  readonly err?: string;
}

/** A module on disk that declares node sets or plugin sets. `node-red` is the core module. */
export interface NodeModule {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the module's folder. */
  readonly path: string;
  /** In the user directory's `node_modules`, its `nodes` folder, or `nodesDir`. */
  readonly local: boolean;
  /** Named in the user directory's package.json: it can be removed and updated. */
  readonly user: boolean;
  /** Node modules that it says it needs (`node-red.dependencies`). */
  readonly dependencies: readonly string[];
  /** Present only because another module depends on it: works, but is listed nowhere. */
  readonly hidden: boolean;
  readonly nodes: readonly NodeSet[];
  readonly plugins: readonly NodeSet[];
}
