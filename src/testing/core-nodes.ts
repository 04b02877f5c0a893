import { createRequire } from 'node:module';

type NodeFunction = (RED: unknown) => unknown;

const load = (file: string) => (): NodeFunction =>
  createRequire(import.meta.url)(`@node-red/nodes/core/common/${file}`) as NodeFunction;

/** Types that flows of specs may use without loading them. */
export const coreNodes: { readonly [type: string]: () => NodeFunction } = {
  catch: load('25-catch.js'),
  status: load('25-status.js'),
  complete: load('24-complete.js'),
};
