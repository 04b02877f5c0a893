/** Anything with a `prototype` that can be called with `new`: a function or a class. */
export interface Constructable {
  readonly prototype: object;
}

/**
 * Makes a node type's constructor inherit the node base class, whatever style it is written in: a plain function, a
 * class, `util.inherits`, or a class with ancestors of its own, which stay in the chain below the base.
 * @throws TypeError where the value cannot be called with `new` (an arrow function, an object).
 */
export function inheritBase(nodeClass: unknown, base: Constructable): asserts nodeClass is Constructable {
  if (typeof nodeClass !== 'function' || !isObject(nodeClass.prototype)) {
    throw new TypeError('The constructor of a node type must be a function or a class');
  }
  if (isAbove(base.prototype, nodeClass.prototype)) return;
  let oldest: object = nodeClass.prototype;
  for (let above = parentOf(oldest); above !== null && !isShared(above, base); above = parentOf(oldest)) {
    oldest = above;
  }
  Object.setPrototypeOf(oldest, base.prototype);
  const owner: unknown = oldest.constructor;
  // `util.inherits` leaves this behind, and modules written with it call `Type.super_`.
  if (typeof owner === 'function') Object.assign(owner, { super_: base });
}

/** Prototypes that must not be changed: those that the base class itself stands on, `Object.prototype` included. */
function isShared(prototype: object, base: Constructable): boolean {
  return isAbove(prototype, base.prototype);
}

function isAbove(ancestor: object, value: object): boolean {
  return Object.prototype.isPrototypeOf.call(ancestor, value);
}

function parentOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
