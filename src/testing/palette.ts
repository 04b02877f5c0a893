/**
 * Our own node types, by the published file name of the type that each replaces
 * (`@node-red/nodes/core/function/10-function.js`), for specs that load that file by its name.
 */
export const palette: { readonly [publishedFile: string]: (RED: unknown) => unknown } = {};
