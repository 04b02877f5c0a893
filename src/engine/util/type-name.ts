/** A node type's name in camel case: `a-random node` becomes `aRandomNode`. */
export function normaliseNodeTypeName(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}
