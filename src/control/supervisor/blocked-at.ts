/** Where the engine was when nothing had been heard of it for too long. */
export interface BlockedAt {
  /** The node whose code runs, where that can be told. */
  readonly node?: { readonly id: string; readonly type: string; readonly name?: string };
  /** Lines of the stack, innermost first. */
  readonly stack: readonly string[];
}

/** In words, to follow "it is". */
export function describeBlockedAt({ node, stack: [innermost] }: BlockedAt): string {
  if (!node) return `at ${innermost}`;
  return `in the ${describeNode(node)}${innermost === undefined ? '' : `, at ${innermost}`}`;
}

/** A node, as a person who looks at its flow would name it; to follow "the". */
export function describeNode({ id, type, name }: NonNullable<BlockedAt['node']>): string {
  return `${type} node ${name === undefined ? id : `"${name}" (${id})`}`;
}
