import { describe, expect, it } from 'vitest';
import { nodeModule, nodeSet } from '../../../test/support/node-module.ts';
import type { NodeModule } from '../../modules/node-module.ts';
import { culpritOf } from './culprit.ts';

function moduleOf(name: string, ...sets: readonly string[]): NodeModule {
  const path = `/dir/node_modules/${name}`;
  const nodes = sets.map((set) => nodeSet(name, set, { file: `${path}/${set}.js` }));
  return nodeModule(name, path, nodes);
}

const modules = [moduleOf('surf', 'wave', 'board'), moduleOf('surf-two', 'wave')];

describe('whom to blame', () => {
  it('is the set being loaded where no stack says otherwise', () => {
    expect(culpritOf({ loading: 'surf/board', callers: [], modules })).toBe('surf/board');
    const callers = ['f (/elsewhere/x.js:1:1)'];
    expect(culpritOf({ loading: 'surf/board', callers, modules })).toBe('surf/board');
    expect(culpritOf({ loading: undefined, callers, modules })).toBeUndefined();
  });

  it('is the set whose file called exit, whatever is being loaded meanwhile', () => {
    const callers = [
      'Timeout._onTimeout (/dir/node_modules/surf/wave.js:3:9)',
      'x (/dir/node_modules/surf-two/wave.js:1:1)',
    ];
    expect(culpritOf({ loading: 'surf-two/wave', callers, modules })).toBe('surf/wave');
    expect(culpritOf({ loading: undefined, callers, modules })).toBe('surf/wave');
  });

  it("is a set of the module whose other file called exit, the one being loaded if it is the module's", () => {
    const callers = ['f (/dir/node_modules/surf/lib/deep.js:1:1)'];
    expect(culpritOf({ loading: 'surf/board', callers, modules })).toBe('surf/board');
    expect(culpritOf({ loading: 'surf-two/wave', callers, modules })).toBe('surf/wave');
  });
});
