/**
 * `sluice/testing`: runs flows of nodes under test, with the interface of `node-red-node-test-helper`. Loads from
 * CommonJS (`const helper = require('sluice/testing')`) and from ES modules (`import helper from 'sluice/testing'`).
 */
import { NodeTestHelper } from './helper.ts';
import { palette } from './palette.ts';

const helper = Object.assign(new NodeTestHelper(), { NodeTestHelper });

export type { Callback, TestedNode, TestFlow } from './helper.ts';
export type { Spy, SpyCall } from './spies.ts';
export { NodeTestHelper, palette };
export default helper;
// What `require` gives: the helper itself.
export { helper as 'module.exports' };
