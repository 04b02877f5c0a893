/** Where names are looked up for a node: its flow, or a group. */
export interface SettingScope {
  getSetting(name: string): unknown;
  getGroupNode?(id: string): { getSetting(name: string): unknown } | undefined;
}

/** What of a node matters to a look-up of its environment. */
export interface SettingOwner {
  readonly id?: string;
  readonly name?: string;
  readonly g?: string;
  readonly _path?: string;
  readonly _flow?: SettingScope;
}

/**
 * An environment property as a node sees it: its own special names, its group, its flow, the process.
 * @returns undefined where nothing has that name.
 */
export function getSetting(
  node: SettingOwner | null | undefined,
  name: string,
  flow?: SettingScope | null,
): unknown {
  if (node) {
    if (name === 'NR_NODE_NAME') return node.name;
    if (name === 'NR_NODE_ID') return node.id;
    if (name === 'NR_NODE_PATH') return node._path;
  }
  const scope = flow || node?._flow;
  if (!scope) return process.env[name];
  const group = node?.g ? scope.getGroupNode?.(node.g) : undefined;
  return (group ?? scope).getSetting(name);
}

/**
 * Text of type `env`: the name of a property, `${NAME}`, or text with `${NAME}` in it.
 * @returns the property's value as it is, or text; an absent property is empty text.
 */
export function evaluateEnv(text: string, node: SettingOwner | null | undefined): unknown {
  const flow = node && Object.hasOwn(node, '_flow') ? node._flow : undefined;
  const valueFor = (name: string): unknown => {
    const value = getSetting(node, name, flow);
    return value === undefined ? '' : value;
  };
  if (/^\$\{[^}]+\}$/.test(text)) return valueFor(text.slice(2, -1));
  if (!/\$\{\S+\}/.test(text)) return valueFor(text);
  return text.replace(/\$\{([^}]+)\}/g, (_, name: string) => `${valueFor(name)}`);
}
