import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import helper from 'sluice/testing';
import sign from '../sign.js';

const flow = [
  { id: 'sign', type: 'sign', algorithm: 'sha256', wires: [['out']] },
  { id: 'out', type: 'helper' },
  { id: 'failed', type: 'catch', scope: null, wires: [['errors']] },
  { id: 'errors', type: 'helper' },
];
const next = (id) => new Promise((resolve) => helper.getNode(id).once('input', resolve));

describe('sign', () => {
  afterEach(() => helper.unload());

  it('adds the signature of the payload', async () => {
    await helper.load(sign, flow, { sign: { key: 'Jefe' } });
    const message = next('out');
    helper.getNode('sign').receive({ payload: 'what do ya want for nothing?' });
    // RFC 4231, test case 2
    assert.equal(
      (await message).signature,
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('refuses to work without a key', async () => {
    await helper.load(sign, flow);
    const message = next('errors');
    helper.getNode('sign').receive({ payload: 'x' });
    assert.match((await message).error.message, /no key/);
    assert.deepEqual(helper.getNode('sign').status.firstCall.args, [
      { fill: 'red', shape: 'ring', text: 'no key' },
    ]);
  });
});
