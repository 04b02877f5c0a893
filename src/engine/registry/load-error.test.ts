import { describe, expect, it } from 'vitest';
import type { NodeSet } from '../../modules/node-module.ts';
import { describeLoadError } from './load-error.ts';

const set: NodeSet = {
  id: 'acme/one',
  name: 'one',
  module: 'acme',
  version: '1.0.0',
  kind: 'nodes',
  file: '/u/node_modules/acme/one.js',
  types: [],
  enabled: true,
  local: true,
  namespace: 'acme',
};
const describeIt = (error: unknown) => describeLoadError(error, set, '/u/node_modules/acme');

describe('describeLoadError', () => {
  it('names the missing module alone, without the require stack', () => {
    const error = Object.assign(new Error("Cannot find module 'left-pad'\nRequire stack:\n- /u/x.js"), {
      code: 'MODULE_NOT_FOUND',
    });
    expect(describeIt(error)).toBe("Cannot find module 'left-pad'");
  });

  it('names a missing package of an ES module alone', () => {
    const error = Object.assign(new Error("Cannot find package 'left-pad' imported from /u/x.mjs"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(describeIt(error)).toBe("Cannot find module 'left-pad'");
  });

  it("shows paths in the module by the module's name", () => {
    const error = Object.assign(new Error("Cannot find module '/u/node_modules/acme/build/x.node'"), {});
    expect(describeIt(error)).toBe("Cannot find module 'acme/build/x.node'");
  });

  it("tells the line of the set's own file", () => {
    const error = new TypeError('x is not a function');
    error.stack = 'TypeError: x is not a function\n at f (/u/node_modules/acme/one.js:12:3)';
    expect(describeIt(error)).toBe('TypeError: x is not a function (line 12)');
  });

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [Object.assign(new Error('no'), { code: 'EACCES' }), 'no [EACCES]'],
    [{}, 'failed without saying why'],
  ])('has words for %s', (error, words) => {
    if (error instanceof Error) error.stack = '';
    expect(describeIt(error)).toBe(words);
  });
});
