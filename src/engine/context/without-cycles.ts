/** JSON text, and whether something had to be left out. */
export interface JsonText {
  readonly json: string;
  readonly circular: boolean;
}

/** JSON with four spaces, without the references that lead back to an object that holds them. */
export function stringifyWithoutCycles(value: unknown): JsonText {
  const holders: unknown[] = [];
  let circular = false;
  const json = JSON.stringify(
    value,
    function (this: unknown, _, member: unknown) {
      if (typeof member !== 'object' || member === null) return member;
      // `this` holds the member: what lies above it in the list has been left.
      holders.length = holders.lastIndexOf(this) + 1;
      if (holders.includes(member)) {
        circular = true;
        return undefined;
      }
      holders.push(member);
      return member;
    },
    4,
  );
  return { json, circular };
}
