import changeSet from '../palette/change/index.ts';
import functionSet from '../palette/function/index.ts';
import linkSet from '../palette/link/index.ts';
import type { PaletteRed } from '../palette/red.ts';
import switchSet from '../palette/switch/index.ts';

/**
 * Our own node types, by the published file name of the type that each replaces
 * (`@node-red/nodes/core/function/10-function.js`), for specs that load that file by its name.
 */
export const palette: { readonly [publishedFile: string]: (RED: unknown) => unknown } = {
  '@node-red/nodes/core/common/60-link.js': (RED) => linkSet(RED as PaletteRed),
  '@node-red/nodes/core/function/10-function.js': (RED) => functionSet(RED as PaletteRed),
  '@node-red/nodes/core/function/10-switch.js': (RED) => switchSet(RED as PaletteRed),
  '@node-red/nodes/core/function/15-change.js': (RED) => changeSet(RED as PaletteRed),
};
