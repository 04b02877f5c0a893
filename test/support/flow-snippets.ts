/** Items of a flow, as the editor saves them. */
export interface Item {
  readonly id: string;
  readonly type: string;
  readonly [property: string]: unknown;
}

/** A tab. */
export const tab = (id: string, more: object = {}): Item => ({ id, type: 'tab', label: id, ...more });

/** A node on a tab, wired to others. */
export const node = (
  id: string,
  type: string,
  z: string,
  wires: readonly string[],
  more: object = {},
): Item => ({
  id,
  type,
  z,
  x: 100,
  y: 100,
  wires: [wires],
  ...more,
});

/**
 * Answers `GET <path>` with what a function's code makes of the message: `http in` → function → `http response`. Ids
 * begin with the given one: `<id>-in`, `<id>`, `<id>-out`.
 */
export function endpoint(id: string, z: string, path: string, code: string): Item[] {
  return [
    node(`${id}-in`, 'http in', z, [id], { url: path, method: 'get', upload: false, swaggerDoc: '' }),
    node(id, 'function', z, [`${id}-out`], {
      func: code,
      outputs: 1,
      timeout: 0,
      noerr: 0,
      initialize: '',
      finalize: '',
      libs: [],
    }),
    { ...node(`${id}-out`, 'http response', z, [], { statusCode: '', headers: {} }), wires: [] },
  ];
}

/** Code that counts its calls in the function node's own context, which ends with the node. */
export const countCalls =
  'const n = (context.get("n") || 0) + 1; context.set("n", n); msg.payload = String(n); return msg;';
