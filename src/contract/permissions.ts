/** Every permission that a route of the control plane asks for. Node modules may ask for others. */
export const permissions = [
  'flows.read',
  'flows.write',
  'nodes.read',
  'nodes.write',
  'plugins.read',
  'context.read',
  'context.write',
  'settings.read',
  'settings.write',
  'library.read',
  'library.write',
  'credentials.read',
  'inject.write',
  'debug.write',
  'udp-ports.read',
  'status.read',
  'projects.read',
  'projects.write',
] as const;

/** One right to do one thing, such as `nodes.write`. */
export type Permission = (typeof permissions)[number];

/** What a user holds or a token was given: `*`, `read`, `write`, or single permissions (`*.read` is `read`). */
export type Scope = readonly string[];

/**
 * Whether a scope grants a permission: `*` grants all, `read` (or `*.read`) every one that ends in `.read`, `write`
 * likewise, any other word itself. The empty permission is granted to everyone who holds anything at all.
 */
export function grants(scope: Scope, needed: string): boolean {
  if (needed === '') return true;
  return scope.some((word) => {
    if (word === '*' || word === needed) return true;
    if (word === 'read' || word === '*.read') return needed === 'read' || needed.endsWith('.read');
    if (word === 'write' || word === '*.write') return needed === 'write' || needed.endsWith('.write');
    return false;
  });
}

/** Words that a scope may hold besides single permissions. */
const groups: readonly string[] = ['*', 'read', 'write', '*.read', '*.write'];

/** Whether a word of a scope is one that is known here: a group of permissions, or a permission. */
export function isKnownScope(word: string): boolean {
  return groups.includes(word) || (permissions as readonly string[]).includes(word);
}

/** Whether a scope grants everything that a word of another scope grants. */
export function holds(scope: Scope, word: string): boolean {
  return grants(scope, word === '*.read' || word === '*.write' ? word.slice(2) : word);
}

/** The scope that grants exactly what both scopes grant. */
export function intersect(one: Scope, other: Scope): Scope {
  const words = [...one.filter((word) => holds(other, word)), ...other.filter((word) => holds(one, word))];
  return [...new Set(words)];
}
