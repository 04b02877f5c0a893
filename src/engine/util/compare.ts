/**
 * Whether two values are the same: identical, or arrays, Buffers or objects whose members are.
 * @remarks Objects are compared by their own enumerable members alone, whatever their class, so that two dates or two
 * maps are "the same"; NaN is not the same as itself. Node modules rely on the peer's answer, and this is it.
 */
export function compareObjects(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) {
      if (!compareObjects(one[at], other[at])) return false;
    }
    return true;
  }
  if (Buffer.isBuffer(one) || Buffer.isBuffer(other)) {
    return Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other);
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    const mine = (one as Record<string, unknown>)[name];
    if (!compareObjects(mine, (other as Record<string, unknown>)[name])) return false;
  }
  return true;
}
