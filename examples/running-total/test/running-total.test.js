const assert = require('node:assert/strict');
const { afterEach, describe, it } = require('node:test');
const helper = require('sluice/testing');
const runningTotal = require('../running-total.js');

const flow = [
  { id: 'total', type: 'running-total', property: 'payload', wires: [['out']] },
  { id: 'out', type: 'helper' },
  { id: 'failed', type: 'catch', scope: null, wires: [['errors']] },
  { id: 'errors', type: 'helper' },
];
/** The next message that a node is given. */
const next = (id) => new Promise((resolve) => helper.getNode(id).once('input', resolve));

describe('running-total', () => {
  afterEach(async () => {
    await helper.unload();
    helper.settings({});
  });

  it('adds up what passes by, and shows it', async () => {
    await helper.load(runningTotal, flow);
    const total = helper.getNode('total');
    for (const [number, sum] of [
      [2, 2],
      ['3.5', 5.5],
    ]) {
      const message = next('out');
      total.receive({ payload: number });
      assert.equal((await message).payload, sum);
    }
    assert.equal(total.status.lastCall.args[0].text, '5.50');
  });

  it('starts from zero when it is told to', async () => {
    await helper.load(runningTotal, flow);
    const total = helper.getNode('total');
    total.receive({ payload: 7 });
    total.receive({ reset: true });
    const message = new Promise((resolve) => {
      helper.getNode('out').on('input', (msg) => msg.last && resolve(msg));
    });
    total.receive({ payload: 1, last: true });
    assert.equal((await message).payload, 1);
  });

  it('says what is not a number', async () => {
    await helper.load(runningTotal, flow);
    const message = next('errors');
    helper.getNode('total').receive({ payload: 'many' });
    assert.match((await message).error.message, /noNumber|not a number/);
  });

  it('shows as many digits as the settings file says', async () => {
    helper.settings({ runningTotalDigits: 0 });
    await helper.load(runningTotal, flow);
    assert.equal(helper.getNode('total').status.lastCall.args[0].text, '0');
  });

  it('is reset by the button of the editor', async () => {
    await helper.startServer();
    try {
      await helper.load(runningTotal, flow);
      const message = next('out');
      helper.getNode('total').receive({ payload: 7 });
      await message;
      await helper.request().post('/running-total/total/reset').expect(204);
      await helper.request().post('/running-total/other/reset').expect(404);
      assert.equal(helper.getNode('total').context().get('total'), 0);
    } finally {
      await helper.stopServer();
    }
  });
});
